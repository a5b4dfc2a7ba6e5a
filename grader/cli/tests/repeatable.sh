# The same file and seed give the same report, whatever the environment, the folder, the addresses and the load.
. "$(dirname "$0")/library.sh"
cp "$starter" student.cu
report() { "$LAB_CLI" check 1 --file "$work/student.cu" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":'; }

report >first
grep -q '"timeline"' first || red "no timeline in the report"
for round in 1 2 3 4 5; do
  # an environment of another size moves the stack
  (cd / && export FILLER=$(head -c $((round * 1000)) /dev/zero | tr '\0' x) && report) >again
  cmp -s first again || red "round $round differs: $(diff first again | head -n 4)"
done
setarch -R true 2>/dev/null && {
  setarch -R "$LAB_CLI" check 1 --file "$work/student.cu" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":' >again
  cmp -s first again || red "without address randomisation it differs: $(diff first again | head -n 4)"
}
spinners=
for core in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & spinners="$spinners $!"; done
report >again
kill $spinners
cmp -s first again || red "with every core busy it differs: $(diff first again | head -n 4)"
finish

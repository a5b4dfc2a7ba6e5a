# The same file and seed give the same report and the same traces to the byte (their hash is in the report), whatever
# the environment, the folder, the addresses and the load.
. "$(dirname "$0")/library.sh"
report() { "$LAB_CLI" check 1 --file "$1" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":'; }
same_as_first() { cmp -s first again || red "$1 it differs: $(diff first again | head -n 4)"; }

# Twenty gradings of a file that passes and five of one that does not, half of them with every core busy.
judge_often() { # FILE ROUNDS
  report "$1" >first
  grep -q '"traces": [1-9]' first || red "no traces were recorded for $1"
  local round spinners=
  for round in $(seq "$2"); do
    if [ "$round" = $((($2 + 1) / 2)) ]; then
      for core in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & spinners="$spinners $!"; done
    fi
    # an environment of another size moves the stack
    (cd / && export FILLER=$(head -c $((round * 1000)) /dev/zero | tr '\0' x) && report "$1") >again
    same_as_first "in round $round"
  done
  kill $spinners
  setarch -R true 2>/dev/null && {
    setarch -R "$LAB_CLI" check 1 --file "$1" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":' >again
    same_as_first "without address randomisation"
  }
}

cp "$solution" "$work/right.cu"
cp "$starter" "$work/wrong.cu"
judge_often "$work/right.cu" 20
grep -q '"outcome": "pass"' first || red "the solution does not pass"
judge_often "$work/wrong.cu" 5
grep -q '"timeline"' first || red "no timeline in the report"
finish

# The same file and seed give the same report and the same traces to the byte (their hash is in the report), whatever
# the environment, the folder, the addresses and the load: every lab's solution and starter, and a few of its wrong
# programs. LAB_ROUNDS=20 makes more gradings of each, LAB_ALL=1 takes all that a lab has in wrong/ and right/.
. "$(dirname "$0")/library.sh"
rounds=${LAB_ROUNDS:-3}
report() { "$LAB_CLI" check "$@" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":'; }
same_as_first() { cmp -s first again || red "$* it differs: $(diff first again | head -n 4)"; }

# Half of the gradings with every core busy.
judge_often() { # LAB OPTION FILE
  report "$@" >first
  grep -q '"traces": [1-9]' first || red "no traces were recorded for $3"
  local round spinners=
  for round in $(seq "$rounds"); do
    if [ "$round" = $(((rounds + 1) / 2)) ]; then
      for core in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & spinners="$spinners $!"; done
    fi
    # an environment of another size moves the stack
    (cd / && export FILLER=$(head -c $((round * 1000)) /dev/zero | tr '\0' x) && report "$@") >again
    same_as_first "$3, round $round:"
  done
  kill $spinners
  setarch -R true 2>/dev/null && {
    (report() { setarch -R "$LAB_CLI" check "$@" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":'; }
     report "$@") >again
    same_as_first "$3, without address randomisation:"
  }
}

for folder in "$LAB_SOURCE"/labs/[0-9]*; do
  lab=$(basename "$folder")
  cp "$LAB_SOURCE/solutions/$lab/solution.cu" "$work/right.cu"
  cp "$folder/starter.cu" "$work/starter.cu"
  judge_often "$lab" --file "$work/right.cu"
  grep -q '"outcome": "pass"' first || red "the solution of $lab does not pass"
  judge_often "$lab" --file "$work/starter.cu"
  grep -q '"outcome": "fail"' first || red "the starter of $lab does not fail"
  planted=$(ls "$LAB_SOURCE/grader/checks/$lab/wrong/"*.patch "$LAB_SOURCE/grader/checks/$lab/right/"*.patch)
  [ -n "${LAB_ALL:-}" ] || planted=$(printf '%s\n' "$planted" | awk 'NR % 40 == 1')
  for patch in $planted; do judge_often "$lab" --patch "$patch"; done
done
finish

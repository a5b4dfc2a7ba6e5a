# The same file and seed give the same report and the same traces to the byte (their hash is in the report), whatever
# the environment, the folder, the addresses and the load: every lab's solution and starter, and a few of its wrong
# programs. Only the paths in compilers' warnings depend on the folder: they are as one would type them there.
# LAB_ROUNDS=20 makes more gradings of each, LAB_ALL=1 takes all that a lab has in wrong/ and right/, LAB_JOBS=8 judges
# so many at once.
. "$(dirname "$0")/library.sh"
rounds=${LAB_ROUNDS:-2}
jobs=${LAB_JOBS:-1}
judge=
report() { $judge "$LAB_CLI" check "$@" --seed 7 --format json | grep -vE '"(translate|compile|link|run)":|: warning: '; }
same_as_first() { cmp -s first again || red "$* it differs: $(diff first again | head -n 4)"; }

# Half of the gradings with every core busy.
judge_often() { # right|wrong LAB OPTION FILE
  local expected=$1 found=right
  shift
  report "$@" >first
  grep -q '"traces": [1-9]' first || red "no traces were recorded for $3"
  ! grep -qE '"outcome": "(fail|error)"' first || found=wrong
  same $found $expected "the verdict on $3"
  local round spinners=
  for round in $(seq "$rounds"); do
    # several judged at once are load enough
    if [ "$jobs" = 1 ] && [ "$round" = $(((rounds + 1) / 2)) ]; then
      for core in $(seq "$(nproc)"); do sh -c 'while :; do :; done' & spinners="$spinners $!"; done
    fi
    # an environment of another size moves the stack
    (cd / && export FILLER=$(head -c $((round * 1000)) /dev/zero | tr '\0' x) && report "$@") >again
    same_as_first "$3, round $round:"
  done
  [ -z "$spinners" ] || kill $spinners
  setarch -R true 2>/dev/null && {
    (judge="setarch -R" && report "$@") >again
    same_as_first "$3, without address randomisation:"
  }
}

# The same in a folder of its own, beside others.
judged=0
judge_beside() {
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  judged=$((judged + 1))
  mkdir "$work/$judged"
  (cd "$work/$judged" && judge_often "$@") 2>&1 | tee "$work/$judged.log" &
}

for folder in "$LAB_SOURCE"/labs/[0-9]*; do
  lab=$(basename "$folder")
  judge_beside right "$lab" --file "$LAB_SOURCE/solutions/$lab/solution.cu"
  judge_beside wrong "$lab" --file "$folder/starter.cu"
  for expected in right wrong; do
    planted=$(cd "$LAB_SOURCE/grader/checks/$lab/$expected" && ls ./*.patch ./*.cu 2>/dev/null)
    [ -n "${LAB_ALL:-}" ] || planted=$(printf '%s\n' "$planted" | awk 'NR % 60 == 1')
    for file in $planted; do
      case $file in *.patch) option=--patch ;; *) option=--file ;; esac
      judge_beside $expected "$lab" $option "$LAB_SOURCE/grader/checks/$lab/$expected/${file#./}"
    done
  done
done
wait
cat "$work"/*.log >all.log
failures=$(grep -c '^not so' all.log)
echo "$judged programs"
finish

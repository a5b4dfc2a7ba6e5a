# What the scripts share. Each works in a folder of its own, with its own state: nothing of the checkout is touched.
set -u
work=$(mktemp -d)
export LAB_STATE=$work/state
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
build=$(dirname "$(dirname "$LAB_CLI")")
cd "$work" || exit 1
failures=0

red() { failures=$((failures + 1)); printf 'not so: %s\n' "$*"; }
finish() { [ "$failures" -eq 0 ] && echo "all as it should be" && exit 0; echo "$failures not as they should be"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }

# try CODE COMMAND...: runs it, expects the exit code; what it printed is in $work/out and $work/err
try() {
  local expected=$1 code
  shift
  "$@" >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" = "$expected" ] || red "$* ended with $code instead of $expected: $(tail -c 600 "$work/err" "$work/out")"
}
out_has() { grep -qF -- "$1" "$work/out" || red "no \"$1\" on stdout, which has: $(head -c 600 "$work/out")"; }
err_has() { grep -qF -- "$1" "$work/err" || red "no \"$1\" on stderr, which has: $(head -c 600 "$work/err")"; }
out_lacks() { ! grep -qF -- "$1" "$work/out" || red "\"$1\" on stdout"; }
err_lacks() { ! grep -qF -- "$1" "$work/err" || red "\"$1\" on stderr"; }
err_lines() { [ "$(wc -l <"$work/err")" -le "$1" ] || red "more than $1 lines on stderr: $(head -c 900 "$work/err")"; }
same() { [ "$1" = "$2" ] || red "$3: \"$1\" instead of \"$2\""; }

# Nothing half-made in the build folder and no process of a student's program. Others may be testing at the same time:
# only what stays for a while is a leftover.
left_clean() {
  local tries
  for tries in 1 2 3 4 5 6 7 8 9 10; do
    leftovers=$(find "$build/programs" "$build/runs" -maxdepth 1 -name '.making-*' 2>/dev/null | while read -r folder; do
      pid=${folder##*.making-}; pid=${pid%%-*}
      kill -0 "$pid" 2>/dev/null || echo "$folder"
    done)
    processes=$(grep -lz "^LAB_STATE=$LAB_STATE" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
      exe=$(readlink "${file%environ}exe")
      case $exe in "$build"/*) echo "$exe" ;; esac
    done)
    [ -z "$leftovers$processes" ] && return
    sleep 0.3
  done
  red "left behind: $leftovers $processes"
}

# The widest line of stdin in columns, colours left out.
widest() { tr '\r' '\n' | sed 's/\x1b\[[0-9;]*[mK]//g' | LC_ALL=C.UTF-8 wc -L; }

solution=$LAB_SOURCE/solutions/01_timing_pitfalls/solution.cu
starter=$LAB_SOURCE/labs/01_timing_pitfalls/starter.cu

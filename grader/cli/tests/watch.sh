# `lab watch`: one check for each new content, however it comes about; nothing left; the terminal as it was.
. "$(dirname "$0")/library.sh"
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
folder=$(dirname "$student")
mkdir -p "$folder"
cp "$starter" "$student"

verdicts() { grep -c '^Lab 1:' out; }
# expect COUNT WHEN : so many verdicts are there soon, and no more come
expect() {
  for _ in $(seq 300); do [ "$(verdicts)" -ge "$1" ] && break; sleep 0.1; done
  sleep 1
  same "$(verdicts)" "$1" "verdicts $2"
}
start() {
  env --default-signal=INT "$LAB_CLI" watch 1 >out 2>err &
  child=$!
}
stop() { # SIGNAL
  kill -"$1" $child
  wait $child 2>/dev/null
  same $? $((128 + $(kill -l "$1"))) "the exit code after $1"
}

start
expect 1 "at the start"
out_has "of 22 points"
cp "$starter" "$student"
touch "$student"
expect 1 "after the same content was written again"
cp "$solution" "$folder/.new"
mv "$folder/.new" "$student"
expect 2 "after another file was renamed to it"
out_has "Done."
split -n 8 "$starter" part-
: >"$student"
for part in part-*; do cat "$part" >>"$student"; sleep 0.05; done
expect 3 "after the file was written in pieces"
mv "$student" "$folder/kept"
sleep 0.6
mv "$folder/kept" "$student"
expect 3 "after the file vanished for a moment"
rm "$student"
sleep 0.6
cp "$solution" "$student"
expect 4 "after the file vanished for a moment and came back as another"
: >"$student"
sleep 0.6
{ echo '#include "mine.hpp"'; cat "$solution"; } >"$student"
expect 5 "after the file was emptied for a moment"
out_has "mine.hpp"
echo '#pragma once' >"$folder/mine.hpp"
expect 6 "after the header that it includes came"
echo '// unrelated' >"$folder/other.hpp"
expect 6 "after a header that it does not include came"
rm "$student"
for _ in $(seq 50); do grep -q "is gone" out && break; sleep 0.1; done
out_has "student.cu is gone. To begin with the starter again: ./lab reset 1"
cp "$solution" "$student"
expect 7 "after the file was gone for long"
! grep -q $'\x1b' out || red "an escape sequence where stdout is no terminal"
out_lacks "q quit"
stop INT

# A check in progress ends with the next content: in the compiler, and in the checks.
{
  cat "$solution"
  echo 'template <int N, class... T> struct bomb { enum { value = bomb<N - 1, T..., int>::value + bomb<N - 1, T..., char>::value }; };'
  echo 'template <class... T> struct bomb<0, T...> { enum { value = 0 }; };'
  echo 'static_assert(bomb<40>::value == 0);'
} >slow_to_compile.cu
sed '0,/if (submit/s//for (volatile long i = 0;; i = i + 1) {}\n  if (submit/' "$solution" >slow_to_run.cu
cp "$solution" "$student"
for slow in slow_to_compile slow_to_run; do
  start
  expect 1 "before $slow"
  cp $slow.cu "$student"
  sleep 1.5
  cp "$solution" "$student"
  expect 2 "after $slow was replaced while it was judged"
  same "$(grep -c 'Done\.' out)" 2 "passes around $slow"
  stop TERM
  left_clean
done

# Killed in the middle of a check: the next run leaves nothing.
for slow in slow_to_compile slow_to_run; do
  cp $slow.cu "$student"
  start
  sleep 2
  stop KILL
  cp "$solution" "$student"
  try 0 "$LAB_CLI" check 1
  left_clean
done
# Nobody reads what it says: it ends, also where SIGPIPE is ignored.
(trap '' PIPE; timeout 20 "$LAB_CLI" watch 1 2>err; echo $? >code) | true
same "$(cat code)" 2 "the exit code when stdout is closed"
err_has "could not be written"
try 64 "$LAB_CLI" watch nonsense
try 3 env LAB_DEVICE=cuda "$LAB_CLI" watch 1
finish

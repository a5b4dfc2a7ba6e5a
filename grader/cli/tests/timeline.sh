# Timelines: `lab run --timeline` of any program, however it ends, and `lab timeline` of a lab.
. "$(dirname "$0")/library.sh"

cat >plain.cu <<'CU'
#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
__global__ void spin() { for (long long start = clock64(); clock64() - start < 1000000;) {} }
int main(int argc, char** argv) {
  auto begin = std::chrono::steady_clock::now();
  spin<<<1, 1>>>();
  auto end = std::chrono::steady_clock::now();
  cudaDeviceSynchronize();
  std::printf("%d arguments\n", argc - 1);
  if (argc > 1) std::exit(std::atoi(argv[1]));
  return (end - begin).count() > 0 ? 0 : 1;
}
CU
# By the ending; the program's output and end stay its own.
for kind in html svg json; do
  try 0 "$LAB_CLI" run plain.cu --timeline out.$kind
  out_has "0 arguments"
  err_has "timeline: out.$kind"
  cp out.$kind first.$kind
  try 7 "$LAB_CLI" run --quiet plain.cu --timeline out.$kind -- 7
  err_lacks timeline
  try 0 "$LAB_CLI" run --quiet plain.cu --timeline out.$kind
  cmp -s out.$kind first.$kind || red "out.$kind differs from run to run"
done
grep -q '</html>' out.html || red "no page"
grep -q 'inside: 0 ms of the' out.svg || red "no bracket around the launch"
grep -q '"name":"spin"' out.json || red "no kernel in the trace"
command -v python3 >/dev/null && { python3 -m json.tool out.json >/dev/null || red "out.json is none"; }
try 0 "$LAB_CLI" run --check plain.cu --timeline both.svg
err_has "nothing leaks"
[ -s both.svg ] || red "no picture besides a check"

# What cannot be written is said before the program runs.
refused() { # NAME TEXT
  try 64 "$LAB_CLI" run plain.cu --timeline "$1"
  out_lacks arguments
  err_has "$2"
  err_lines 1
}
refused out.pdf "page (.html), a picture (.svg) or a trace for ui.perfetto.dev (.json)"
refused out "none of these endings"
refused '' "a name that is missing"
refused nowhere/out.svg "there is no folder"
mkdir folder.svg
refused folder.svg "it is a folder"
refused /proc/out.svg "cannot be written to"

# However the program ends, there is a page that says so.
program() { # NAME BODY
  printf '#include <cuda_runtime.h>\n#include <cstdlib>\n#include <unistd.h>\n__global__ void touch(int* data) { *data = 1; }\nint main() {\n  int* data;\n  cudaMalloc(&data, 4);\n  touch<<<1, 1>>>(data);\n  %s\n}\n' "$2" >"$1.cu"
}
program crashes 'volatile int* nowhere = nullptr; *nowhere = 1;'
program aborts 'std::abort();'
program leaves '_exit(3);'
program killed 'kill(getpid(), 9);'
program faulty 'touch<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() != cudaSuccess;'
program endless 'for (;;) cudaDeviceSynchronize();'
printf 'int main() {}\n' >nothing.cu
sed -i 's/#include <unistd.h>/&\n#include <csignal>/' killed.cu
ends() { # NAME CODE TEXT
  try "$2" "$LAB_CLI" run "$1.cu" --timeline "$1.svg"
  grep -qF -- "$3" "$1.svg" || red "$1.svg lacks \"$3\": $(grep -o 'class="notice"[^/]*' "$1.svg" | head -3)"
}
ends crashes 139 "The program did not come to its end"
ends aborts 134 "The program did not come to its end"
ends leaves 3 "touch"
ends killed 137 "left no record"
ends faulty 1 "null pointer"
ends endless 125 "The program did not come to its end"
ends nothing 0 "The record is empty"

# A name is text, whatever is in it.
strange='</script><b>"name"&.cu'
cp plain.cu "./${strange##*/}"
try 0 "$LAB_CLI" run "./${strange##*/}" --timeline strange.html
same "$(grep -c '<b>' strange.html)" 0 "a name that is HTML"

# Very much of it: a page and a picture all the same.
try 0 "$LAB_CLI" run "$LAB_SOURCE/grader/cli/benchmarks/many_operations.cu" --timeline many.html -- 20000
try 0 "$LAB_CLI" run "$LAB_SOURCE/grader/cli/benchmarks/many_operations.cu" --timeline many.svg -- 20000
[ "$(wc -c <many.html)" -lt 4000000 ] || red "many.html has $(wc -c <many.html) bytes"
[ "$(wc -c <many.svg)" -lt 1000000 ] || red "many.svg has $(wc -c <many.svg) bytes"

# Labs: each has pictures, the first where nothing else is asked for, and each of them runs to its end.
for folder in "$LAB_SOURCE"/labs/[0-9]*; do
  lab=$(basename "$folder")
  "$LAB_CLI" __complete timeline "$lab" --picture '' | cut -f 1 >pictures
  [ -s pictures ] || red "lab $lab has no picture"
  while read -r picture; do
    try 0 "$LAB_CLI" timeline "$lab" --solution --anyway --picture "$picture" -o lab.svg </dev/null
    ! grep -q 'class="missing-head"' lab.svg || red "the solution of $lab has a race in \"$picture\""
    grep -q 'class="mark' lab.svg || red "nothing in the picture \"$picture\" of $lab"
    ! grep -q 'did not come to its end' lab.svg || red "\"$picture\" of $lab did not come to its end"
  done <pictures
  try 0 "$LAB_CLI" timeline "$lab" --file "$folder/starter.cu" --compare solution --anyway -o lab.html
  [ "$(wc -c <lab.html)" -lt 1000000 ] || red "the page of $lab has $(wc -c <lab.html) bytes"
done

# The solution is shown after a pass, or where somebody asks for it all the same: as lab solution does.
for command in "solution 2" "timeline 2 --solution" "timeline 2 --compare solution"; do
  try 1 "$LAB_CLI" $command
  cp err "said by ${command%% *}"
  err_has "Lab 2 has not passed yet, and the solution teaches more after your own try."
  err_has "add --anyway."
done
cmp -s "said by solution" "said by timeline" || red "lab solution and lab timeline --solution do not say the same"
student=$LAB_STATE/labs/02_stream_waits/student.cu
mkdir -p "$(dirname "$student")"
cp "$LAB_SOURCE/solutions/02_stream_waits/solution.cu" "$student"
try 0 "$LAB_CLI" check 2
try 0 "$LAB_CLI" timeline 2 --solution
try 0 "$LAB_CLI" timeline 2 --compare solution
rm "$student"

# What predictions ask for is shown when they are made, or where somebody asks for it all the same.
first_prediction="What this picture shows is what predicted_host_ms asks for: predict it first, at the top of"
try 1 "$LAB_CLI" timeline 1
err_has "$first_prediction"
err_has "student.cu"
[ -z "$(find "$LAB_STATE/timelines" -name '01*')" ] || red "a picture that shows what a prediction asks for is there"
try 0 "$LAB_CLI" timeline 1 --anyway
out_has "timelines/01_timing_pitfalls.html"
try 0 "$LAB_CLI" timeline 1 --picture host_ms_after
sed -i 's/\(predicted_host_ms\) = .*;/\1 = 80;/' "$LAB_STATE/labs/01_timing_pitfalls/student.cu"
try 0 "$LAB_CLI" timeline 1
starter_of_4=$(echo "$LAB_SOURCE"/labs/04*/starter.cu)
try 1 "$LAB_CLI" timeline 4 --file "$starter_of_4" --picture "a fault told late"
err_has "what predicted_reporter and predicted_recovery ask for: predict them first, at the top of"
try 0 "$LAB_CLI" timeline 4 --file "$starter_of_4"

# Without a name each is in a file of its own, whose name says what it is.
goes_to() { # NAME ARGUMENT...
  local name=$1
  shift
  try 0 "$LAB_CLI" timeline 2 "$@"
  same "$(basename "$(cat out)")" "$name.html" "where 'timeline 2 $*' goes"
  [ -s "$LAB_STATE/timelines/$name.html" ] || red "no page in the state folder: $name.html"
}
mkdir ann bob
cp "$LAB_SOURCE/labs/02_stream_waits/starter.cu" ann/student.cu
cp ann/student.cu bob/student.cu
cp ann/student.cu "größe & more.cu"
cp ann/student.cu "größe + more.cu"
cp ann/student.cu solution.cu
goes_to 02_stream_waits
goes_to 02_stream_waits.solution --solution --anyway
goes_to 02_stream_waits.solution.cu --file solution.cu
paths=0
for file in ann/student.cu bob/student.cu ./bob/student.cu "größe & more.cu" "größe + more.cu"; do
  try 0 "$LAB_CLI" timeline 2 --file "$file"
  paths=$((paths + 1))
done
same "$(ls "$LAB_STATE/timelines" | grep -cE '^02_stream_waits[.](ann_student|bob_student|größe___more)[.]cu-[0-9a-f]{6}[.]html$')" 4 "names of $paths paths, of which two are the same"
goes_to 02_stream_waits.two_jobs --picture "two jobs"
goes_to 02_stream_waits.check --check
goes_to 02_stream_waits.check_scale_waits.seed_7 --check "scale waits" --seed 7
goes_to 02_stream_waits.with_schedule --compare schedule
try 0 "$LAB_CLI" timeline 2 --file "$work/bob/student.cu"
try 0 "$LAB_CLI" timeline 2 --file "$LAB_SOURCE/labs/02_stream_waits/starter.cu" -o starter.svg
grep -q 'class="missing-head"' starter.svg || red "the starter's race is not in its picture"
try 0 "$LAB_CLI" timeline 2 --file "$LAB_SOURCE/labs/02_stream_waits/starter.cu" --compare schedule -o turned.svg
grep -q 'held back until' turned.svg || red "the other schedule is not told"
try 3 "$LAB_CLI" timeline 2 --solution --compare schedule
err_has "ordered in this run"

wrong=$LAB_SOURCE/grader/checks/03_event_reuse/wrong
try 0 "$LAB_CLI" timeline 3 --patch "$wrong/end_wait_for_the_copies.patch" -o wrong.svg
grep -q 'class="missing-head"' wrong.svg || red "the race with the caller is not in the picture"
try 0 "$LAB_CLI" timeline 3 --patch "$wrong/turn_upload_in_two_halves.patch" -o wrong.html

# The run that a check found wrong, which the lab's own picture does not show.
races() { grep -c 'class="missing-head"' "$1"; }
factor_one=$LAB_SOURCE/grader/checks/02_stream_waits/wrong/upload_edge_unless_the_factor_is_one.patch
draw() { "$LAB_CLI" timeline 2 --patch "$factor_one" "$@"; }
try 0 draw -o usual.svg
same "$(races usual.svg)" 0 "races in the lab's own picture"
try 0 draw -o found.svg --check
[ "$(races found.svg)" -gt 0 ] || red "no race in the run that a check found wrong"
grep -qF "&quot;scale waits for the upload&quot;: nothing makes scale" found.svg || red "what the check says is not in the picture"
try 0 draw -o named.svg --check "waits for the upload"
cmp -s found.svg named.svg || red "the first check that found a run wrong has two pictures"
try 0 draw -o both.html --check --compare solution
grep -q '"title":"the solution"' both.html || red "the solution is not beneath the run that a check found wrong"
try 0 draw -o both.html --check --compare schedule
grep -q 'held back until' both.html || red "the other schedule is not beneath the run that a check found wrong"
try 0 draw -o seeded.svg --check --seed 4711
! cmp -s found.svg seeded.svg || red "another seed gives the same picture"
try 1 "$LAB_CLI" check 2 --seed 4711
out_has "./lab timeline 2 --check --seed 4711"
try 3 draw --check "waits once"
err_has "this check needs another one to pass first"
try 3 draw --check "costs the CPU"
err_has "passes: it found no run wrong"
try 3 "$LAB_CLI" timeline 2 --solution --check
err_has "Lab 2 passes"
try 64 draw --check nonsense
err_has 'No check of lab 2 has "nonsense" in its name'
try 64 draw --check --picture "one job"
try 64 draw --seed 4711
try 64 draw --check --seed -1
printf 'int\n' >no_program.cu
try 2 "$LAB_CLI" timeline 2 --file no_program.cu --check
err_has "no_program.cu:1"
! grep -q 'does not do the same each time' found.svg || red "the same run is called another one"
# A program that does otherwise each time: from none to ten thousand calls more.
sed 's|^#include "exercise.hpp"|&\n#include <sys/random.h>|; s|^cudaError_t scale_on_two_streams.*|&\n  unsigned calls = 0;\n  getrandom(\&calls, sizeof calls, 0);\n  calls %= 10007;\n  while (calls-- > 0) cudaGetLastError();|' \
  "$LAB_SOURCE/labs/02_stream_waits/starter.cu" >otherwise.cu
try 0 "$LAB_CLI" timeline 2 --file otherwise.cu --check "scale waits" -o otherwise.svg
grep -q 'does not do the same each time' otherwise.svg || red "another run than the check judged is not called so"
# One in which a call was made to fail has no counterpart.
try 0 "$LAB_CLI" timeline 3 --patch "$wrong/events_leak_where_creating_fails.patch" -o failed.svg --check
grep -q 'returned cudaErrorOperatingSystem' failed.svg || red "the call that was made to fail is not marked"
try 3 "$LAB_CLI" timeline 3 --patch "$wrong/events_leak_where_creating_fails.patch" -o failed.svg --check --compare solution --anyway
err_has "one of the file's calls was made to fail"

# A lab's file that does not come to its end, and says so in bytes that are no text.
sed 's|  const auto begin = host_clock::now();|  throw std::runtime_error("bad \\xFF \\x1b[31m <b>bytes</b>");\n&|; s|#include <chrono>|&\n#include <stdexcept>|' "$solution" >throws.cu
for kind in html svg json; do
  try 0 "$LAB_CLI" timeline 1 --file throws.cu -o throws.$kind
  same "$(grep -c '<b>' throws.$kind)" 0 "HTML in what an exception says, in throws.$kind"
  iconv -f utf-8 -t utf-8 throws.$kind >/dev/null || red "throws.$kind is no UTF-8"
done
grep -q 'threw an exception' throws.svg || red "the exception is not told"
# Bytes that cannot be shown are told in one way.
grep -qF 'bad \xff \x1b[31m &lt;b&gt;bytes' throws.svg || red "the bytes are told in another way in throws.svg"
try 2 "$LAB_CLI" check 1 --file throws.cu
tr -s '\n ' ' ' <out >words
grep -qF 'bad \xff \x1b[31m <b>bytes' words || red "the bytes are told in another way by check"
try 2 "$LAB_CLI" check 1 --file throws.cu --format json
out_has 'bad \\xff \\x1b[31m <b>bytes'
try 2 "$LAB_CLI" check 1 --file throws.cu --format junit
out_has 'bad \xff \x1b[31m &lt;b&gt;bytes'

# A program that is interrupted is drawn up to there.
cat >hangs.cu <<'CU'
#include <cstdio>
__global__ void before_that(float* data) { data[threadIdx.x] = 1; }
int main() {
  float* data;
  cudaMalloc(&data, 1024);
  before_that<<<1, 256>>>(data);
  cudaDeviceSynchronize();
  std::puts("ready");
  std::fflush(stdout);
  for (volatile int i = 0;; ++i) {
  }
}
CU
"$LAB_CLI" run hangs.cu --timeline hangs.svg >ready 2>err &
hanging=$!
until grep -q ready ready || ! kill -0 $hanging 2>/dev/null; do sleep 0.1; done
kill -HUP $hanging
wait $hanging
same $? 129 "the exit code of a program that was interrupted"
grep -q 'before_that' hangs.svg || red "what an interrupted program did is not in its picture"

# What makes no sense.
try 64 "$LAB_CLI" timeline
try 64 "$LAB_CLI" timeline 99
try 64 "$LAB_CLI" timeline 1 --picture nonsense
err_has 'There are: "host_ms"'
try 64 "$LAB_CLI" timeline 1 --solution --file plain.cu
try 64 "$LAB_CLI" timeline 1 --solution --patch "$wrong/events_leak.patch"
try 64 "$LAB_CLI" timeline 1 --solution --compare solution
try 64 "$LAB_CLI" timeline 1 --compare nonsense
try 64 env -u LAB_DEVICE "$LAB_CLI" timeline 1 --compare emulator
err_has "set LAB_DEVICE=cuda"
try 64 "$LAB_CLI" timeline 1 --file nowhere.cu
err_has "There is no file nowhere.cu"
try 64 "$LAB_CLI" timeline 1 --solution -o out.pdf
try 2 "$LAB_CLI" timeline 1 --file plain.cu
left_clean
finish

# `lab hint`: one stage more each time, for what can be mended now, and what was shown can be read again.
. "$(dirname "$0")/library.sh"
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
hint() { try 0 "$LAB_CLI" hint 1 "$@"; }
stages() { grep -c '^hint [0-9] of 3$' out; }

# A right file but for one timer: two checks do not pass, one of them because it was not run.
mkdir -p "$(dirname "$student")"
sed '0,/cudaEventRecord(start/s/cudaEventRecord(start, stream)/cudaEventRecord(start)/' "$solution" >"$student"
try 1 "$LAB_CLI" check 1
for stage in 1 2 3; do
  hint
  out_has "event_ms gives"
  same "$(stages)" $stage "stages shown by call $stage"
done
out_has "the last one"
hint
out_has "all there is to say"
same "$(stages)" 3 "stages shown when all are known"
out_lacks "waits for its stop event"

# On to the next check: it says so.
cp "$starter" "$student"
try 1 "$LAB_CLI" check 1
hint
hint
hint
hint
out_has "You have seen all hints"
out_has "the prediction of the lucky call is right"
same "$(stages)" 1 "stages of the next check"
hint
out_lacks "You have seen all hints"

# By name.
try 64 "$LAB_CLI" hint 1 --check event_ms
err_has "event_ms gives"
err_has "event_ms waits"
err_lines 3
try 64 "$LAB_CLI" hint 1 --check nonsense
err_has "host_ms_after leaves out"
hint --check event_ms_before
out_has "One more: ./lab hint 1 --check \"event_ms_before\""
hint --check "event_ms_before gives its time while the next work still runs"
out_has "hint 1 of 3"
same "$(stages)" 2 "stages of a check that was asked for"

cp "$solution" "$student"
try 0 "$LAB_CLI" check 1
hint
out_has "nothing to hint at"
finish

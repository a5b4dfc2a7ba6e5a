# Stopped at any moment: progress intact, nothing left, the next run fine.
. "$(dirname "$0")/library.sh"
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
mkdir -p "$(dirname "$student")"
cp "$solution" "$student"
try 0 "$LAB_CLI" check 1

for signal in INT TERM HUP KILL; do
  for delay in 0.01 0.05 0.15 0.3 0.5; do
    echo "// $signal $delay" >>"$student"
    # bash starts background jobs with SIGINT ignored; env makes it as from a terminal
    env --default-signal=INT "$LAB_CLI" check 1 >out 2>err &
    child=$!
    sleep "$delay"
    kill -"$signal" "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    code=$?
    [ $code = 0 ] || [ $code = $((128 + $(kill -l "$signal"))) ] || red "$signal after $delay s: it ended with $code: $(cat err)"
    "$LAB_CLI" >out 2>err
    [ -s err ] && red "progress after $signal: $(cat err)"
  done
done
try 0 "$LAB_CLI" check 1
left_clean
finish

# The three-way experiment: one impossible number, two near the peak, and a row in the record, also with two at once.
. "$(dirname "$0")/library.sh"
try 0 "$LAB_CLI" compare --note "first | try"
out_has "submit only"
out_has "impossible"
same "$(grep -c '% of the peak' out)" 2 "numbers near the peak"
# T4: 65 TFLOP/s, so 8192^3 takes 17 ms at best; NVIDIA's library reaches most of that
awk '/^submit only/ { submit = $3 } /^host clock/ { host = $3 } /^events/ { event = $2 }
     END { exit !(submit < 0.1 && host > 17 && host < 25 && event > 17 && event < 25 && event <= host) }' out ||
  red "times that tell another story: $(cat out)"
record=$LAB_STATE/record.md
same "$(wc -l <"$record")" 3 "lines of the record"
tail -n 1 "$record" | grep -qE "^\| [0-9]{4}-[0-9]{2}-[0-9]{2} \| .*T4.* \| .* \| first   try \|$" || red "the row is $(tail -n 1 "$record")"
same "$(tail -n 1 "$record" | tr -cd '|' | wc -c)" 8 "columns of the row"
"$LAB_CLI" compare >/dev/null & "$LAB_CLI" compare >/dev/null
wait
same "$(wc -l <"$record")" 5 "lines of the record after two at once"
finish

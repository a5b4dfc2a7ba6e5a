# The keys of `lab watch`, and the terminal afterwards: as it was, however the program ends.
. "$(dirname "$0")/library.sh"
command -v script >/dev/null || skip "there is no script(1) to make a terminal with"
student=$LAB_STATE/labs/01_timing_pitfalls/student.cu
mkdir -p "$(dirname "$student")"
cp "$solution" "$student"

# session SHELL-COMMANDS : runs them on a terminal; `keys` presses keys there, `screen` has what came
session() {
  rm -f keyboard
  mkfifo keyboard
  : >screen
  # bash starts background jobs with SIGINT ignored
  env --default-signal=INT,QUIT TERM=xterm LC_ALL=C.UTF-8 script -qefc "stty cols 100; $1" /dev/null <keyboard >screen 2>err &
  terminal=$!
  exec 3>keyboard
}
keys() { printf "$1" >&3; }
# wait_for TEXT [COUNT] : until the screen has it so often
wait_for() {
  for _ in $(seq 300); do [ "$(grep -cF -- "$1" screen)" -ge "${2:-1}" ] && return; sleep 0.1; done
  red "no \"$1\" (${2:-1} times) on the screen, which ends with: $(tail -n 8 screen)"
}
end_session() {
  exec 3>&-
  for _ in $(seq 100); do kill -0 $terminal 2>/dev/null || break; sleep 0.1; done
  kill $terminal 2>/dev/null && red "the session did not end"
  wait $terminal
}

# h, l, r and y, c, ?, q; unknown keys and arrows do nothing.
session "$LAB_CLI watch 1"
wait_for "Done."
wait_for "q quit"
grep -qF $'\x1b[2J' screen || red "the screen is not cleared on a terminal"
keys 'h'
wait_for "nothing to hint at"
keys 'l'
wait_for "passed 22/22 points"
keys 'p'
wait_for "Lab 1 is the first one."
if [ "$(ls -d "$LAB_SOURCE"/labs/[0-9]* | wc -l)" = 1 ]; then
  keys 'n'
  wait_for "Lab 1 is the last one."
else # and only at a key
  wait_for "The next lab: press n"
  keys 'n'
  wait_for "Lab 2:"
  keys 'p'
  wait_for "Lab 1:" 2
  wait_for "Done." 2
fi
passes=$(grep -c "Done\." screen)
keys '\033[A\033OPxY'
keys '?'
wait_for "one more hint"
keys 'c'
wait_for "Done." $((passes + 1))
keys 'rn'
wait_for "y or n"
wait_for "Not begun again."
cmp -s "$student" "$solution" || red "a reset that was not confirmed"
keys 'r'
wait_for "y or n" 2
keys 'y'
wait_for "is the starter again; yours is kept as"
wait_for "1 of 10 checks"
cmp -s "$student" "$starter" || red "r does not give the starter"
keys 'h'
wait_for "hint 1 of"
keys 'q'
end_session
same $? 0 "the exit code after q"

# The settings are those of before after every end.
cp "$solution" "$student"
show_settings='settings() { echo "settings $(stty -g)"; }; settings'
for signal in q INT TERM HUP SEGV ABRT QUIT; do
  session "trap : INT QUIT; $show_settings; ulimit -c 0; $LAB_CLI watch 1; settings; echo over"
  wait_for "Done."
  case $signal in
    q) keys q ;;
    INT) keys '\003' ;;
    QUIT) keys '\034' ;;
    *) kill -"$signal" "$(pgrep -P "$(pgrep -P $terminal)" -x lab-cli)" ;;
  esac
  wait_for "over"
  end_session
  same "$(grep -o 'settings [0-9a-f:]*' screen | sort -u | wc -l)" 1 "settings of the terminal around $signal"
done

# Ctrl-Z gives the terminal back; fg goes on, with keys, and with what the file has become.
session "bash -c 'set -m; $show_settings; $LAB_CLI watch 1; echo suspended; settings; read -r; fg; echo over; settings'"
wait_for "Done."
keys '\032'
wait_for "suspended"
cp "$starter" "$student"
keys '\n'
wait_for "1 of 10 checks"
keys 'h'
wait_for "hint "
keys '\032q'
wait_for "over"
end_session
same "$(grep -o 'settings [0-9a-f:]*' screen | sort -u | wc -l)" 1 "settings of the terminal around Ctrl-Z"

# Neither colour nor a cleared screen where no control sequence is wanted.
session "NO_COLOR=1 $LAB_CLI watch 1"
wait_for "1 of 10 checks"
keys q
end_session
! grep -q $'\x1b' screen || red "an escape sequence in spite of NO_COLOR"
left_clean
finish

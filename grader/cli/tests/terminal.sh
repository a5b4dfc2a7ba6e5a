# Nothing about colour, width or characters is assumed.
. "$(dirname "$0")/library.sh"
command -v script >/dev/null || skip "there is no script(1) to make a terminal with"

on_terminal() { # COLUMNS ENVIRONMENT... : the output of `check` on a terminal of that width
  local columns=$1
  shift
  env TERM=xterm "$@" script -qec "stty cols $columns; $LAB_CLI check 1" /dev/null
}
on_terminal 60 LC_ALL=C.UTF-8 >narrow
grep -q $'\x1b\\[3' narrow || red "no colour on a terminal"
[ "$(widest <narrow)" -le 60 ] || red "lines of $(widest <narrow) columns on a terminal of 60"
on_terminal 100 LC_ALL=C.UTF-8 NO_COLOR=1 >plain
! grep -q $'\x1b' plain || red "an escape sequence in spite of NO_COLOR"
on_terminal 100 LC_ALL=C.UTF-8 TERM=dumb >dumb
! grep -q $'\x1b' dumb || red "an escape sequence on a dumb terminal"

# The same of the line that says how far a long build is.
slow_build() { # ENVIRONMENT...
  {
    printf '#include <algorithm>\n#include <vector>\n// %s\n' "$*"
    for i in $(seq 50); do echo "void f$i(std::vector<int>& v) { std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; }); }"; done
    echo 'int main() {}'
  } >slow.cu
  env TERM=xterm "$@" script -qec "$LAB_CLI run slow.cu" /dev/null
}
slow_build LC_ALL=C.UTF-8 >bar
grep -q "building slow.cu" bar || red "a long build shows nothing"
slow_build NO_COLOR=1 >plain
! grep -q $'\x1b' plain || red "an escape sequence of a long build in spite of NO_COLOR"
LC_ALL=C "$LAB_CLI" check 1 >ascii 2>err
! LC_ALL=C grep -q '[^ -~]' ascii || red "LANG=C gets other than plain letters: $(LC_ALL=C grep -m1 '[^ -~]' ascii)"
LC_ALL=C.UTF-8 "$LAB_CLI" check 1 >piped 2>err
! grep -q $'\x1b' piped || red "escape sequences in a pipe"
same "$(wc -c <err)" 0 "bytes on stderr of a quick check in a pipe"
LC_ALL=C.UTF-8 COLUMNS=60 "$LAB_CLI" check 1 >sixty
[ "$(widest <sixty)" -le 60 ] || red "lines of $(widest <sixty) columns with COLUMNS=60"
finish

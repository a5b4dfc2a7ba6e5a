# Completion: what the command offers, and what the shells make of it.
. "$(dirname "$0")/library.sh"
launcher=$LAB_SOURCE/grader/cli/launcher

offers() { # EXPECTED WORD... : the candidates, in a line
  local expected=$1
  shift
  same "$("$LAB_CLI" __complete "$@" | cut -f 1 | paste -sd '|')" "$expected" "completion of: $*"
}
offers 'check|compare|completion|course' c
offers 'watch' wat
labs=$(cd "$LAB_SOURCE/labs" && ls -d [0-9]* | paste -sd '|')
offers "$labs" check ''
offers '01_timing_pitfalls' watch 01
offers '1' hint 1
offers 'timing_pitfalls' solution tim
offers '' hint 1 ''
offers "$labs" check 1 ''
offers '--solutions|--seed' check --s
offers 'text|json|junit' check 1 --format ''
offers 'junit' check 1 --format = ju
offers 'text|json|junit' check 1 --format =
offers '--format=junit' check 1 --format=ju
offers 'the prediction for a kernel of 80 ms is right|the prediction of the lucky call is right' hint 1 --check 'the p'
offers '' hint nonsense --check ''
offers ':files .cu' run ''
offers ':files .cu' run --check ''
offers ':files .cu' check --file ''
offers ':files .html' run x.cu --timeline ''
offers "$labs" timeline ''
offers 'solution|schedule|emulator' timeline 2 --compare ''
offers 'one job|busy copies|two jobs' timeline 2 --picture ''
offers '' timeline nonsense --picture ''
# A check's name may be left out.
offers 'scale waits for the upload' timeline 2 --check scale
offers '--compare' timeline 2 --check --com
offers 'solution|schedule|emulator' timeline 2 --check --compare ''
offers ':files .html' timeline 2 -o ''
offers ':files .html' timeline 2 --output ''
offers ':files .patch' check 1 --patch ''
offers ':files ' run x.cu -- ''
offers 'bash|zsh|fish' completion ''
offers '' nonsense ''
offers '--help|--version' --
same "$("$LAB_CLI" __complete '' | wc -l)" "$("$LAB_CLI" --help | sed '1,/^Subcommands/d' | grep -c '^  [a-z]')" "commands offered"
try 0 "$LAB_CLI" __complete
try 64 "$LAB_SOURCE/lab" completion tcsh
err_has "bash, zsh or fish"

# A checkout whose ./lab is the command under test.
mkdir -p checkout/deeper
cat >checkout/lab <<'END'
#!/bin/sh
exec "$LAB_CLI" "$@"
END
chmod +x checkout/lab
echo 'int main() {}' >checkout/one.cu
echo >checkout/other.txt
mkdir 'checkout/a folder'
try 0 "$LAB_SOURCE/lab" completion bash
cp out lab.bash

# bash_offers EXPECTED FOLDER LINE : what bash has in COMPREPLY with the cursor at the end of the line
bash_offers() {
  local reply
  reply=$(cd "$2" && bash --norc -c '
    source "$1"
    compopt() { :; } # only allowed while completing
    COMP_LINE=$2 COMP_POINT=${#2}
    read -ra COMP_WORDS <<<"${2//=/ = }"
    case $2 in *" ") COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _lab lab "${COMP_WORDS[COMP_CWORD]}" ""
    printf "%s\n" "${COMPREPLY[@]}"' bash "$work/lab.bash" "$3" | paste -sd '|')
  same "$reply" "$1" "completion in bash of: $3"
}
for program in ./lab "$work/checkout/lab"; do
  bash_offers "$labs" checkout "$program check "
  bash_offers 'solution' checkout "$program so"
done
bash_offers '01_timing_pitfalls' checkout/deeper "../lab hint 01"
bash_offers 'a folder|deeper|one.cu' checkout "./lab run "
bash_offers 'one.cu' checkout "./lab check 1 --file o"
bash_offers 'junit' checkout "./lab check --format=ju"

# The scripts are what the shells take for one.
bash -n lab.bash || red "bash does not take its script"
! command -v zsh >/dev/null || zsh -n "$launcher/completion.zsh" || red "zsh does not take its script"
! command -v fish >/dev/null || fish --no-execute "$launcher/completion.fish" || red "fish does not take its script"
if command -v fish >/dev/null; then
  "$LAB_SOURCE/lab" completion fish >lab.fish
  same "$(cd checkout && fish --no-config -c "source $work/lab.fish; complete --do-complete './lab hint 1 --check warm'" | cut -f 1)" \
    "warm_ms leaves out what only the first run pays" "completion in fish"
fi
command -v script >/dev/null || finish

# As pressed on a keyboard: check names have spaces, which have to arrive as one argument.
typed() { # EXPECTED LINE-WITH-TAB
  cat >checkout/lab <<'END'
#!/bin/sh
[ "$1" = __complete ] && exec "$LAB_CLI" "$@"
printf '<%s>' "$@"
END
  { sleep 0.5; printf 'source %s/lab.bash; cd %s/checkout\n' "$work" "$work"; sleep 0.5; printf "$2"; sleep 1; printf '\n'; sleep 0.5; printf 'exit\n'; } |
    env TERM=dumb LC_ALL=C.UTF-8 PS1= script -qec 'bash --norc --noprofile' /dev/null >screen 2>err
  grep -qF -- "$1" screen || red "typing \"$2\" does not give $1: $(tail -n 4 screen)"
}
typed '<hint><1><--check><warm_ms leaves out what only the first run pays>' './lab hi\t1 --ch\twarm\t'
typed '<hint><1><--check><warm_ms leaves out what only the first run pays>' './lab hint 1 --check "warm\t'
typed '<check><01_timing_pitfalls>' './lab ch\ttim\b\b\b01\t'
typed '<run><a folder/>' './lab run a\t'
finish

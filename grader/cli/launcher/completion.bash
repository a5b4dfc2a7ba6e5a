# Completion for bash of `lab`, however it is called (./lab, ../lab, /a/path/lab): source <(./lab completion bash)

# What the shell makes of a word that may still be open: "the ev -> the ev
_lab_unquoted() {
  case $1 in
    \"*) word=${1#\"}; word=${word%\"} ;;
    \'*) word=${1#\'}; word=${word%\'} ;;
    *) word=${1//\\/} ;;
  esac
}

_lab() {
  local program=${BASH_ALIASES[${COMP_WORDS[0]}]:-${COMP_WORDS[0]}} word line
  local -a words=()
  program=${program/#\~\//$HOME/}
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    _lab_unquoted "$word"
    words+=("$word")
  done
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files*)
        compopt -o filenames
        [ "$word" != = ] || word=
        mapfile -t COMPREPLY < <(compgen -d -- "$word"; compgen -f -X "!*${line#:files }" -- "$word" |
          while IFS= read -r file; do [ -d "$file" ] || printf '%s\n' "$file"; done) ;;
      *)
        line=${line%%$'\t'*}
        case $line in *' '*) compopt -o filenames ;; esac # so that it is quoted
        COMPREPLY+=("$line") ;;
    esac
  done < <("$program" __complete "${words[@]}" 2>/dev/null)
}

complete -F _lab lab

#compdef lab
# Completion for zsh of `lab`, however it is called (./lab, ../lab, /a/path/lab): source <(./lab completion zsh)

_lab() {
  local program=${(Q)words[1]/#\~\//$HOME/} line
  local -a candidates
  for line in ${(f)"$("$program" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"}; do
    if [[ $line == :files* ]]; then
      _files -g "*${line#:files }(-.)"
      return
    fi
    # "name:description", with colons of the name escaped
    candidates+=("${${line%%$'\t'*}//:/\\:}${${(M)line:#*$'\t'*}:+:${line#*$'\t'}}")
  done
  _describe lab candidates
}

(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _lab lab

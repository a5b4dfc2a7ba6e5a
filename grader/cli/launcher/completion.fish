# Completion for fish of `lab`, however it is called (./lab, ../lab, /a/path/lab): ./lab completion fish | source

function __lab_candidates
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor | string unescape)
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    for line in ($program __complete $words[2..-1] "$current" 2>/dev/null)
        if string match --quiet ':files*' -- $line
            __fish_complete_suffix (string replace ':files ' '' -- $line)
        else
            echo $line
        end
    end
end

complete --command lab --no-files --arguments '(__lab_candidates)'

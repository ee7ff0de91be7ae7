# bash completion for fnprof-analyze: commands, options, sort keys, and the functions of the trace; else files.
_fnprof_analyze() {
    local IFS=$'\n'
    COMPREPLY=($(fnprof-analyze complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _fnprof_analyze fnprof-analyze

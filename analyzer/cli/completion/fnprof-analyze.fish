# fish completion for fnprof-analyze: commands, options, sort keys, and the functions of the trace; and files.
complete -c fnprof-analyze -a '(fnprof-analyze complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'

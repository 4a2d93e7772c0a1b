# Completions of ccfc for fish. All that is known about the command line is in
# "ccfc __complete"; see client/cli/cmd/service/cmd_complete.c.

# What fish itself would complete for a file.
function __ccfc_files
    complete -C "__ccfc_no_such_command $argv[1]"
end

function __ccfc_complete
    command -q ccfc
    or return
    set -l words (commandline -opc)[2..-1]
    set -l raw (commandline -ct)
    # A quote may be open still.
    set -l word (string unescape -- "$raw")
    or set word (string unescape -- "$raw'")
    or set word (string unescape -- "$raw\"")
    set -l lines (command ccfc __complete words $words "$word" 2>/dev/null)
    set -q lines[1]
    or return
    set -l head (string split -m 1 \t -- $lines[1])
    set -l stem "$head[2]"
    for line in $lines[2..-1]
        printf '%s%s\n' $stem $line
    end

    contains -- $head[1] files dirs
    or return
    # The rest keeps its quotes and its ~, unless these are in the stem.
    set -l at (math (string length -- "$stem") + 1)
    set -l rest (string sub -s $at -- "$raw")
    test (string sub -l (math $at - 1) -- "$raw") = "$stem"
    or set rest (string escape -- (string sub -s $at -- "$word"))
    for path in (__ccfc_files "$rest")
        test $head[1] = files
        or string match -q -r '/(\t|$)' -- $path
        or continue
        printf '%s%s\n' $stem $path
    end
end

complete -c ccfc -f -k -a '(__ccfc_complete)'

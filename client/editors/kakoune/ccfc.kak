# Which Claude Code session changed a line, and why. Put "ccfc-enable" into
# kakrc.
#
# "ccfc watch" runs in the background and pushes a command for each event with
# "kak -p". What is pushed are ids, numbers and paths, quoted; prompts are shown
# by commands of ccfc in buffers of their own.

declare-option -docstring "the last event: its type, path and session" \
    str-list ccfc_event
declare-option -hidden str ccfc_watcher
declare-option -hidden line-specs ccfc_flags
declare-option -hidden line-specs ccfc_owners
declare-option -hidden str ccfc_message
# "yes" after a change on disk while the buffer was not saved
declare-option -hidden str ccfc_behind

# Events as commands: "ccfc-take TYPE PATH SESSION WHAT". In a string of JSON
# every quote has a backslash, so that no key is found inside of one.
declare-option -hidden str ccfc_awk %{
    function field(name) {
        if (!match($0, "\"" name "\":\"([^\"\\\\]|\\\\.)*\""))
            return ""
        return plain(substr($0, RSTART + length(name) + 4,
                            RLENGTH - length(name) - 5))
    }
    function plain(s,    out, i, c) {
        out = ""
        while (i = index(s, "\\")) {
            out = out substr(s, 1, i - 1)
            c = substr(s, i + 1, 1)
            s = substr(s, i + 2)
            if (c == "n") c = "\n"
            else if (c == "t") c = "\t"
            else if (c == "r") c = "\r"
            else if (c == "b") c = "\b"
            else if (c == "f") c = "\f"
            else if (c == "u") {
                c = code(substr(s, 1, 4))
                s = substr(s, 5)
            }
            out = out c
        }
        return out s
    }
    function code(hex,    i, n) {
        n = 0
        for (i = 1; i <= 4; i++)
            n = n * 16 + index("0123456789abcdef",
                               tolower(substr(hex, i, 1))) - 1
        return n > 0 && n < 128 ? sprintf("%c", n) : "?"
    }
    function quoted(s) {
        gsub(/'/, "''", s)
        return "'" s "'"
    }
    function word(s) {
        gsub(/[^A-Za-z0-9_.-]/, "", s)
        return s
    }
    {
        type = word(field("type"))
        what = type == "conflict" ? field("kind") : field("tool")
        if (type == "change" || type == "early" || type == "conflict")
            print "ccfc-take " type " " quoted(field("path")) " " \
                quoted(substr(word(field("sessionId")), 1, 8)) " " \
                quoted(word(what))
    }
}

define-command ccfc-enable -docstring \
"follow the sessions of Claude Code: marks, messages, reloading" %{
    hook -group ccfc global WinDisplay .* %{
        try %{ add-highlighter window/ccfc flag-lines Information ccfc_flags }
        ccfc-mark
        ccfc-auto
    }
    hook -group ccfc global BufWritePost .* %{ ccfc-mark; ccfc-auto }
    hook -group ccfc global BufReload .* %{ ccfc-mark; ccfc-auto }
    hook -group ccfc global NormalKey .* ccfc-auto
    hook -group ccfc global NormalIdle .* ccfc-auto
    hook -group ccfc global ModeChange push:normal:insert %{
        try "ccfc-auto-true-%opt{autoreload}"
    }
    hook -group ccfc global KakEnd .* ccfc-stop
    ccfc-start
}

define-command ccfc-disable -docstring "end what ccfc-enable began" %{
    remove-hooks global ccfc
    ccfc-stop
    evaluate-commands -buffer * %{ unset-option buffer ccfc_flags }
    try %{ remove-highlighter window/ccfc }
}

# Kakoune looks at the file of a window by itself: it shall reload a buffer that
# is saved, and ask about one that is not. "autoreload no" stays.
define-command -hidden ccfc-auto %{
    try "ccfc-auto-%val{modified}-%opt{autoreload}"
}
define-command -hidden ccfc-auto-true-yes %{
    set-option buffer autoreload ask
}
define-command -hidden ccfc-auto-false-ask %{
    set-option buffer autoreload yes
}

define-command -hidden ccfc-stop %{
    nop %sh{
        [ -n "$kak_opt_ccfc_watcher" ] &&
            kill "$kak_opt_ccfc_watcher" 2>/dev/null
    }
    set-option global ccfc_watcher ''
}

# The watcher tries again after 0.2 s, then after twice the time, up to 10 s,
# and continues from the clock of the last event. Only the first attempt starts
# a daemon: one that was stopped stays stopped.
define-command -hidden ccfc-start %{
    evaluate-commands %sh{
        [ -n "$kak_opt_ccfc_watcher" ] && exit
        awk=$kak_opt_ccfc_awk session=$kak_session
        watch() {
            dir=$(mktemp -d) || exit
            child=
            trap 'kill $child; rm -rf "$dir"' EXIT
            trap 'exit 0' TERM INT HUP
            mkfifo "$dir/events" || exit
            clock= wait=2
            while :; do
                ccfc watch --format=jsonl --state=applied \
                    ${clock:+"--since=$clock"} >"$dir/events" &
                child=$!
                while IFS= read -r line; do
                    wait=2
                    next=$(printf '%s\n' "$line" |
                        sed -n 's/.*"clock":"\([0-9:]*\)".*/\1/p')
                    case $line in
                    *'"type":"hello"'*) clock=${clock:-$next} ;;
                    *'"type":"early"'*) ;;
                    *) clock=${next:-$clock} ;;
                    esac
                    printf '%s\n' "$line" | awk "$awk" >"$dir/command"
                    [ -s "$dir/command" ] || continue
                    kak -p "$session" <"$dir/command" || exit
                done <"$dir/events"
                export CCFC_NO_SPAWN=1
                sleep "$((wait / 10)).$((wait % 10))" &
                wait $!
                wait=$((wait * 2 > 100 ? 100 : wait * 2))
            done
        }
        cd /
        # In a shell of its own: it would keep a copy of our output open.
        (watch) </dev/null >/dev/null 2>&1 &
        printf 'set-option global ccfc_watcher %s\n' "$!"
    }
}

# An event of the watcher. The path may be that of no buffer.
define-command -hidden -params 4 ccfc-take %{
    set-option global ccfc_event %arg{1} %arg{2} %arg{3}
    try %{
        evaluate-commands -buffer %arg{2} %{
            evaluate-commands %sh{
                quote() {
                    printf "'"
                    printf %s "$1" | sed "s/'/''/g"
                    printf "' "
                }
                name=${2##*/}
                if [ "$1" = conflict ]; then
                    printf 'ccfc-say '
                    quote "ccfc: $name: conflict of session $3: $4"
                elif [ "$kak_modified" = true ]; then
                    printf 'set-option buffer ccfc_behind yes\nccfc-say '
                    quote "ccfc: session $3 changed $name; yours is not saved"
                else
                    printf 'ccfc-reload\nccfc-say '
                    quote "ccfc: $name: $4 by session $3"
                fi
            }
        }
    }
    trigger-user-hook ccfc
}

# A message in all windows.
define-command -hidden -params 1 ccfc-say %{
    set-option global ccfc_message %arg{1}
    evaluate-commands %sh{
        for client in $kak_client_list; do
            printf 'evaluate-commands -client %s ' "$client"
            printf '%%{ echo -- %%opt{ccfc_message} }\n'
        done
    }
}

define-command -hidden ccfc-reload %{
    try %{ edit! -existing %val{buffile} }
    set-option buffer ccfc_behind ''
    ccfc-mark
}

# Signs at the lines of the session that wrote last. A buffer that is not saved
# keeps its marks, which move with the lines.
define-command -hidden ccfc-mark %{
    nop %sh{
        case $kak_buffile in /*) ;; *) exit ;; esac
        [ "$kak_modified" = false ] || exit
        [ "$kak_buffile" = "$kak_bufname" ] || [ -f "$kak_buffile" ] || exit
        mark() {
            flags=$(ccfc blame --blocks --format=jsonl "$kak_buffile" | awk '
                function text(name) {
                    if (!match($0, "\"" name "\":\"[^\"]*\""))
                        return ""
                    return substr($0, RSTART + length(name) + 4,
                                  RLENGTH - length(name) - 5)
                }
                function number(name) {
                    match($0, "\"" name "\":[0-9]+")
                    return substr($0, RSTART + length(name) + 3,
                                  RLENGTH - length(name) - 3) + 0
                }
                /"kind":"session"/ {
                    start[NR] = number("start")
                    end[NR] = number("end")
                    by[NR] = text("sessionId")
                    if (text("timestamp") > newest) {
                        newest = text("timestamp")
                        last = by[NR]
                    }
                }
                END {
                    for (n = 1; n <= NR; n++)
                        for (i = start[n]; i && by[n] == last && i <= end[n];
                             i++)
                            printf " %d|▎", i
                }')
            path=$(printf %s "$kak_buffile" | sed "s/'/''/g")
            printf "try %%{ evaluate-commands -buffer '%s' " "$path"
            printf "'set-option buffer ccfc_flags %s%s' }\n" \
                "$kak_timestamp" "$flags"
        }
        (mark | kak -p "$kak_session") </dev/null >/dev/null 2>&1 &
    }
}

# Runs "ccfc …" and shows what it prints.
define-command -hidden -params 1.. ccfc-show %{
    evaluate-commands %sh{
        dir=$(mktemp -d) || exit
        mkfifo "$dir/fifo"
        # Kakoune opens the pipe after this shell has closed its output.
        ({
            ccfc "$@" --color=never --no-pager
            rm -rf "$dir"
        } >"$dir/fifo" 2>&1) </dev/null >/dev/null 2>&1 &
        printf "edit! -fifo '%s' -readonly *ccfc*\n" "$dir/fifo"
        printf "set-option buffer filetype diff\n"
    }
}

define-command ccfc-why -docstring \
"what is behind this line: the prompt, the answer, the change" %{
    ccfc-show why "%val{buffile}:%val{cursor_line}"
}

define-command ccfc-blame -docstring "who wrote each line of this file" %{
    ccfc-show blame --show=session,model,prompt %val{buffile}
}

define-command ccfc-log -docstring "the history of this file, with diffs" %{
    ccfc-show log -p %val{buffile}
}

define-command ccfc-diff -params 1 -docstring \
"ccfc-diff <session or change>: what it changed" %{
    ccfc-show diff %arg{1}
}

define-command ccfc-files -params 1 -docstring \
"ccfc-files <session>: the files that a session changed" %{
    ccfc-show list %arg{1} --format=paths
}

define-command ccfc-restore -params 1 -docstring \
"ccfc-restore <when>: write this file as it was, see 'ccfc help restore'" %{
    ccfc-show restore %val{buffile} "--at=%arg{1}"
}

define-command ccfc-changed -docstring \
"the differences between the buffer and the file on disk" %{
    evaluate-commands %sh{
        dir=$(mktemp -d) || exit
        path=$(printf %s "$kak_buffile" | sed "s/'/''/g")
        printf "write -force '%s/mine'\n" "$dir"
        printf "ccfc-compare '%s' '%s'\n" "$dir" "$path"
    }
}

define-command -hidden -params 2 ccfc-compare %{
    evaluate-commands %sh{
        mkfifo "$1/fifo"
        ({
            diff -u "$2" "$1/mine"
            rm -rf "$1"
        } >"$1/fifo" 2>&1) </dev/null >/dev/null 2>&1 &
        printf "edit! -fifo '%s' -readonly *ccfc*\n" "$1/fifo"
        printf "set-option buffer filetype diff\n"
    }
}

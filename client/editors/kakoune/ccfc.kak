# Which Claude Code session changed a line, and why. Put "ccfc-enable" into
# kakrc.
#
# "ccfc watch" runs in the background and pushes a command for each event with
# "kak -p". Texts of transcripts are data in these commands: one line without
# control characters, in quotes.

declare-option -docstring "the last event: its type, path and session" \
    str-list ccfc_event
declare-option -hidden str ccfc_watcher
declare-option -hidden str ccfc_message
# "yes" after a change on disk while the buffer was not saved
declare-option -hidden str ccfc_behind
# Sessions whose lines have marks: the one that wrote last, and those that wrote
# since the file is open.
declare-option -hidden str-list ccfc_seen
declare-option -hidden line-specs ccfc_flags
declare-option -hidden line-specs ccfc_owners
# Texts behind the first lines of their blocks, and behind the cursor's line.
declare-option -hidden range-specs ccfc_texts
declare-option -hidden range-specs ccfc_line
# Lines of ccfc_texts; the line of ccfc_line.
declare-option -hidden str ccfc_told
declare-option -hidden str ccfc_line_at
# "yes": no texts are shown until the buffer is what is on disk.
declare-option -hidden str ccfc_hidden
# Arguments for "ccfc-restore-write".
declare-option -hidden str-list ccfc_restore

# Reads lines of JSON. In a string of JSON every quote has a backslash, so that
# no key is found inside a string. Bytes are characters here (LC_ALL=C).
declare-option -hidden str ccfc_awk %{
    function field(name) {
        if (!match($0, "\"" name "\":\"([^\"\\\\]|\\\\.)*\""))
            return ""
        return plain(substr($0, RSTART + length(name) + 4,
                            RLENGTH - length(name) - 5))
    }
    function number(name) {
        if (!match($0, "\"" name "\":[0-9]+"))
            return 0
        return substr($0, RSTART + length(name) + 3,
                      RLENGTH - length(name) - 3) + 0
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
    function swap(s, from, to,    out, i) {
        out = ""
        while (i = index(s, from)) {
            out = out substr(s, 1, i - 1) to
            s = substr(s, i + length(from))
        }
        return out s
    }
    function quoted(s) {
        return "'" swap(s, "'", "''") "'"
    }
    function word(s) {
        gsub(/[^A-Za-z0-9_.#-]/, "", s)
        return s
    }
    # One line: no control characters, no marks of direction, nothing unseen.
    function line(s, most) {
        gsub(/[\001-\037\177]+/, " ", s)
        gsub(/\302[\200-\237]/, " ", s)
        gsub(/\342\200[\213-\217\250-\256]/, " ", s)
        gsub(/\342\201[\240-\251]/, " ", s)
        gsub(/\357\273\277/, " ", s)
        if (length(s) <= most)
            return s
        s = substr(s, 1, most)
        sub(/[\300-\377][\200-\277]*$/, "", s)
        return s "…"
    }
    function session() {
        return substr(word(field("sessionId")), 1, 8)
    }
    function model(    s) {
        s = word(field("model"))
        sub(/^claude-/, "", s)
        sub(/-[0-9]+$/, "", s)
        return substr(s, 1, 20)
    }
    # Commands in the context of a buffer (see ccfc-take), written in pieces
    # between these two. All in quotes, since a block ends at a brace in a text.
    function begin() {
        printf "%s", "try 'evaluate-commands -buffer *debug* ''"
        put("buffer " quoted(ENVIRON["kak_buffile"]))
    }
    function put(piece) {
        printf "%s", swap(piece, "'", "''''")
    }
    function finish() {
        print "'''"
    }
    # Ends here unless the condition holds by now: the user goes on typing while
    # the answer is made.
    function only_if(condition, otherwise) {
        put("\nevaluate-commands %sh{ [ " condition " ] || printf '" \
            otherwise "fail late\n' }")
    }
    # The beginning of a list that moves with the lines of the buffer.
    function list(name) {
        put("\nset-option buffer " name " " ENVIRON["kak_timestamp"])
    }
    # For a list of ranges, in which "|" and "\" mean something; after "{\}" no
    # brace does.
    function behind(row, column, s) {
        s = swap(swap(s, "\\", "\\\\"), "|", "\\|")
        return " " quoted(row "." column "+0|{comment}{\\}  " s)
    }
}

# Events as commands: "ccfc-take TYPE PATH SESSION WHAT".
declare-option -hidden str ccfc_awk_events %{
    function conflict(    other) {
        other = substr(word(field("otherSessionId")), 1, 8)
        return swap(word(field("kind")), "_", " ") ": session " session() \
            " and " (other ? "session " other : "somebody outside of sessions")
    }
    {
        type = word(field("type"))
        what = type == "conflict" ? conflict() : word(field("tool"))
        if (type == "hello" || type == "fresh" || type == "forgotten")
            print "ccfc-refresh"
        else if (/"withdrawn":true/)
            print "ccfc-take withdrawn " quoted(field("path")) " '' ''"
        else if (type == "change" || type == "early" || type == "conflict")
            print "ccfc-take " type " " quoted(field("path")) " " \
                quoted(session()) " " quoted(what)
    }
}

# Turns the blocks of "ccfc blame", an empty line and the file into options of
# the buffer. The file shows where its lines end.
declare-option -hidden str ccfc_awk_marks %{
    function label() {
        if (field("kind") != "session")
            return word(field("kind"))
        return session() " " model()
    }
    NR == 1 {
        split(ENVIRON["kak_opt_ccfc_seen"], sessions, " ")
        for (i in sessions)
            seen[sessions[i]] = 1
        begin()
        list("ccfc_owners")
    }
    !blocks_end && /^$/ {
        blocks_end = NR
        list("ccfc_flags")
        for (i = 1; i <= n; i++) {
            if (by[i] == "" || (by[i] != last && !(by[i] in seen)))
                continue
            seen[by[i]] = 1
            for (row = start[i]; row <= end[i] && count < 5000; row++) {
                put(" " row "|▎")
                count++
            }
            if (told++ < 1000)
                first[start[i]] = i
        }
        put("\nset-option buffer ccfc_seen")
        for (id in seen)
            put(" " quoted(id))
        only_if("\"$kak_modified\" = false",
                "set-option buffer ccfc_hidden yes\\n")
        list("ccfc_texts")
        next
    }
    !blocks_end {
        n++
        start[n] = number("start")
        end[n] = number("end")
        by[n] = field("kind") == "session" ? session() : ""
        about[n] = session() " " line(field("prompt"), 60)
        if (by[n] != "" && field("timestamp") > newest) {
            newest = field("timestamp")
            last = by[n]
        }
        for (row = start[n]; row <= end[n] && row < 20000; row++)
            put(" " quoted(row "|{\\}" (row == start[n] ? label() : "│")))
        next
    }
    {
        row = NR - blocks_end
        if (!(row in first))
            next
        sub(/\r$/, "")
        if (row == 1)
            sub(/^\357\273\277/, "")
        put(behind(row, length($0) + 1, about[first[row]]))
        rows = rows row " "
    }
    END {
        put("\nset-option buffer ccfc_told " quoted(" " rows) \
            "\nset-option buffer ccfc_line_at ''" \
            "\nset-option buffer ccfc_hidden ''")
        finish()
    }
}

# The same for the line under the cursor.
declare-option -hidden str ccfc_awk_line %{
    field("kind") == "session" {
        begin()
        only_if("\"$kak_opt_ccfc_line_at\" = " ENVIRON["kak_timestamp"] "." \
                ENVIRON["kak_cursor_line"], "")
        list("ccfc_line")
        put(behind(ENVIRON["kak_cursor_line"], ENVIRON["kak_cursor_column"],
                   session() " " model() " · " line(field("prompt"), 100)))
        finish()
    }
}

define-command ccfc-enable -docstring \
"follow the sessions of Claude Code: marks, messages, reloading" %{
    hook -group ccfc global WinDisplay .* %{ ccfc-window; ccfc-mark; ccfc-auto }
    hook -group ccfc global BufWritePost .* %{ ccfc-mark; ccfc-auto }
    hook -group ccfc global BufReload .* %{ ccfc-mark; ccfc-auto }
    hook -group ccfc global NormalKey .* ccfc-auto
    hook -group ccfc global NormalIdle .* %{ ccfc-auto; ccfc-line }
    hook -group ccfc global ModeChange push:normal:insert %{
        try "ccfc-auto-true-%opt{autoreload}"
        ccfc-hide
    }
    hook -group ccfc global KakEnd .* ccfc-stop
    # There is a window already, unless this is kakrc.
    ccfc-window
    ccfc-start
}

define-command -hidden ccfc-window %{
    try %{ add-highlighter window/ccfc flag-lines Information ccfc_flags }
    try %{ add-highlighter window/ccfc-texts replace-ranges ccfc_texts }
    try %{ add-highlighter window/ccfc-line replace-ranges ccfc_line }
}

define-command ccfc-disable -docstring "end what ccfc-enable began" %{
    remove-hooks global ccfc
    ccfc-stop
    evaluate-commands -buffer * %{
        unset-option buffer ccfc_flags
        unset-option buffer ccfc_owners
        unset-option buffer ccfc_texts
        unset-option buffer ccfc_line
    }
    try %{ remove-highlighter window/ccfc }
    try %{ remove-highlighter window/ccfc-texts }
    try %{ remove-highlighter window/ccfc-line }
    try %{ remove-highlighter window/ccfc-blame }
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
# and continues from the clock of the last event. A crashed daemon is started
# again; a stopped daemon stays so.
define-command -hidden ccfc-start %{
    evaluate-commands %sh{
        [ -n "$kak_opt_ccfc_watcher" ] && exit
        awk="$kak_opt_ccfc_awk $kak_opt_ccfc_awk_events" session=$kak_session
        editor=$PPID
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
                    printf '%s\n' "$line" |
                        LC_ALL=C awk "$awk" >"$dir/command"
                    [ -s "$dir/command" ] || continue
                    kak -p "$session" <"$dir/command" || exit
                done <"$dir/events"
                export CCFC_NO_SPAWN="${CCFC_NO_SPAWN:-stopped}"
                sleep "$((wait / 10)).$((wait % 10))" &
                wait $!
                # An editor that crashed has not called ccfc-stop.
                kill -0 "$editor" || exit
                wait=$((wait * 2 > 100 ? 100 : wait * 2))
            done
        }
        cd /
        # In a shell of its own: it would keep a copy of our output open.
        (watch) </dev/null >/dev/null 2>&1 &
        printf 'set-option global ccfc_watcher %s\n' "$!"
    }
}

# The daemon is connected, cannot tell which events were missed, or has
# forgotten something.
define-command -hidden ccfc-refresh %{
    evaluate-commands -buffer * ccfc-mark
}

# Handles an event of the watcher. The path may belong to no buffer; a name in
# "-buffer" would end at a comma.
define-command -hidden -params 4 ccfc-take %{
    set-option global ccfc_event %arg{1} %arg{2} %arg{3}
    try %{
        evaluate-commands -buffer *debug* %{
            buffer %arg{2}
            evaluate-commands %sh{
                quote() {
                    printf "'"
                    printf %s "$1" | sed "s/'/''/g"
                    printf "' "
                }
                name=${2##*/}
                if [ "$1" = withdrawn ]; then
                    printf 'ccfc-mark\n'
                elif [ "$1" = conflict ]; then
                    printf 'ccfc-say '
                    quote "ccfc: $name: $4"
                elif [ "$kak_modified" = true ]; then
                    printf 'set-option buffer ccfc_behind yes\nccfc-say '
                    quote "ccfc: session $3 changed $name; yours is not saved"
                else
                    printf 'set-option -add buffer ccfc_seen '
                    quote "$3"
                    printf '\nccfc-reload\nccfc-say '
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

# Who wrote the lines, as marks and texts. A buffer that is not saved keeps its
# marks, which move with the lines.
define-command -hidden ccfc-mark %{
    nop %sh{
        case $kak_buffile in /*) ;; *) exit ;; esac
        [ "$kak_modified" = false ] && [ -f "$kak_buffile" ] || exit
        export kak_buffile kak_timestamp kak_opt_ccfc_seen
        export CCFC_NO_SPAWN="${CCFC_NO_SPAWN:-stopped}"
        mark() {
            blocks=$(ccfc blame --blocks --format=jsonl "$kak_buffile")
            [ $? -le 1 ] || return
            { [ -z "$blocks" ] || printf '%s\n' "$blocks"
              echo; cat <"$kak_buffile"; } |
                LC_ALL=C awk "$kak_opt_ccfc_awk $kak_opt_ccfc_awk_marks"
        }
        (mark | kak -p "$kak_session") </dev/null >/dev/null 2>&1 &
    }
}

# Hides the texts: what the user types at the end of a line would stand behind
# its text.
define-command -hidden ccfc-hide %{
    set-option buffer ccfc_texts %val{timestamp}
    set-option buffer ccfc_line %val{timestamp}
    set-option buffer ccfc_line_at ''
    set-option buffer ccfc_hidden yes
}

# Who wrote the line under the cursor, and for which prompt. The first line of a
# marked block has such a text already.
define-command -hidden ccfc-line %{
    evaluate-commands -draft %{
        execute-keys 'x;'
        evaluate-commands %sh{
            at=$kak_timestamp.$kak_cursor_line
            case $kak_buffile in /*) ;; *) exit ;; esac
            case $kak_modified-$kak_opt_ccfc_hidden in
            true-) echo ccfc-hide; exit ;;
            true-yes) exit ;;
            false-yes) printf 'set-option buffer ccfc_hidden ""\nccfc-mark\n'
            esac
            [ "$at" = "$kak_opt_ccfc_line_at" ] && exit
            printf 'set-option buffer ccfc_line_at %s\n' "$at"
            printf 'set-option buffer ccfc_line %s\n' "$kak_timestamp"
            case $kak_opt_ccfc_told in *" $kak_cursor_line "*) exit ;; esac
            export kak_buffile kak_timestamp kak_cursor_line kak_cursor_column
            export CCFC_NO_SPAWN="${CCFC_NO_SPAWN:-stopped}"
            (ccfc blame --blocks --format=jsonl -L "$kak_cursor_line,+1" \
                "$kak_buffile" |
                LC_ALL=C awk "$kak_opt_ccfc_awk $kak_opt_ccfc_awk_line" |
                kak -p "$kak_session") </dev/null >/dev/null 2>&1 &
        }
    }
}

define-command ccfc-blame -docstring "show or hide who wrote each line" %{
    try %{
        add-highlighter window/ccfc-blame flag-lines comment ccfc_owners
    } catch %{
        remove-highlighter window/ccfc-blame
    }
}

# ccfc-show BUFFER FIELD ARGUMENT…: runs "ccfc ARGUMENT…" and shows what it
# prints. With a FIELD, that field of the line's block is the last argument.
define-command -hidden -params 3.. ccfc-show %{
    evaluate-commands %sh{
        buffer=$1 field=$2
        shift 2
        if [ -n "$field" ] && [ "$kak_modified" = true ]; then
            echo "fail 'ccfc knows the file on disk: write it first'"
            exit
        fi
        dir=$(mktemp -d) || exit
        mkfifo "$dir/fifo"
        show() {
            if [ -n "$field" ]; then
                id=$(ccfc blame --blocks --format=jsonl \
                    -L "$kak_cursor_line,+1" "$kak_buffile" |
                    LC_ALL=C awk "$kak_opt_ccfc_awk"' {
                        print word(field("'"$field"'")) }')
                if [ -z "$id" ]; then
                    echo "no session wrote this line, as far as is known"
                    return
                fi
                set -- "$@" "$id"
            fi
            ccfc "$@" --no-pager
        }
        # Kakoune opens the pipe after this shell has closed its output.
        ({
            show "$@"
            rm -rf "$dir"
        } >"$dir/fifo" 2>&1) </dev/null >/dev/null 2>&1 &
        printf "edit! -fifo '%s' -readonly %s\n" "$dir/fifo" "$buffer"
        printf "set-option buffer filetype diff\n"
    }
}

define-command ccfc-why -docstring \
"what is behind this line: the prompt, the answer, the change" %{
    evaluate-commands %sh{
        [ "$kak_modified" = false ] ||
            echo "fail 'ccfc knows the file on disk: write it first'"
    }
    ccfc-show *ccfc* '' why "%val{buffile}:%val{cursor_line}" --color=never
}

define-command ccfc-log -docstring "the history of this file, with diffs" %{
    ccfc-show *ccfc* '' log -p %val{buffile} --color=never
}

define-command ccfc-diff -params 0..1 -docstring \
"ccfc-diff [<session or change>]: what it changed
Default: the change that wrote this line" %{
    evaluate-commands %sh{
        if [ $# -eq 0 ]; then
            echo 'ccfc-show *ccfc* changeId diff --color=never'
        else
            echo 'ccfc-show *ccfc* "" diff --color=never %arg{1}'
        fi
    }
}

define-command ccfc-files -params 0..1 -docstring \
"ccfc-files [<session>]: the files of a session; default: who wrote this line
<ret> opens a file, ccfc-next-file and ccfc-previous-file those beside it" %{
    evaluate-commands %sh{
        if [ $# -eq 0 ]; then
            echo 'ccfc-show *ccfc-files* sessionId list --format=paths'
        else
            echo 'ccfc-show *ccfc-files* "" list --format=paths %arg{1}'
        fi
    }
    map buffer normal <ret> ': ccfc-open-file<ret>'
}

define-command -hidden ccfc-open-file %{
    evaluate-commands -save-regs a %{
        evaluate-commands -draft %{
            execute-keys 'xH"ay'
        }
        edit -existing %reg{a}
    }
}

define-command ccfc-next-file -docstring "the next file of ccfc-files" %{
    buffer *ccfc-files*
    execute-keys j
    ccfc-open-file
}

define-command ccfc-previous-file -docstring "the one before it" %{
    buffer *ccfc-files*
    execute-keys k
    ccfc-open-file
}

define-command ccfc-restore -params 1 -docstring \
"ccfc-restore <when>: this file as it was, see 'ccfc help restore'
Shows what would change; <ret> there, or ccfc-restore-write, writes it" %{
    evaluate-commands %sh{
        [ "$kak_modified" = false ] || echo "fail 'write the buffer first'"
    }
    set-option global ccfc_restore %val{buffile} "--at=%arg{1}"
    ccfc-show *ccfc-restore* '' restore %opt{ccfc_restore} --dry-run \
        --color=never
    map buffer normal <ret> ': ccfc-restore-write<ret>'
    echo 'nothing is written yet: <ret> writes it'
}

define-command ccfc-restore-write -docstring "write what ccfc-restore showed" %{
    evaluate-commands %sh{
        eval "set -- $kak_quoted_opt_ccfc_restore"
        [ $# -eq 2 ] || echo "fail 'ccfc-restore comes first'"
    }
    ccfc-show *ccfc* '' restore %opt{ccfc_restore} --color=never
    set-option global ccfc_restore
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

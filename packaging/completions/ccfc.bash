# shellcheck shell=bash
# Completions of ccfc for bash (4.4 and later). All that is known about the
# command line is in "ccfc __complete"; see client/cli/cmd/service/cmd_complete.c.

_ccfc() {
	local head

	mapfile -t COMPREPLY < <(command ccfc __complete bash \
		"${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	head=${COMPREPLY[0]}
	COMPREPLY=("${COMPREPLY[@]:1}")
	compopt -o nosort 2>/dev/null

	case $head in
	files* | dirs*)
		if [[ $2 == *\$* || $2 == "~"* ]]; then
			# $HOME/ and ~name/ are bash's own business.
			compopt -o default
		elif [[ $head == *$'\t' ]]; then
			# Paths are listed by their last part. They are quoted
			# already: readline would not quote deleted files.
			compopt -o filenames -o noquote
		fi
		;;
	esac
	if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:/] ]]; then
		compopt -o nospace
	fi
}

complete -F _ccfc ccfc

/*
 * Programs that change no file, and programs that run others on many files. A
 * program in no table may do anything. See shell_walk.h.
 */
#include "shell/shell_walk.h"

/* ---- programs that change none ---- */

/* Whatever their arguments. */
static const char readers[] =
	"cat ls echo test grep egrep fgrep zgrep head tail wc cut tr cmp "
	"comm join paste nl tac rev fold fmt column expand od "
	"hexdump strings stat du df which whereis type command "
	"hash printenv id whoami groups uname nproc uptime free "
	"arch getconf ps pgrep pidof lsof ss kill pkill sleep "
	"wait jobs basename dirname realpath readlink seq expr "
	"md5sum sha1sum sha256sum sha512sum cksum sum b2sum "
	"shasum jq base64 man help ulimit umask shift times dirs "
	"locale tput clear stty tty mkdir rmdir chmod chown chgrp "
	"sync shellcheck ping nslookup dig host";

/*
 * Programs that write only with the options `but` ("-o" also among other
 * letters), or with more than `operands` operands, of which the last is
 * written; -1: any number.
 */
static const struct reader {
	const char *name;
	const char *but;
	int operands;
} choosy_readers[] = {
	{ "rg", "--pre", -1 },
	{ "sort", "-o --output", -1 },
	{ "uniq", "", 1 },
	{ "diff", "--output", -1 },
	{ "xxd", "-r", 1 },
	{ "file", "-C --compile", -1 },
	{ "tree", "-o", -1 },
	{ "env", "", 0 },
	{ "date", "-s --set", -1 },
	{ "hostname", "", 0 },
	{ "iconv", "-o --output", -1 },
	{ "cloc", "--out", -1 },
	{ "curl",
	  "-o -O -J -D -c -K -T --output --remote --dump-header --cookie-jar "
	  "--trace --stderr --libcurl --hsts --etag-save --alt-svc --config",
	  -1 },
};

bool ccfc_sh_is_listed(const char *list, struct ccfc_slice name)
{
	while (*list && name.len) {
		size_t n = 1;

		while (list[n] && list[n] != ' ')
			n++;
		if (*list == *name.ptr && n == name.len &&
		    !memcmp(list, name.ptr, n))
			return true;
		list += n;
		while (*list == ' ')
			list++;
	}
	return false;
}

/* Is the argument one of the options in `but`? */
static bool has_option(const char *but, const struct ccfc_sh_field *arg)
{
	struct ccfc_slice text = arg->text;

	if (!*but)
		return false;
	if (!arg->known)
		return arg->loose;
	if (text.len < 2 || text.ptr[0] != '-')
		return false;
	while (*but) {
		size_t n = strcspn(but, " ");

		if (n == 2 && text.ptr[1] != '-' &&
		    memchr(text.ptr + 1, but[1], text.len - 1))
			return true;
		if (n > 2 && text.len >= n && !memcmp(text.ptr, but, n))
			return true;
		but += n;
		but += strspn(but, " ");
	}
	return false;
}

static bool reads_with(const struct reader *reader,
		       const struct ccfc_sh_call *call)
{
	int operands = 0;

	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (has_option(reader->but, arg))
			return false;
		if (!arg->known || arg->text.len < 2 || arg->text.ptr[0] != '-')
			operands += arg->loose || arg->glob ? 2 : 1;
	}
	return reader->operands < 0 || operands <= reader->operands;
}

bool ccfc_sh_only_reads(const struct ccfc_sh_call *call)
{
	const size_t n = sizeof(choosy_readers) / sizeof(*choosy_readers);

	for (size_t i = 0; i < n; i++)
		if (ccfc_slice_is(call->name, choosy_readers[i].name))
			return reads_with(&choosy_readers[i], call);
	return ccfc_sh_is_listed(readers, call->name);
}

/* ---- programs that run others on many files ---- */

/* Does the command in the arguments from `i` on only read? */
static bool inner_reads(const struct ccfc_sh_call *call, uint32_t i)
{
	struct ccfc_sh_call inner;

	if (i >= call->n || !call->args[i].known)
		return false;
	inner = (struct ccfc_sh_call){ .name = call->args[i].text,
				       .args = call->args + i + 1,
				       .n = call->n - i - 1 };
	return ccfc_sh_only_reads(&inner);
}

static bool find_only_reads(const struct ccfc_sh_call *call)
{
	static const char *const writing[] = { "-delete",  "-fprint",
					       "-fprint0", "-fprintf",
					       "-fls",	   "-ok",
					       "-okdir" };

	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (arg->loose && !arg->glob)
			return false;
		for (size_t k = 0; k < sizeof(writing) / sizeof(*writing); k++)
			if (ccfc_sh_is(arg, writing[k]))
				return false;
		if ((ccfc_sh_is(arg, "-exec") || ccfc_sh_is(arg, "-execdir")) &&
		    !inner_reads(call, i + 1))
			return false;
	}
	return true;
}

static bool xargs_only_reads(const struct ccfc_sh_call *call)
{
	uint32_t i = 0;

	while (i < call->n && call->args[i].known && call->args[i].text.len &&
	       call->args[i].text.ptr[0] == '-') {
		struct ccfc_slice option = call->args[i++].text;

		/* These options have a value, usually as a separate word. */
		i += option.len == 2 && strchr("IndPLs", option.ptr[1]) != NULL;
	}
	return i == call->n || inner_reads(call, i);
}

/* Is it an awk program without output to files or programs? */
static bool awk_only_reads(const struct ccfc_sh_call *call)
{
	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (!arg->known || ccfc_slice_contains(arg->text, ">") ||
		    ccfc_slice_contains(arg->text, "|") ||
		    ccfc_slice_contains(arg->text, "system") ||
		    ccfc_slice_starts(arg->text, "-f") ||
		    ccfc_slice_starts(arg->text, "-i") ||
		    ccfc_slice_starts(arg->text, "--"))
			return false;
	}
	return true;
}

/* cat without files copies its input. */
static void run_cat(struct ccfc_sh_call *call)
{
	if (!call->n || (call->n == 1 && ccfc_sh_is(&call->args[0], "-")))
		call->out = call->in;
}

static const struct {
	const char *name;
	bool (*only_reads)(const struct ccfc_sh_call *call);
} runners[] = {
	{ "find", find_only_reads }, { "xargs", xargs_only_reads },
	{ "awk", awk_only_reads },   { "gawk", awk_only_reads },
	{ "mawk", awk_only_reads },
};

void ccfc_sh_command(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	if (ccfc_slice_is(call->name, "git")) {
		ccfc_sh_git(w, call);
		return;
	}
	if (ccfc_sh_program(w, call))
		return;
	for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (ccfc_slice_is(call->name, runners[i].name)) {
			if (!runners[i].only_reads(call))
				ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET,
					       call->name);
			return;
		}
	if (!ccfc_sh_only_reads(call)) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM, call->name);
		return;
	}
	call->steady = ccfc_slice_is(call->name, "mkdir") ||
		       ccfc_slice_is(call->name, "chmod") ||
		       ccfc_slice_is(call->name, "sleep");
	if (ccfc_slice_is(call->name, "cat"))
		run_cat(call);
}

/* ccfc cat: a file as it was. */
#include "cli/frame/connect.h"
#include "cli/frame/moment.h"
#include "cli/out/render.h"
#include "cli/write/old_content.h"

enum { OPT_AT, OPT_PARTIAL, OPT_FORMAT };
enum { FORMAT_RAW, FORMAT_JSON };

static const struct ccfc_opt options[] = {
	[OPT_AT] = CCFC_AT_OPTION,
	[OPT_PARTIAL] = { "partial", 0, CCFC_OPT_FLAG, NULL,
			  "if not all of it is known, the lines that are", NULL,
			  0, 0 },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "raw (default), also to a terminal, or json",
			 "raw|json", 0, 0 },
	{ 0 },
};

/* Asked for in so many words: then a terminal gets them too. */
static bool is_raw(const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *format = ccfc_opts_own(opts, OPT_FORMAT);

	return format->set && format->num == FORMAT_RAW;
}

/* "FILE" or "FILE at WHEN", as the user put it. */
static void name_it(struct ccfc_buf *out, const struct ccfc_opts *opts)
{
	const char *at = ccfc_opts_own(opts, OPT_AT)->text;

	ccfc_buf_puts(out, opts->args[0]);
	if (at)
		ccfc_buf_printf(out, " at %s", at);
}

/* Lines on a terminal are made safe; elsewhere content is what it is. */
static void print_content(struct ccfc_out *out, struct ccfc_slice content,
			  bool raw)
{
	const char *p = content.ptr, *end = p + content.len;

	if (!content.len)
		return;
	if (!out->tty || raw) {
		ccfc_buf_slice(&out->buf, content);
		ccfc_out_check(out);
		return;
	}
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		ccfc_out_content(out, ccfc_slice(p, (size_t)(stop - p)));
		if (nl)
			ccfc_buf_putc(&out->buf, '\n');
		ccfc_out_check(out);
		p = stop + 1;
	}
}

static void add_range(struct ccfc_buf *out, int64_t from, int64_t to)
{
	ccfc_buf_printf(out, "%s%lld", out->len ? ", " : "", (long long)from);
	if (to > from)
		ccfc_buf_printf(out, "-%lld", (long long)to);
}

/* Prints what is known; `gaps` names what lies between. */
static void print_parts(struct ccfc_out *out, struct ccfc_obj parts, bool raw,
			struct ccfc_buf *gaps)
{
	int64_t next = 1;

	for (uint32_t i = 0; i < ccfc_obj_len(parts); i++) {
		struct ccfc_obj part = ccfc_obj_at(parts, i);
		struct ccfc_slice text = ccfc_obj_get_str(part, "text");
		int64_t line = ccfc_obj_get_int(part, "line", next);
		int64_t lines = ccfc_obj_get_int(part, "lines", 0);

		if (line > next)
			add_range(gaps, next, line - 1);
		print_content(out, text, raw);
		/* The next part begins on a line of its own. */
		if (text.len && !ccfc_slice_ends(text, "\n"))
			ccfc_buf_putc(&out->buf, '\n');
		if (lines > 0 && line < INT64_MAX - lines)
			next = line + lines;
	}
	ccfc_buf_printf(gaps, "%s%lld and on", gaps->len ? ", " : "",
			(long long)next);
}

static int show_partial(struct ccfc_cli *cli, const struct ccfc_opts *opts,
			const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	struct ccfc_buf gaps = CCFC_BUF_INIT;
	bool raw = is_raw(opts);

	name_it(&name, opts);
	ccfc_old_content_words(&words, past);
	print_parts(&cli->out, past->parts, raw, &gaps);
	ccfc_cli_note("%s: %s", name.ptr, words.ptr);
	ccfc_cli_note("%s: not known: lines %s", name.ptr, gaps.ptr);
	ccfc_buf_release(&name);
	ccfc_buf_release(&words);
	ccfc_buf_release(&gaps);
	return CCFC_EXIT_FOUND;
}

/* Says why there is nothing to print; returns the exit status. */
static int refuse_cat(const struct ccfc_opts *opts,
		      const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	struct ccfc_err err;

	name_it(&name, opts);
	ccfc_old_content_words(&words, past);
	if (past->how == CCFC_OLD_CONTENT_ABSENT)
		ccfc_err_set(&err, CCFC_ENOTFOUND,
			     "cat: %s: the file did not exist then", name.ptr);
	else
		ccfc_err_set(&err, CCFC_EIO, "cat: %s: %s", name.ptr,
			     words.ptr);
	if (past->how == CCFC_OLD_CONTENT_PARTIAL)
		ccfc_err_hint(&err, "--partial prints the lines that are "
				    "known");
	ccfc_buf_release(&name);
	ccfc_buf_release(&words);
	return ccfc_cli_fail(&err);
}

static int show_content(struct ccfc_cli *cli, const struct ccfc_opts *opts,
			const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	bool raw = is_raw(opts);

	name_it(&name, opts);
	ccfc_old_content_words(&words, past);
	if (past->how != CCFC_OLD_CONTENT_EXACT)
		ccfc_cli_note("%s: %s", name.ptr, words.ptr);
	if (cli->out.tty && !raw && ccfc_old_content_is_binary(past->content))
		ccfc_cli_note("%s: %zu bytes of binary content are not "
			      "printed to a terminal; --format=raw does it",
			      name.ptr, past->content.len);
	else
		print_content(&cli->out, past->content, raw);
	ccfc_buf_release(&name);
	ccfc_buf_release(&words);
	return CCFC_EXIT_FOUND;
}

static int answer(struct ccfc_cli *cli, const struct ccfc_opts *opts,
		  struct ccfc_obj reply)
{
	struct ccfc_old_content past;

	ccfc_cli_note_indexing(reply);
	ccfc_old_content_read(&past, reply);
	if (ccfc_opts_own(opts, OPT_FORMAT)->num == FORMAT_JSON) {
		ccfc_render_json(&cli->out, reply, 2);
		return past.how == CCFC_OLD_CONTENT_ABSENT ? CCFC_EXIT_NOTHING
		       : past.how == CCFC_OLD_CONTENT_NOTHING ? CCFC_EXIT_ERROR
							      : CCFC_EXIT_FOUND;
	}
	if (past.how == CCFC_OLD_CONTENT_PARTIAL &&
	    ccfc_opts_own(opts, OPT_PARTIAL)->set)
		return show_partial(cli, opts, &past);
	if (past.how == CCFC_OLD_CONTENT_EXACT ||
	    past.how == CCFC_OLD_CONTENT_RECONSTRUCTED)
		return show_content(cli, opts, &past);
	return refuse_cat(opts, &past);
}

static int run_cat(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply;
	struct ccfc_err err;
	int status;

	if (!*opts->args[0]) {
		ccfc_err_set(&err, CCFC_EINVAL, "cat: the path is empty");
		return ccfc_cli_fail(&err);
	}
	if (ccfc_at_ask(&reply, cli, opts->args[0],
			ccfc_opts_own(opts, OPT_AT)->text, &err) < 0)
		return ccfc_cli_fail(&err);
	/* A pager is no place for bytes as they are. */
	if (is_raw(opts))
		cli->out.paged = false;
	status = answer(cli, opts, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	return status;
}

const struct ccfc_command ccfc_cmd_cat = {
	.name = "cat",
	.usage = "cat FILE [--at=WHEN] [options]",
	.summary = "a file as it was",
	.about = "Prints a file as it was at a moment, byte for byte. The "
		 "file need not exist any\n"
		 "more. If its content is not known exactly, a note on stderr "
		 "says how it was put\n"
		 "together; if it is not known, nothing is "
		 "printed.\n\n" CCFC_AT_ABOUT,
	.examples = "  ccfc cat src/auth/login.ts --at=before:3f2a\n"
		    "  ccfc cat login.ts --at='2025-12-31 14:05' > old.ts\n"
		    "  ccfc cat deleted.py --at=toolu_01A2b3\n"
		    "  ccfc cat notes.md | diff - notes.md\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_cat,
};

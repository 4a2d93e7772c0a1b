/* ccfc cat: a file as it was. */
#include "cli/frame/answer.h"
#include "cli/frame/moment.h"
#include "cli/out/render.h"
#include "cli/write/old_content.h"

enum { OPT_AT, OPT_PARTIAL, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_AT] = CCFC_AT_OPTION,
	[OPT_PARTIAL] = { "partial", 0, CCFC_OPT_FLAG,
			  .help = "if only a part is known, print the known "
				  "lines" },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "raw (default), also to a terminal, or json",
			 .choices = "raw|json" },
	{ 0 },
};

/* With --format=raw a terminal gets raw bytes too. */
static bool is_raw(const struct ccfc_question *q)
{
	return q->format == CCFC_FORMAT_RAW &&
	       ccfc_opts_own(q->opts, OPT_FORMAT)->set;
}

/* "FILE" or "FILE at WHEN", as the user put it. */
static void append_file_name(struct ccfc_buf *out,
			     const struct ccfc_question *q)
{
	const char *at = ccfc_opts_own(q->opts, OPT_AT)->text;

	ccfc_buf_puts(out, q->given);
	if (at)
		ccfc_buf_printf(out, " at %s", at);
}

/*
 * On a terminal, lines are made safe; elsewhere the content is printed
 * unchanged.
 */
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

/* Prints the known parts; `gaps` names the parts between. */
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
		/* The next part begins on a new line. */
		if (text.len && !ccfc_slice_ends(text, "\n"))
			ccfc_buf_putc(&out->buf, '\n');
		if (lines > 0 && line < INT64_MAX - lines)
			next = line + lines;
	}
	ccfc_buf_printf(gaps, "%s%lld and on", gaps->len ? ", " : "",
			(long long)next);
}

static int show_partial(struct ccfc_question *q,
			const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	struct ccfc_buf gaps = CCFC_BUF_INIT;
	bool raw = is_raw(q);

	append_file_name(&name, q);
	ccfc_old_content_words(&words, past);
	print_parts(&q->cli->out, past->parts, raw, &gaps);
	ccfc_cli_note("%s: %s", name.ptr, words.ptr);
	ccfc_cli_note("%s: not known: lines %s", name.ptr, gaps.ptr);
	ccfc_buf_release(&name);
	ccfc_buf_release(&words);
	ccfc_buf_release(&gaps);
	return CCFC_EXIT_FOUND;
}

/* Explains why nothing is printed; returns the exit status. */
static int refuse_cat(const struct ccfc_question *q,
		      const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	struct ccfc_err err;

	append_file_name(&name, q);
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

static int show_content(struct ccfc_question *q,
			const struct ccfc_old_content *past)
{
	struct ccfc_buf name = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	bool raw = is_raw(q);

	append_file_name(&name, q);
	ccfc_old_content_words(&words, past);
	if (past->how != CCFC_OLD_CONTENT_EXACT)
		ccfc_cli_note("%s: %s", name.ptr, words.ptr);
	if (q->cli->out.tty && !raw &&
	    ccfc_old_content_is_binary(past->content))
		ccfc_cli_note("%s: %zu bytes of binary content are not "
			      "printed to a terminal; --format=raw does it",
			      name.ptr, past->content.len);
	else
		print_content(&q->cli->out, past->content, raw);
	ccfc_buf_release(&name);
	ccfc_buf_release(&words);
	return CCFC_EXIT_FOUND;
}

static int print_cat(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_old_content past;

	ccfc_old_content_read(&past, root);
	if (past.how == CCFC_OLD_CONTENT_PARTIAL &&
	    ccfc_opts_own(q->opts, OPT_PARTIAL)->set)
		return show_partial(q, &past);
	if (past.how == CCFC_OLD_CONTENT_EXACT ||
	    past.how == CCFC_OLD_CONTENT_RECONSTRUCTED)
		return show_content(q, &past);
	return refuse_cat(q, &past);
}

static int status_of_state(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_old_content past;

	(void)q;
	ccfc_old_content_read(&past, root);
	return past.how == CCFC_OLD_CONTENT_ABSENT    ? CCFC_EXIT_NOTHING
	       : past.how == CCFC_OLD_CONTENT_NOTHING ? CCFC_EXIT_ERROR
						      : CCFC_EXIT_FOUND;
}

static int ask_cat(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	int code = ccfc_file_at(reply, q->cli->client, q->path, NULL, &q->query,
				err);

	/* Raw bytes do not go through a pager. */
	if (!code && is_raw(q))
		q->cli->out.paged = false;
	return code;
}

static int run_cat(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_FILE,
		.ask = ask_cat,
		.print = print_cat,
		.status = status_of_state,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_cat = {
	.name = "cat",
	.usage = "cat FILE [--at=WHEN] [options]",
	.summary = "a file as it was",
	.about = "Prints a file as it was at a moment, byte for byte. The file "
		 "may have been\n"
		 "deleted. If its content is not known exactly, a note on "
		 "stderr says how it was\n"
		 "reconstructed. If it is not known, nothing is printed.\n"
		 "\n" CCFC_AT_ABOUT,
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

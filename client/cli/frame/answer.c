/* The frame of the commands that answer from one reply; see answer.h. */
#include "cli/frame/answer.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/frame/moment.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the question ---- */

/* The value of the row called `name`, and the row; NULL: there is none. */
static const struct ccfc_opt_value *value_named(const struct ccfc_opts *opts,
						const char *name,
						const struct ccfc_opt **opt)
{
	const struct ccfc_opt *o = opts->tables[0];

	for (int i = 0; o && o[i].name; i++)
		if (!strcmp(o[i].name, name)) {
			*opt = &o[i];
			return ccfc_opts_own(opts, i);
		}
	return NULL;
}

static enum ccfc_format format_named(struct ccfc_slice word)
{
	static const char *const words[] = {
#define X(symbol, text) text,
		CCFC_FORMAT_LIST(X)
#undef X
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ccfc_slice_is(word, words[i]))
			return (enum ccfc_format)i;
	return CCFC_FORMAT_TEXT;
}

/* The chosen word, or the first one. */
static struct ccfc_slice chosen_word(const struct ccfc_opt *opt,
				     const struct ccfc_opt_value *v)
{
	const char *p = opt->choices;
	struct ccfc_slice word = CCFC_SLICE_NONE;

	for (int64_t i = 0; i <= v->num; i++)
		ccfc_opt_next_part(&word, &p, '|');
	return word;
}

static int read_format(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opt *opt = NULL, *unused;
	const struct ccfc_opt_value *format =
		value_named(q->opts, "format", &opt);
	const struct ccfc_opt_value *null =
		value_named(q->opts, "null", &unused);

	q->end = '\n';
	if (format)
		q->format = format_named(chosen_word(opt, format));
	if (!format || !null || !null->set)
		return 0;
	q->end = '\0';
	if (!format->set)
		q->format = CCFC_FORMAT_PATHS;
	if (q->format == CCFC_FORMAT_PATHS || q->format == CCFC_FORMAT_IDS)
		return 0;
	return ccfc_err_set(
		err, CCFC_EINVAL, "%s: -0: only with --format=paths%s",
		q->opts->command, strstr(opt->choices, "ids") ? " or ids" : "");
}

/* A copy that lives as long as the question; frees `text`. */
static const char *take_text(struct ccfc_question *q, char *text)
{
	const char *copy = ccfc_arena_copy(&q->texts, ccfc_slice_str(text)).ptr;

	free(text);
	return copy;
}

static const char *copy_time(struct ccfc_question *q, int64_t time)
{
	char text[CCFC_TIME_TEXT_MAX];

	return ccfc_arena_copy(&q->texts,
			       ccfc_slice_str(ccfc_time_format(text, time)))
		.ptr;
}

/*
 * `given` is a project's directory, a directory within it, or the project's
 * name. A deleted directory may still be a project.
 */
static char *name_project(struct ccfc_question *q, const char *given)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	bool exists = ccfc_cwd_is_directory(given);
	char *real;

	if (!exists && !strchr(given, '/') &&
	    !ccfc_path_has_drive(ccfc_slice_str(given))) {
		ccfc_buf_printf(&name, "@%s", given);
		return ccfc_buf_detach(&name, NULL);
	}
	real = ccfc_cwd_real(&q->where, given);
	if (exists)
		q->query.here = take_text(q, ccfc_strdup(real));
	return real;
}

/* Converts directories, sessions and moments to the daemon's form. */
static int option_to_query_text(const char **out, struct ccfc_question *q,
				const struct ccfc_opt *opt, const char *given,
				struct ccfc_err *err)
{
	char *text = NULL;
	int code = 0;

	if (opt->type == CCFC_OPT_DIR)
		code = ccfc_question_here(q, err);
	if (code < 0)
		return code;
	if (opt->type == CCFC_OPT_DIR)
		text = name_project(q, given);
	else if (opt->type == CCFC_OPT_SESSION)
		code = ccfc_cwd_session(&text, given, err);
	else
		code = ccfc_moment_text(&text, given, err);
	if (!code)
		*out = take_text(q, text);
	return code;
}

static int set_field(struct ccfc_question *q, const struct ccfc_opt *opt,
		     const struct ccfc_opt_value *v, struct ccfc_err *err)
{
	void *field = (char *)&q->query + opt->field;

	switch (opt->type) {
	case CCFC_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case CCFC_OPT_INT:
		*(int64_t *)field = v->num;
		return 0;
	case CCFC_OPT_TEXT:
	case CCFC_OPT_CHOICE:
	case CCFC_OPT_MAYBE:
		*(const char **)field = v->text;
		return 0;
	case CCFC_OPT_FROM:
	case CCFC_OPT_TO:
		*(const char **)field = copy_time(q, v->num);
		return 0;
	case CCFC_OPT_DIR:
	case CCFC_OPT_SESSION:
	case CCFC_OPT_MOMENT:
		return option_to_query_text(field, q, opt, v->text, err);
	case CCFC_OPT_NAMED:
	case CCFC_OPT_LIST:
	case CCFC_OPT_WORDS:
	case CCFC_OPT_EXTS:
	case CCFC_OPT_STATES:
		*(const char *const **)field = v->list.items;
		return 0;
	}
	return 0;
}

static int check_dates(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	const struct ccfc_opt *opt;
	const struct ccfc_opt_value *from = value_named(opts, "from", &opt);
	const struct ccfc_opt_value *to = value_named(opts, "to", &opt);

	if (!from || !to || !from->set || !to->set || from->num <= to->num)
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL,
			    "%s: --from=%s: later than --to=%s", opts->command,
			    from->text, to->text);
}

/* A command that has --all asks about the current project without it. */
static int set_scope(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opt *opt;
	const struct ccfc_opt_value *all = value_named(q->opts, "all", &opt);
	int code;

	if (!all || all->set || q->query.project_path || q->query.session)
		return 0;
	code = ccfc_question_here(q, err);
	if (!code)
		q->query.here = take_text(q, ccfc_cwd_here(&q->where));
	return code;
}

void ccfc_question_note_scope(const struct ccfc_question *q,
			      struct ccfc_obj root)
{
	struct ccfc_slice scope = ccfc_obj_get_str(root, "scope");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!scope.len || q->query.project_path || q->query.name ||
	    (ccfc_slice_is(scope, q->where.physical) && !isatty(STDERR_FILENO)))
		return;
	ccfc_human_path(&text, &q->cli->out, scope);
	ccfc_cli_note("project %s; --all is about every project", text.ptr);
	ccfc_buf_release(&text);
}

int ccfc_question_init(struct ccfc_question *q, struct ccfc_cli *cli,
		       const struct ccfc_opts *opts, struct ccfc_err *err)
{
	const struct ccfc_query query = CCFC_QUERY_INIT;
	const struct ccfc_opt *o = opts->tables[0];
	int code;

	*q = (struct ccfc_question){ .cli = cli, .opts = opts, .query = query };
	ccfc_arena_init(&q->texts);
	q->given = opts->nargs ? opts->args[0] : NULL;
	code = read_format(q, err);
	for (int i = 0; !code && o && o[i].name; i++)
		if (o[i].field && ccfc_opts_own(opts, i)->set)
			code = set_field(q, &o[i], ccfc_opts_own(opts, i), err);
	if (!code)
		code = set_scope(q, err);
	return code < 0 ? code : check_dates(opts, err);
}

void ccfc_question_release(struct ccfc_question *q)
{
	ccfc_cwd_release(&q->where);
	ccfc_arena_release(&q->texts);
}

int ccfc_question_here(struct ccfc_question *q, struct ccfc_err *err)
{
	return q->where.cwd ? 0 : ccfc_cwd_init(&q->where, err);
}

int ccfc_question_session(struct ccfc_question *q, const char *given,
			  struct ccfc_err *err)
{
	char *session;
	int code = ccfc_cwd_session(&session, given, err);

	if (!code)
		q->session = take_text(q, session);
	return code;
}

int ccfc_question_file(struct ccfc_question *q, const char *given,
		       struct ccfc_err *err)
{
	int code = ccfc_question_here(q, err);

	if (code < 0)
		return code;
	q->path = take_text(q, ccfc_cwd_absolute(&q->where, given));
	q->query.cwd = q->where.cwd;
	q->query.alternatives = ccfc_cwd_names(&q->where, q->path, given);
	if (!q->query.alternatives[0])
		q->query.alternatives = NULL;
	return 0;
}

/* "./src/a.ts" as the end of a path; NULL: `given` cannot be one. */
static const char *path_end(const char *given)
{
	while (!strncmp(given, "./", 2))
		given += 2;
	if (*given == '/' || *given == '~' || !*given || strstr(given, "..") ||
	    ccfc_listing_is_glob(given))
		return NULL;
	return given;
}

int ccfc_question_name(struct ccfc_question *q, const char *given,
		       struct ccfc_err *err)
{
	char *path = ccfc_strdup(given);
	int code;

	q->line = ccfc_cwd_take_line(path);
	given = take_text(q, path);
	if (q->line)
		q->given = given;
	code = ccfc_question_file(q, given, err);
	if (code < 0 || !access(given, F_OK) || !path_end(given))
		return code;
	q->query.name = path_end(given);
	if (!q->query.here)
		q->query.here = take_text(q, ccfc_cwd_here(&q->where));
	return 0;
}

void ccfc_question_found(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_slice path = ccfc_obj_get_str(root, "path"), name;
	struct ccfc_buf text = CCFC_BUF_INIT;

	/* A scope shows that the daemon used the name. */
	if (!q->query.name || !path.len || !ccfc_obj_get_str(root, "scope").len)
		return;
	name = ccfc_cwd_short(&q->where, path);
	ccfc_human_path(&text, &q->cli->out, name);
	ccfc_cli_note("%s is %s", q->query.name, text.ptr);
	ccfc_buf_release(&text);
	q->given = ccfc_arena_copy(&q->texts, name).ptr;
	q->path = ccfc_arena_copy(&q->texts, path).ptr;
}

int ccfc_question_resolve(char **out, struct ccfc_cli *cli,
			  const struct ccfc_opts *opts, const char *given,
			  struct ccfc_err *err)
{
	const struct ccfc_query none = CCFC_QUERY_INIT;
	struct ccfc_question q = { .cli = cli, .opts = opts, .query = none };
	struct ccfc_reply *reply = NULL;
	int code;

	*out = NULL;
	ccfc_arena_init(&q.texts);
	q.given = given;
	code = ccfc_question_name(&q, given, err);
	q.query.changes = CCFC_CONTENT_NO;
	q.query.limit = 1;
	if (!code && q.query.name)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (!code && q.query.name)
		code = ccfc_file_sessions(&reply, cli->client, q.path, &q.query,
					  err);
	if (reply) {
		ccfc_question_found(&q, ccfc_cli_value(reply));
		if (q.given != given)
			*out = ccfc_strdup(q.given);
	}
	ccfc_reply_free(reply);
	ccfc_question_release(&q);
	/* The next request reports "not found" better. */
	return code == CCFC_ENOTFOUND ? 0 : code;
}

/* ---- the answer ---- */

static int set_subject(struct ccfc_question *q,
		       const struct ccfc_answer *answer, struct ccfc_err *err)
{
	int code = answer->here ? ccfc_question_here(q, err) : 0;

	if (code < 0)
		return code;
	if (answer->here)
		q->query.cwd = q->where.cwd;
	if (q->given && answer->subject == CCFC_ABOUT_SESSION) {
		q->query.here = NULL; /* in any project */
		return ccfc_question_session(q, q->given, err);
	}
	if (!q->given || answer->subject != CCFC_ABOUT_FILE)
		return 0;
	return ccfc_question_name(q, q->given, err);
}

static int check_path(const struct ccfc_answer *answer,
		      const struct ccfc_opts *opts, struct ccfc_err *err)
{
	if (answer->subject != CCFC_ABOUT_FILE || !opts->nargs ||
	    *opts->args[0])
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL, "%s: the path is empty",
			    opts->command);
}

static int ask_question(struct ccfc_reply **reply, struct ccfc_question *q,
			const struct ccfc_answer *answer, struct ccfc_err *err)
{
	int code = set_subject(q, answer, err);

	if (!code && answer->prepare)
		code = answer->prepare(q, err);
	if (!code)
		code = ccfc_cli_connect(q->cli,
					answer->running ? CCFC_SPAWN_NEVER
							: CCFC_SPAWN_DEFAULT,
					err);
	if (code < 0)
		return code;
	code = answer->ask(reply, q, err);
	if (code < 0 && answer->subject == CCFC_ABOUT_FILE && q->given)
		ccfc_cwd_hint(err, q->given);
	return code;
}

static void print_names(struct ccfc_question *q, struct ccfc_obj rows,
			const char *key)
{
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_slice name =
			ccfc_obj_get_str(ccfc_obj_at(rows, i), key);

		if (name.len)
			ccfc_render_path(&q->cli->out, name, q->end);
	}
}

/* Returns the exit status. */
static int print_in_format(struct ccfc_question *q,
			   const struct ccfc_answer *answer,
			   struct ccfc_obj root)
{
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_obj rows =
		answer->rows ? ccfc_obj_get(root, answer->rows) : root;

	if (answer->own & 1u << q->format)
		return answer->print(q, root);
	switch (q->format) {
	case CCFC_FORMAT_JSON:
		ccfc_render_json(out, root, 2);
		break;
	case CCFC_FORMAT_JSONL:
		ccfc_render_jsonl(out, rows);
		break;
	case CCFC_FORMAT_PATHS:
		print_names(q, rows, answer->path);
		break;
	case CCFC_FORMAT_IDS:
		print_names(q, rows, "sessionId");
		break;
	default:
		return answer->print(q, root);
	}
	return answer->status ? answer->status(q, root) : CCFC_EXIT_FOUND;
}

int ccfc_answer_run(const struct ccfc_answer *answer, struct ccfc_cli *cli,
		    const struct ccfc_opts *opts, void *own)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_question q;
	struct ccfc_err err;
	int status, code = check_path(answer, opts, &err);

	if (code < 0)
		return ccfc_cli_fail(&err);
	code = ccfc_question_init(&q, cli, opts, &err);
	q.own = own;
	if (!code)
		code = ask_question(&reply, &q, answer, &err);
	if (code < 0) {
		status = ccfc_cli_fail(&err);
	} else {
		struct ccfc_obj root = ccfc_cli_value(reply);

		if (!answer->running)
			ccfc_cli_note_indexing(root);
		ccfc_question_note_scope(&q, root);
		ccfc_question_found(&q, root);
		status = print_in_format(&q, answer, root);
	}
	ccfc_reply_free(reply);
	ccfc_question_release(&q);
	return status;
}

void ccfc_answer_more(struct ccfc_out *out, int64_t offset, int64_t shown,
		      int64_t total)
{
	long long next = offset + shown;

	if (next < total)
		ccfc_buf_printf(&out->buf, "%smore: --offset=%lld%s\n",
				ccfc_out_on(out, CCFC_STYLE_FAINT), next,
				ccfc_out_off(out));
}

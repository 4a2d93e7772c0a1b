/*
 * `ccfc log --git SESSION`: the commits with the session's lines. For each of
 * its files the daemon says which present lines are the session's, and git says
 * which commit added each of them. Lines are matched by content: no hooks, no
 * trailers, and nothing is written to a repository.
 */
#include "cli/report/log_print.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/time.h"
#include "cli/blame/blame_line.h"
#include "cli/frame/connect.h"
#include "cli/out/columns.h"
#include "cli/out/render.h"
#include "wire/pack.h"

#include <stdlib.h>

#define COMMIT_LENGTH 8

struct carrier {
	struct ccfc_git_commit commit; /* its texts are in the arena */
	int64_t lines;
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} files;
};

struct tally {
	struct ccfc_arena arena;
	struct {
		struct carrier *items;
		uint32_t n, cap;
	} commits;
	struct ccfc_slice session;
	int64_t open;	  /* lines that are not committed yet */
	int64_t open_in;  /* files with such lines */
	int64_t homeless; /* files with its lines that are in no repository */
	int64_t unsure;	  /* lines that could not be compared with git's */
	int64_t unsure_in;
	struct ccfc_slice why; /* of the first such file */
};

static struct carrier *find_carrier(struct tally *tally,
				    const struct ccfc_git_commit *commit)
{
	struct carrier c = { .commit = *commit };

	for (uint32_t i = tally->commits.n; i-- > 0;)
		if (!strcmp(tally->commits.items[i].commit.id, commit->id))
			return &tally->commits.items[i];
	c.commit.author = ccfc_arena_copy(&tally->arena, commit->author);
	c.commit.summary = ccfc_arena_copy(&tally->arena, commit->summary);
	CCFC_VEC_PUSH(tally->commits, c);
	return &tally->commits.items[tally->commits.n - 1];
}

static void count_line(struct tally *tally,
		       const struct ccfc_git_commit *commit,
		       struct ccfc_slice path)
{
	struct carrier *c = find_carrier(tally, commit);

	c->lines++;
	if (!c->files.n ||
	    !ccfc_slice_eq(c->files.items[c->files.n - 1], path)) {
		struct ccfc_slice copy = ccfc_arena_copy(&tally->arena, path);

		CCFC_VEC_PUSH(c->files, copy);
	}
}

static bool is_line_of_session(const struct tally *tally, struct ccfc_obj line)
{
	return ccfc_blame_is_session(line) &&
	       ccfc_slice_eq(ccfc_obj_get_str(line, "sessionId"),
			     tally->session);
}

static int64_t count_ours(const struct tally *tally, struct ccfc_obj lines)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < ccfc_obj_len(lines); i++)
		n += is_line_of_session(tally, ccfc_obj_at(lines, i));
	return n;
}

/* Counts lines that may or may not be committed. */
static void count_unsure(struct tally *tally, const char *path, int64_t lines,
			 const char *why, const char *more)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!lines)
		return;
	if (!tally->unsure_in++) {
		ccfc_buf_printf(&text, "%s: %s%s", path, why, more);
		tally->why =
			ccfc_arena_copy(&tally->arena, ccfc_buf_view(&text));
	}
	tally->unsure += lines;
	ccfc_buf_release(&text);
}

/* Fails only if git cannot run at all. */
static int count_file(struct tally *tally, const char *path,
		      struct ccfc_obj root, struct ccfc_err *err)
{
	struct ccfc_blame_view view;
	struct ccfc_git_blame git;
	int64_t ours, found = 0;
	int code;

	ccfc_blame_view_init(&view, root, CCFC_SLICE_NONE);
	ours = count_ours(tally, view.lines);
	if (!ours)
		return 0;
	code = ccfc_git_blame_read(&git, path, 0, 0, false, err);
	if (code < 0 && !git.untracked) {
		ccfc_git_blame_release(&git);
		if (code == CCFC_EIO)
			return code;
		if (code == CCFC_ENOTFOUND)
			tally->homeless++;
		else
			count_unsure(tally, path, ours, err->what, "");
		return 0;
	}
	view.git = &git;
	for (uint32_t i = 0; i < ccfc_obj_len(view.lines); i++) {
		struct ccfc_obj line = ccfc_obj_at(view.lines, i);
		const struct ccfc_git_commit *commit =
			is_line_of_session(tally, line)
				? ccfc_blame_commit(&view, line)
				: NULL;

		if (commit)
			count_line(tally, commit, ccfc_slice_str(path));
		found += commit != NULL;
	}
	if (*git.filter) {
		count_unsure(tally, path, ours - found, git.filter,
			     " applies and is not run");
	} else {
		tally->open += ours - found;
		tally->open_in += found < ours;
	}
	ccfc_git_blame_release(&git);
	return 0;
}

/* A file that is gone, or not a file of text, carries nothing. */
static int blame_file(struct tally *tally, struct ccfc_client *client,
		      struct ccfc_slice path, struct ccfc_err *err)
{
	char *name = ccfc_strndup(path.ptr, path.len);
	struct ccfc_reply *reply;
	int code = ccfc_file_blame(&reply, client, name, NULL, err);

	if (code == CCFC_ENOTFOUND)
		code = 0;
	else if (!code)
		code = count_file(tally, name, ccfc_cli_value(reply), err);
	ccfc_reply_free(reply);
	free(name);
	return code;
}

static int compare_commits(const void *a, const void *b)
{
	const struct carrier *x = a, *y = b;

	if (x->commit.time != y->commit.time)
		return x->commit.time < y->commit.time ? 1 : -1;
	return strcmp(x->commit.id, y->commit.id);
}

static void pack_carrier(struct ccfc_pack *p, const struct carrier *c)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "commit", c->commit.id);
	ccfc_pack_kv_str(p, "commitAuthor", c->commit.author);
	ccfc_pack_kv_time(p, "commitTime", c->commit.time);
	ccfc_pack_kv_str(p, "subject", c->commit.summary);
	ccfc_pack_kv_int(p, "lines", c->lines);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < c->files.n; i++)
		ccfc_pack_str(p, c->files.items[i]);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* Packed as a reply would be. */
static void pack_tally(struct ccfc_buf *out, const struct tally *tally)
{
	struct ccfc_pack p;

	ccfc_pack_init(&p, out);
	ccfc_pack_map(&p);
	ccfc_pack_kv_str(&p, "sessionId", tally->session);
	ccfc_pack_cstr(&p, "commits");
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < tally->commits.n; i++)
		pack_carrier(&p, &tally->commits.items[i]);
	ccfc_pack_end(&p);
	ccfc_pack_kv_int(&p, "notCommitted", tally->open);
	ccfc_pack_kv_int(&p, "notCompared", tally->unsure);
	ccfc_pack_end(&p);
}

static void print_tally_commits(struct ccfc_out *out, struct ccfc_obj commits)
{
	static const struct ccfc_column columns[] = {
		{ "COMMIT", "commit", .kind = CCFC_CELL_PREFIX },
		{ "DATE", "commitTime", .kind = CCFC_CELL_MINUTE },
		{ "AUTHOR", "commitAuthor", .kind = CCFC_CELL_OPTIONAL,
		  .elastic = true },
		{ "LINES", "lines", .kind = CCFC_CELL_COUNT },
		{ "FILES", "files", .kind = CCFC_CELL_LENGTH },
		{ "SUBJECT", "subject", .kind = CCFC_CELL_OPTIONAL,
		  .elastic = true },
	};
	struct ccfc_cells cells = { .out = out, .id_length = COMMIT_LENGTH };

	ccfc_columns_print(out, columns, CCFC_NCOLUMNS(columns), &cells,
			   commits);
	ccfc_buf_putc(&out->buf, '\n');
}

static void print_tally_text(struct ccfc_out *out, struct ccfc_obj commits,
			     const struct tally *tally)
{
	if (ccfc_obj_len(commits))
		print_tally_commits(out, commits);
	ccfc_buf_puts(&out->buf, "Not committed yet: ");
	ccfc_render_count(&out->buf, tally->open, "line");
	if (tally->open) {
		ccfc_buf_puts(&out->buf, " in ");
		ccfc_render_count(&out->buf, tally->open_in, "file");
	}
	ccfc_buf_putc(&out->buf, '\n');
}

static void print_tally(struct ccfc_out *out, const struct tally *tally,
			enum ccfc_format format)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_obj commits;

	pack_tally(&buf, tally);
	if (!ccfc_doc_parse(&doc, ccfc_buf_view(&buf), NULL)) {
		commits = ccfc_obj_get(ccfc_doc_root(doc), "commits");
		if (format == CCFC_FORMAT_JSON)
			ccfc_render_json(out, ccfc_doc_root(doc), 2);
		else if (format == CCFC_FORMAT_JSONL)
			ccfc_render_jsonl(out, commits);
		else if (ccfc_obj_len(commits) || tally->open)
			print_tally_text(out, commits, tally);
	}
	ccfc_doc_free(doc);
	ccfc_buf_release(&buf);
}

static void note_unsure(const struct tally *tally)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_count(&text, tally->unsure, "line");
	ccfc_buf_puts(&text, " in ");
	ccfc_render_count(&text, tally->unsure_in, "file");
	ccfc_cli_note("not compared with git: %s: %.*s", text.ptr,
		      (int)tally->why.len, tally->why.ptr);
	ccfc_buf_release(&text);
}

static int finish_tally(struct ccfc_cli *cli, struct tally *tally,
			enum ccfc_format format)
{
	struct ccfc_err err;

	if (tally->homeless)
		ccfc_cli_note("%lld of the session's files %s in no git work "
			      "tree",
			      (long long)tally->homeless,
			      tally->homeless == 1 ? "is" : "are");
	if (tally->unsure_in)
		note_unsure(tally);
	if (tally->commits.n)
		qsort(tally->commits.items, tally->commits.n,
		      sizeof(*tally->commits.items), compare_commits);
	print_tally(&cli->out, tally, format);
	if (tally->commits.n || tally->open)
		return CCFC_EXIT_FOUND;
	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "log: nothing found: none of the session's lines %s",
		     tally->unsure ? "could be compared with git's"
				   : "is in a git work tree any more");
	return ccfc_cli_fail(&err);
}

static void release_tally(struct tally *tally)
{
	for (uint32_t i = 0; i < tally->commits.n; i++)
		free(tally->commits.items[i].files.items);
	free(tally->commits.items);
	ccfc_arena_release(&tally->arena);
}

int ccfc_log_git(struct ccfc_cli *cli, struct ccfc_obj root,
		 enum ccfc_format format)
{
	struct tally tally = { .arena = CCFC_ARENA_INIT };
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	struct ccfc_err err;
	int status, code = 0;

	tally.session = ccfc_obj_get_str(root, "sessionId");
	for (uint32_t i = 0; !code && i < ccfc_obj_len(files); i++)
		code = blame_file(
			&tally, cli->client,
			ccfc_obj_get_str(ccfc_obj_at(files, i), "path"), &err);
	status = code < 0 ? ccfc_cli_fail(&err)
			  : finish_tally(cli, &tally, format);
	release_tally(&tally);
	return status;
}

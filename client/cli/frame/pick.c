/*
 * Choosing among several; see pick.h. A list with numbers needs no terminal
 * modes, works in every terminal and over slow lines, and can be read aloud.
 */
#include "cli/frame/pick.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
#include "cli/frame/listing.h"
#include "cli/out/columns.h"
#include "cli/out/render.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define SHOWN	 15
#define WORD_MAX 64

static bool is_asking_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static void put_number(struct ccfc_buf *text, const struct ccfc_cells *cells,
		       struct ccfc_obj row)
{
	struct ccfc_obj rows = *(const struct ccfc_obj *)cells->data;

	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		if (ccfc_obj_at(rows, i).o == row.o)
			ccfc_buf_printf(text, "%u", i + 1);
}

/* The first column, a number, is left out if the caller cannot choose. */
static const struct ccfc_column of_sessions[] = {
	{ "", NULL, .kind = CCFC_CELL_OWN, .put = put_number },
	{ "SESSION", "sessionId", .kind = CCFC_CELL_PREFIX },
	{ "LAST", "endTime", .kind = CCFC_CELL_WHEN },
	{ "TITLE", "title", .kind = CCFC_CELL_TITLE, .min = 20,
	  .elastic = CCFC_TABLE_PROSE },
};

static const struct ccfc_column of_files[] = {
	{ "", NULL, .kind = CCFC_CELL_OWN, .put = put_number },
	{ "FILE", "path", .kind = CCFC_CELL_BELOW, .min = 20, .elastic = true },
	{ "LAST", "lastModified", .kind = CCFC_CELL_WHEN },
};

static void print_candidates(const struct ccfc_column *columns, unsigned n,
			     struct ccfc_obj rows, const char *base,
			     bool asking)
{
	struct ccfc_out out;
	struct ccfc_cells cells = { .out = &out,
				    .now = ccfc_time_now(),
				    .base = ccfc_slice_str(base),
				    .data = &rows };

	ccfc_out_init(&out, STDERR_FILENO);
	cells.id_length = ccfc_render_unique_length(rows, "sessionId", 8);
	ccfc_columns_print(&out, columns + !asking, n - !asking, &cells, rows);
	if (asking)
		ccfc_buf_printf(&out.buf, "which? 1-%u, Enter leaves: ",
				ccfc_obj_len(rows));
	ccfc_out_finish(&out, NULL);
}

void ccfc_pick_read_line(char *word, size_t size)
{
	size_t n = 0;
	char c;

	for (;;) {
		ssize_t r = read(STDIN_FILENO, &c, 1);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0 || c == '\n')
			break;
		if (n + 1 < size)
			word[n++] = c;
	}
	word[n] = '\0';
}

/* The chosen row, or -1. */
static int64_t ask_number(uint32_t n)
{
	char word[WORD_MAX], *end;
	long chosen;

	ccfc_pick_read_line(word, sizeof(word));
	chosen = strtol(word, &end, 10);
	if (end == word || *end || chosen < 1 || chosen > (long)n)
		return -1;
	return chosen - 1;
}

static bool choose_row(char **out, struct ccfc_obj rows, const char *key,
		       const struct ccfc_column *columns, unsigned n,
		       const char *base)
{
	bool asking = is_asking_possible();
	struct ccfc_slice name;
	int64_t chosen;

	if (!ccfc_obj_len(rows))
		return false;
	print_candidates(columns, n, rows, base, asking);
	chosen = asking ? ask_number(ccfc_obj_len(rows)) : -1;
	if (chosen < 0)
		return false;
	name = ccfc_obj_get_str(ccfc_obj_at(rows, (uint32_t)chosen), key);
	*out = ccfc_strndup(name.ptr, name.len);
	return true;
}

static bool choose_session(char **out, bool *listed, struct ccfc_cli *cli,
			   const struct ccfc_query *query)
{
	struct ccfc_reply *reply = NULL;
	bool chosen = false;

	*listed = !ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, NULL) &&
		  !ccfc_session_list(&reply, cli->client, query, NULL);
	if (*listed)
		chosen = choose_row(
			out, ccfc_obj_get(ccfc_cli_value(reply), "sessions"),
			"sessionId", of_sessions, CCFC_NCOLUMNS(of_sessions),
			NULL);
	ccfc_reply_free(reply);
	return chosen;
}

bool ccfc_pick_meant(char **out, bool *listed, struct ccfc_cli *cli,
		     const char *ref)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	bool chosen = false;
	char *session;

	*listed = false;
	if (ccfc_cwd_session(&session, ref, NULL) < 0)
		return false;
	query.session = session;
	query.limit = SHOWN;
	chosen = choose_session(out, listed, cli, &query);
	free(session);
	return chosen;
}

bool ccfc_pick_session(char **out, struct ccfc_cli *cli)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_cwd where;
	bool chosen = false, listed;

	if (!is_asking_possible() || ccfc_cwd_init(&where, NULL) < 0)
		return false;
	char *here = ccfc_cwd_here(&where);

	query.here = here;
	query.limit = SHOWN;
	chosen = choose_session(out, &listed, cli, &query);
	free(here);
	ccfc_cwd_release(&where);
	return chosen;
}

/* Lets the caller choose a file. `below`: the pattern names the project. */
static bool choose_file(char **out, struct ccfc_cli *cli,
			const struct ccfc_cwd *where, const char *pattern,
			bool below)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	char *here = ccfc_cwd_here(where);
	bool chosen = false;

	query.limit = SHOWN;
	query.changes = CCFC_CONTENT_NO;
	query.here = below ? NULL : here;
	if (!ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, NULL) &&
	    !ccfc_file_match(&reply, cli->client, pattern, &query, NULL))
		chosen = choose_row(out, ccfc_cli_value(reply), "path",
				    of_files, CCFC_NCOLUMNS(of_files), here);
	ccfc_reply_free(reply);
	free(here);
	return chosen;
}

bool ccfc_pick_file(char **out, struct ccfc_cli *cli)
{
	struct ccfc_buf pattern = CCFC_BUF_INIT;
	struct ccfc_cwd where;
	bool chosen = false;

	if (!is_asking_possible() || ccfc_cwd_init(&where, NULL) < 0)
		return false;
	char *here = ccfc_cwd_here(&where);

	ccfc_listing_escape(&pattern, ccfc_slice_str(here));
	ccfc_buf_puts(&pattern, "/**");
	chosen = choose_file(out, cli, &where, pattern.ptr, true);
	ccfc_buf_release(&pattern);
	free(here);
	ccfc_cwd_release(&where);
	return chosen;
}

bool ccfc_pick_named(char **out, struct ccfc_cli *cli, struct ccfc_slice name)
{
	struct ccfc_buf pattern = CCFC_BUF_INIT;
	struct ccfc_slice path;
	struct ccfc_cwd where;
	char *whole = NULL;

	if (!is_asking_possible() || ccfc_cwd_init(&where, NULL) < 0)
		return false;
	ccfc_buf_puts(&pattern, "/**/");
	ccfc_listing_escape(&pattern, name);
	if (choose_file(&whole, cli, &where, pattern.ptr, false)) {
		path = ccfc_cwd_short(&where, ccfc_slice_str(whole));
		*out = ccfc_strndup(path.ptr, path.len);
	}
	free(whole);
	ccfc_buf_release(&pattern);
	ccfc_cwd_release(&where);
	return *out;
}

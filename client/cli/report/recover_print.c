/* Recovering files, and the results; see recover_print.h. */
#include "cli/report/recover_print.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/out/columns.h"
#include "cli/out/render.h"
#include "cli/write/old_content.h"
#include "wire/pack.h"

#include <stdlib.h>

#define REPORTS_MAX   1000
#define NAMES_MAX     100 /* numbers appended to one name */
#define SHA256_ON_TTY 16

static const char *const words[] = {
	[CCFC_RECOVERED] = "written",	    [CCFC_RECOVER_EXISTS] = "exists",
	[CCFC_RECOVER_ABSENT] = "absent",   [CCFC_RECOVER_UNKNOWN] = "unknown",
	[CCFC_RECOVER_REFUSED] = "refused", [CCFC_RECOVER_FAILED] = "failed",
	[CCFC_RECOVER_LEFT] = "not tried",
};

void ccfc_recover_init(struct ccfc_recover *r)
{
	*r = (struct ccfc_recover){ .keep = { .dir = -1 } };
	ccfc_arena_init(&r->arena);
	ccfc_strtab_init(&r->taken);
	ccfc_strtab_init(&r->dirs);
}

void ccfc_recover_release(struct ccfc_recover *r)
{
	ccfc_new_files_release(&r->keep);
	ccfc_outside_release(&r->outside);
	ccfc_claude_roots_dirs_release(&r->roots);
	ccfc_strtab_release(&r->taken);
	ccfc_strtab_release(&r->dirs);
	ccfc_arena_release(&r->arena);
	ccfc_doc_free(r->report);
	ccfc_buf_release(&r->packed);
	free(r->rows.items);
}

uint32_t ccfc_recover_count(const struct ccfc_recover *r,
			    enum ccfc_recovery what)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->rows.n; i++)
		n += r->rows.items[i].what == what;
	return n;
}

/* Is the name used, or needed as a directory, or below a file? */
static bool is_taken(const struct ccfc_recover *r, struct ccfc_slice name)
{
	if (ccfc_strtab_find(&r->taken, name) != CCFC_ID_NONE ||
	    ccfc_strtab_find(&r->dirs, name) != CCFC_ID_NONE)
		return true;
	for (size_t i = 1; i < name.len; i++)
		if (name.ptr[i] == '/' &&
		    ccfc_strtab_find(&r->taken, ccfc_slice(name.ptr, i)) !=
			    CCFC_ID_NONE)
			return true;
	return false;
}

static void reserve_name(struct ccfc_recover *r, struct ccfc_slice name)
{
	ccfc_strtab_put(&r->taken, name);
	for (size_t i = 1; i < name.len; i++)
		if (name.ptr[i] == '/')
			ccfc_strtab_put(&r->dirs, ccfc_slice(name.ptr, i));
}

/*
 * The file's name below the directory. If two projects have a file of the same
 * name, the second gets its whole path. A file that later became a directory,
 * and a repeated name, get a number.
 */
static bool choose_name(struct ccfc_recover *r, struct ccfc_recover_row *row)
{
	static const char *const keys[] = { "name", "path" };
	struct ccfc_buf name = CCFC_BUF_INIT;

	for (int i = 0; !row->name && i < 2 + NAMES_MAX; i++) {
		ccfc_buf_clear(&name);
		if (!ccfc_new_files_name(
			    &name, ccfc_obj_get_str(row->file, keys[i == 1])))
			continue;
		if (i > 1)
			ccfc_buf_printf(&name, "~%d", i);
		if (is_taken(r, ccfc_buf_view(&name)))
			continue;
		reserve_name(r, ccfc_buf_view(&name));
		row->name =
			ccfc_arena_copy(&r->arena, ccfc_buf_view(&name)).ptr;
	}
	ccfc_buf_release(&name);
	return row->name;
}

static struct ccfc_slice copy_text(struct ccfc_recover *r, struct ccfc_slice s)
{
	return s.len ? ccfc_arena_copy(&r->arena, s) : CCFC_SLICE_NONE;
}

/* The row failed: notes that on stderr and in the report. */
static void row_failed(struct ccfc_recover *r, struct ccfc_recover_row *row,
		       enum ccfc_recovery what, const struct ccfc_err *err)
{
	row->what = what;
	row->why = copy_text(r, ccfc_slice_str(err->what));
	ccfc_cli_fail(err);
}

/*
 * Names come from transcripts, and other programs may run files in the
 * directory. Below it no link is followed, so the place of the file is known.
 */
static int check_place(const struct ccfc_recover *r,
		       const struct ccfc_recover_row *row, struct ccfc_err *err)
{
	struct ccfc_buf place = CCFC_BUF_INIT, why = CCFC_BUF_INIT;
	enum ccfc_reach reach;
	int code;

	ccfc_buf_printf(&place, "%s/%s",
			strcmp(r->keep.real, "/") ? r->keep.real : "",
			row->name);
	code = ccfc_claude_roots_dirs_refuse(&r->roots, "recover",
					     r->outside.where, place.ptr, err);
	reach = ccfc_outside_judge(&why, &r->outside, place.ptr, place.ptr,
				   CCFC_SLICE_NONE);
	if (!code && reach != CCFC_INSIDE) {
		code = ccfc_err_set(err, CCFC_EDENIED,
				    "recover: %s: refused: %s", row->name,
				    why.ptr);
		ccfc_outside_hint(err, reach, place.ptr);
	}
	ccfc_buf_release(&place);
	ccfc_buf_release(&why);
	return code;
}

/* The file was removed by somebody, or by a rewind. */
static void note_gone(const struct ccfc_recover_row *row)
{
	struct ccfc_obj since = ccfc_obj_get(row->file, "goneSince");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (ccfc_obj_type(since) != CCFC_OBJ_STR)
		return;
	ccfc_render_time(&text, since, CCFC_RENDER_SECOND);
	ccfc_cli_note("%s: its last content; by %s the file did not exist "
		      "any more",
		      row->name, text.ptr);
	ccfc_buf_release(&text);
}

static int write_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     const struct ccfc_old_content *past)
{
	char hash[CCFC_SHA256_HEX + 1];
	struct ccfc_err err;

	if (check_place(r, row, &err) < 0) {
		row_failed(r, row, CCFC_RECOVER_REFUSED, &err);
		return 0;
	}
	ccfc_sha256_hex(hash, past->content);
	row->sha256 = copy_text(r, ccfc_slice_str(hash));
	row->size = past->content.len;
	switch (ccfc_new_files_write(&r->keep, row->name, past->content,
				     &err)) {
	case CCFC_KEPT:
		row->what = CCFC_RECOVERED;
		note_gone(row);
		return 0;
	case CCFC_NEW_FILES_EXISTS:
		row_failed(r, row, CCFC_RECOVER_EXISTS, &err);
		return 0;
	case CCFC_NEW_FILES_FAILED:
		row_failed(r, row, CCFC_RECOVER_FAILED, &err);
		return 0;
	case CCFC_NEW_FILES_FULL:
		ccfc_err_hint(&err, "the rest was not tried");
		row_failed(r, row, CCFC_RECOVER_FAILED, &err);
	}
	return CCFC_EIO;
}

static void note_unknown(const struct ccfc_recover_row *row,
			 const struct ccfc_old_content *past)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%s: not written: ", row->name);
	ccfc_old_content_words(&text, past);
	ccfc_cli_note("%s", text.ptr);
	ccfc_buf_release(&text);
}

/* Handles the reply of file.at for the row; negative: stop. */
static int use_reply(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_obj reply)
{
	struct ccfc_old_content past;

	ccfc_old_content_read(&past, reply);
	row->fidelity = copy_text(r, past.fidelity);
	row->source = copy_text(r, past.source);
	row->why = copy_text(r, past.why);
	switch (past.how) {
	case CCFC_OLD_CONTENT_EXACT:
	case CCFC_OLD_CONTENT_RECONSTRUCTED:
		return write_row(r, row, &past);
	case CCFC_OLD_CONTENT_ABSENT:
		row->what = CCFC_RECOVER_ABSENT;
		return 0;
	case CCFC_OLD_CONTENT_PARTIAL:
	case CCFC_OLD_CONTENT_NOTHING:
		row->what = CCFC_RECOVER_UNKNOWN;
		note_unknown(row, &past);
	}
	return 0;
}

static char *copy_string(struct ccfc_obj o, const char *key)
{
	struct ccfc_slice s = ccfc_obj_get_str(o, key);

	return ccfc_strndup(s.len ? s.ptr : "", s.len);
}

void ccfc_recover_names(struct ccfc_recover *r)
{
	for (uint32_t i = 0; i < r->rows.n; i++)
		choose_name(r, &r->rows.items[i]);
}

/* A Write without a result because of a crash: the list has its content. */
static int use_pending(struct ccfc_recover *r, struct ccfc_recover_row *row)
{
	struct ccfc_old_content past = {
		.how = CCFC_OLD_CONTENT_RECONSTRUCTED,
		.fidelity = ccfc_obj_get_str(row->file, "fidelity"),
		.source = ccfc_obj_get_str(row->file, "source"),
		.why = ccfc_obj_get_str(row->file, "why"),
		.content = ccfc_obj_get_str(row->file, "content"),
	};
	int stop;

	row->fidelity = past.fidelity;
	row->source = past.source;
	row->why = past.why;
	stop = write_row(r, row, &past);
	if (row->what == CCFC_RECOVERED)
		ccfc_cli_note("%s: %.*s", row->name, (int)past.why.len,
			      past.why.ptr);
	return stop;
}

int ccfc_recover_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_client *client)
{
	char *path = copy_string(row->file, "path");
	char *at = copy_string(row->file, ccfc_obj_get_str(row->file, "at").len
						  ? "at"
						  : "changeId");
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int code = 0, stop = 0;

	if (!row->name)
		code = ccfc_err_set(&err, CCFC_EDENIED,
				    "recover: %s: no name to write it under",
				    path);
	if (!code && ccfc_obj_get_bool(row->file, "pending", false)) {
		free(path);
		free(at);
		return use_pending(r, row);
	}
	if (!code)
		code = ccfc_file_at(&reply, client, path, at, NULL, &err);
	if (code < 0)
		row_failed(r, row, CCFC_RECOVER_FAILED, &err);
	else
		stop = use_reply(r, row, ccfc_cli_value(reply));
	if (code == CCFC_EUNREACHABLE)
		stop = code;
	ccfc_reply_free(reply);
	free(path);
	free(at);
	return stop;
}

/* A text, or nil if there is none. */
static void pack_text(struct ccfc_pack *p, const char *key, struct ccfc_slice s)
{
	ccfc_pack_cstr(p, key);
	if (s.len)
		ccfc_pack_str(p, s);
	else
		ccfc_pack_nil(p);
}

static void pack_row(struct ccfc_pack *p, const struct ccfc_recover_row *row)
{
	static const char *const same[] = { "path", "changeId", "sessionId",
					    "timestamp" };
	struct ccfc_slice since = ccfc_obj_get_str(row->file, "goneSince");

	ccfc_pack_map(p);
	for (int i = 0; i < 4; i++)
		pack_text(p, same[i], ccfc_obj_get_str(row->file, same[i]));
	pack_text(p, "file", ccfc_slice_str(row->name));
	ccfc_pack_kv_cstr(p, "result", words[row->what]);
	pack_text(p, "source", row->source);
	pack_text(p, "fidelity", row->fidelity);
	pack_text(p, "why", row->why);
	if (row->sha256.len)
		ccfc_pack_kv_int(p, "size", (int64_t)row->size);
	pack_text(p, "sha256", row->sha256);
	if (since.len)
		ccfc_pack_kv_str(p, "goneSince", since);
	ccfc_pack_end(p);
}

struct ccfc_obj ccfc_recover_report(struct ccfc_recover *r)
{
	struct ccfc_pack p;

	ccfc_pack_init(&p, &r->packed);
	ccfc_pack_map(&p);
	pack_text(&p, "directory",
		  ccfc_slice_str(r->keep.path ? r->keep.path : ""));
	ccfc_pack_kv_int(&p, "total", r->rows.n);
	ccfc_pack_kv_int(&p, "written", ccfc_recover_count(r, CCFC_RECOVERED));
	ccfc_pack_cstr(&p, "files");
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < r->rows.n; i++)
		pack_row(&p, &r->rows.items[i]);
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	if (ccfc_doc_parse(&r->report, ccfc_buf_view(&r->packed), NULL) < 0)
		return (struct ccfc_obj){ 0 };
	return ccfc_doc_root(r->report);
}

void ccfc_recover_table(struct ccfc_out *out, struct ccfc_obj report)
{
	static const struct ccfc_column columns[] = {
		{ "FILE", "file", .kind = CCFC_CELL_TEXT, .second = "path",
		  .min = 28, .elastic = true },
		{ "RESULT", "result", .kind = CCFC_CELL_TEXT },
		{ "SOURCE", "source", .kind = CCFC_CELL_TEXT },
		{ "FIDELITY", "fidelity", .kind = CCFC_CELL_TEXT },
		{ "SHA-256", "sha256", .kind = CCFC_CELL_ID,
		  .cut = SHA256_ON_TTY },
	};
	struct ccfc_cells cells = { .out = out };

	ccfc_columns_print(out, columns, CCFC_NCOLUMNS(columns), &cells,
			   ccfc_obj_get(report, "files"));
}

void ccfc_recover_list(struct ccfc_out *out, const struct ccfc_recover *r)
{
	static const struct ccfc_column columns[] = {
		{ "FILE", "path", .kind = CCFC_CELL_PATH, .min = 28,
		  .elastic = true },
		{ "BYTES", "size", .kind = CCFC_CELL_COUNT, .drop = 2 },
		{ "CONTENT", "fidelity", .kind = CCFC_CELL_TEXT },
		{ "LAST CHANGED", "timestamp", .kind = CCFC_CELL_MINUTE },
		{ "SESSION", "sessionId", .kind = CCFC_CELL_ID, .cut = 8,
		  .drop = 1 },
	};
	struct ccfc_cells cells = { .out = out, .now = ccfc_time_now() };
	struct ccfc_columns c;

	ccfc_columns_init(&c, columns, CCFC_NCOLUMNS(columns), &cells);
	for (uint32_t i = 0; i < r->rows.n; i++)
		ccfc_columns_row(&c, r->rows.items[i].file);
	ccfc_table_print(&c.table, out);
	ccfc_columns_release(&c);
}

int ccfc_recover_save(struct ccfc_buf *name, struct ccfc_recover *r,
		      const struct ccfc_buf *json, struct ccfc_err *err)
{
	enum ccfc_new_files_result kept = CCFC_NEW_FILES_EXISTS;

	for (int i = 1; kept == CCFC_NEW_FILES_EXISTS && i <= REPORTS_MAX;
	     i++) {
		ccfc_buf_clear(name);
		if (i == 1)
			ccfc_buf_puts(name, "REPORT.json");
		else
			ccfc_buf_printf(name, "REPORT-%d.json", i);
		kept = ccfc_new_files_write(&r->keep, name->ptr,
					    ccfc_buf_view(json), err);
	}
	return kept == CCFC_KEPT ? 0 : CCFC_EIO;
}

/* Recovering files, and what came of it; see recover_print.h. */
#include "cli/report/recover_print.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "cli/frame/connect.h"
#include "cli/out/table.h"
#include "cli/write/old_content.h"
#include "wire/pack.h"
#include "wire/to_json.h"

#include <stdlib.h>

#define REPORTS_MAX   1000
#define SHA256_ON_TTY 16

static const char *const words[] = {
	[CCFC_RECOVERED] = "written",	  [CCFC_RECOVER_EXISTS] = "exists",
	[CCFC_RECOVER_ABSENT] = "absent", [CCFC_RECOVER_UNKNOWN] = "unknown",
	[CCFC_RECOVER_FAILED] = "failed", [CCFC_RECOVER_LEFT] = "not tried",
};

void ccfc_recover_init(struct ccfc_recover *r)
{
	*r = (struct ccfc_recover){ .keep = { .dir = -1 } };
	ccfc_arena_init(&r->arena);
	ccfc_strtab_init(&r->taken);
}

void ccfc_recover_release(struct ccfc_recover *r)
{
	ccfc_new_files_release(&r->keep);
	ccfc_strtab_release(&r->taken);
	ccfc_arena_release(&r->arena);
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

/*
 * The file's name below the directory. Two projects can have files of the
 * same name: the second one gets its whole path.
 */
static bool choose_name(struct ccfc_recover *r, struct ccfc_recover_row *row)
{
	static const char *const keys[] = { "name", "path" };
	struct ccfc_buf name = CCFC_BUF_INIT;

	for (int i = 0; !row->name && i < 2; i++) {
		ccfc_buf_clear(&name);
		if (!ccfc_new_files_name(
			    &name, ccfc_obj_get_str(row->file, keys[i])) ||
		    ccfc_strtab_find(&r->taken, ccfc_buf_view(&name)) !=
			    CCFC_ID_NONE)
			continue;
		ccfc_strtab_put(&r->taken, ccfc_buf_view(&name));
		row->name =
			ccfc_arena_copy(&r->arena, ccfc_buf_view(&name)).ptr;
	}
	ccfc_buf_release(&name);
	return row->name;
}

static struct ccfc_slice keep_text(struct ccfc_recover *r, struct ccfc_slice s)
{
	return s.len ? ccfc_arena_copy(&r->arena, s) : CCFC_SLICE_NONE;
}

/* The row did not work out: says so on stderr and in the report. */
static void row_failed(struct ccfc_recover *r, struct ccfc_recover_row *row,
		       enum ccfc_recovery what, const struct ccfc_err *err)
{
	row->what = what;
	row->why = keep_text(r, ccfc_slice_str(err->what));
	ccfc_cli_fail(err);
}

static int write_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     const struct ccfc_old_content *past)
{
	char hash[CCFC_SHA256_HEX + 1];
	struct ccfc_err err;

	ccfc_sha256_hex(hash, past->content);
	row->sha256 = keep_text(r, ccfc_slice_str(hash));
	row->size = past->content.len;
	switch (ccfc_new_files_write(&r->keep, row->name, past->content,
				     &err)) {
	case CCFC_KEPT:
		row->what = CCFC_RECOVERED;
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

/* What the reply of file.at says of the row; negative: stop. */
static int use_reply(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_obj reply)
{
	struct ccfc_old_content past;

	ccfc_old_content_read(&past, reply);
	row->fidelity = keep_text(r, past.fidelity);
	row->source = keep_text(r, past.source);
	row->why = keep_text(r, past.why);
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

static char *get_string_recover_print(struct ccfc_obj o, const char *key)
{
	struct ccfc_slice s = ccfc_obj_get_str(o, key);

	return ccfc_strndup(s.len ? s.ptr : "", s.len);
}

int ccfc_recover_row(struct ccfc_recover *r, struct ccfc_recover_row *row,
		     struct ccfc_client *client)
{
	char *path = get_string_recover_print(row->file, "path");
	char *change = get_string_recover_print(row->file, "changeId");
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int code = 0, stop = 0;

	if (!choose_name(r, row))
		code = ccfc_err_set(&err, CCFC_EDENIED,
				    "recover: %s: no name to write it under",
				    path);
	if (!code)
		code = ccfc_file_at(&reply, client, path, change, NULL, &err);
	if (code < 0)
		row_failed(r, row, CCFC_RECOVER_FAILED, &err);
	else
		stop = use_reply(r, row, ccfc_cli_value(reply));
	if (code == CCFC_EUNREACHABLE)
		stop = code;
	ccfc_reply_free(reply);
	free(path);
	free(change);
	return stop;
}

static struct ccfc_slice or_dash(struct ccfc_slice s)
{
	return s.len ? s : CCFC_SLICE_LIT("-");
}

void ccfc_recover_table(const struct ccfc_recover *r, struct ccfc_out *out)
{
	static const struct ccfc_table_col cols[] = {
		{ "FILE", 28, 2, true },    { "RESULT", 0, 2, false },
		{ "SOURCE", 0, 2, false },  { "FIDELITY", 0, 2, false },
		{ "SHA-256", 0, 0, false },
	};
	struct ccfc_table table;

	ccfc_table_init(&table, cols, 5);
	for (uint32_t i = 0; i < r->rows.n; i++) {
		const struct ccfc_recover_row *row = &r->rows.items[i];
		struct ccfc_slice hash = or_dash(row->sha256);

		if (out->tty && hash.len > SHA256_ON_TTY)
			hash.len = SHA256_ON_TTY;
		ccfc_table_cell(&table, row->name ? ccfc_slice_str(row->name)
						  : ccfc_obj_get_str(row->file,
								     "path"));
		ccfc_table_cell(&table, ccfc_slice_str(words[row->what]));
		ccfc_table_cell(&table, or_dash(row->source));
		ccfc_table_cell(&table, or_dash(row->fidelity));
		ccfc_table_cell(&table, hash);
	}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
}

/* A text, or nil where there is none. */
static void pack_text_recover_print(struct ccfc_pack *p, const char *key,
				    struct ccfc_slice s)
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

	ccfc_pack_map(p);
	for (int i = 0; i < 4; i++)
		pack_text_recover_print(p, same[i],
					ccfc_obj_get_str(row->file, same[i]));
	pack_text_recover_print(p, "file", ccfc_slice_str(row->name));
	ccfc_pack_kv_cstr(p, "result", words[row->what]);
	pack_text_recover_print(p, "source", row->source);
	pack_text_recover_print(p, "fidelity", row->fidelity);
	pack_text_recover_print(p, "why", row->why);
	if (row->sha256.len)
		ccfc_pack_kv_int(p, "size", (int64_t)row->size);
	pack_text_recover_print(p, "sha256", row->sha256);
	ccfc_pack_end(p);
}

void ccfc_recover_json(const struct ccfc_recover *r, struct ccfc_buf *out)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &packed);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "directory", r->keep.path);
	ccfc_pack_kv_int(&p, "total", r->rows.n);
	ccfc_pack_kv_int(&p, "written", ccfc_recover_count(r, CCFC_RECOVERED));
	ccfc_pack_cstr(&p, "files");
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < r->rows.n; i++)
		pack_row(&p, &r->rows.items[i]);
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	if (!ccfc_doc_parse(&doc, ccfc_buf_view(&packed), NULL))
		ccfc_json_write(out, ccfc_doc_root(doc), 2);
	ccfc_buf_putc(out, '\n');
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
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

/*
 * ccfc restore --undo and --list: undoes restore and revert. The inverse of an
 * entry goes through the same journal and is an entry itself. Each file must be
 * as the entry left it, or the undo would lose later changes; a file that is
 * already back is skipped.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "cli/out/render.h"
#include "cli/out/table.h"
#include "cli/undo/write_back.h"

#include <stdlib.h>

/* ---- the list ---- */

static void print_files(struct ccfc_table *table, const struct ccfc_cwd *where,
			const struct ccfc_manifest *m)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (m->files.n)
		ccfc_buf_slice(
			&text,
			ccfc_cwd_short(where,
				       ccfc_slice_str(m->files.items[0].path)));
	if (m->files.n > 1)
		ccfc_buf_printf(&text, " and %u more", m->files.n - 1);
	ccfc_table_cell(table, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void print_list(struct ccfc_out *out, const struct ccfc_cwd *where,
		       const struct ccfc_undo *undo)
{
	static const struct ccfc_table_col cols[] = {
		{ "TIME", 0, 2, false },
		{ "ID", 0, 2, false },
		{ "STATE", 0, 2, false },
		{ "FILES", 0, 2, true },
		{ "COMMAND", 0, 0, CCFC_TABLE_PROSE },
	};
	/* On a narrow terminal: the id contains the time too (UTC). */
	unsigned skip = out->width && out->width < 100;
	struct ccfc_table table;

	ccfc_table_init(&table, cols + skip, 5 - skip);
	for (uint32_t i = undo->entries.n; i--;) {
		const struct ccfc_undo_entry *entry = &undo->entries.items[i];
		char time[CCFC_TIME_TEXT_MAX];

		if (entry->state == CCFC_UNDO_BEGUN)
			continue;
		if (!skip)
			ccfc_table_printf(&table, "%s",
					  ccfc_time_format_local(
						  time, entry->manifest.time,
						  CCFC_RENDER_SECOND));
		ccfc_table_printf(&table, "%s", entry->id);
		ccfc_table_printf(&table, "%s",
				  entry->state == CCFC_UNDO_DONE ? "done"
								 : "undone");
		print_files(&table, where, &entry->manifest);
		ccfc_table_printf(&table, "%s", entry->manifest.command);
	}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
}

int ccfc_restore_list(struct ccfc_cli *cli)
{
	struct ccfc_cwd where = { 0 };
	struct ccfc_undo undo;
	struct ccfc_err err;
	int r = ccfc_undo_open(&undo, false, &err);

	if (!r)
		r = ccfc_cwd_init(&where, &err);
	if (!r && !undo.entries.n)
		r = ccfc_err_set(&err, CCFC_ENOTFOUND, "nothing to undo");
	if (!r)
		print_list(&cli->out, &where, &undo);
	ccfc_cwd_release(&where);
	ccfc_undo_close(&undo);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

/* ---- undo ---- */

struct work {
	struct ccfc_out *out;
	struct ccfc_cwd where;
	struct ccfc_undo undo;
	struct ccfc_undo_entry *entry;
	/* One of each for every file of the entry; edits only for `n`. */
	struct ccfc_target *targets;
	struct ccfc_buf *blobs;
	struct ccfc_file_edit *edits;
	uint32_t n;
	bool dry_run, force;
};

static void work_release(struct work *w)
{
	uint32_t n = w->entry ? w->entry->manifest.files.n : 0;

	for (uint32_t i = 0; i < n && w->targets; i++) {
		ccfc_target_release(&w->targets[i]);
		ccfc_buf_release(&w->blobs[i]);
	}
	free(w->targets);
	free(w->blobs);
	free(w->edits);
	ccfc_cwd_release(&w->where);
	ccfc_undo_close(&w->undo);
}

/* Is the file still as the entry left it? */
static int check_file(const struct work *w, uint32_t i, struct ccfc_err *err)
{
	const struct ccfc_undo_file *file = &w->entry->manifest.files.items[i];

	if (w->force || ccfc_target_is(&w->targets[i], file->now))
		return 0;
	ccfc_err_set(err, CCFC_EDENIED, "%s was changed since 'ccfc %s'",
		     file->path, w->entry->manifest.command);
	ccfc_err_hint(err, "--dry-run shows what --force would do");
	return CCFC_EDENIED;
}

/* Plans file `i`; the first refusal is kept in `err`. */
static int plan_file(struct work *w, uint32_t i, struct ccfc_err *err)
{
	const struct ccfc_undo_file *file = &w->entry->manifest.files.items[i];
	struct ccfc_target *t = &w->targets[i];
	int r = ccfc_target_init(t, file->path, err);

	if (!r)
		r = ccfc_target_look(t, err);
	if (r < 0 || ccfc_target_is(t, file->was))
		return r;
	if (*file->was)
		r = ccfc_undo_blob(&w->blobs[i], &w->undo, w->entry, i, err);
	if (!r)
		r = check_file(w, i, err);
	if (r < 0 && !(w->dry_run && r == CCFC_EDENIED))
		return r;
	w->edits[w->n] = (struct ccfc_file_edit){
		.path = file->path,
		.expect = t->sha256,
		.exists = *file->was,
		.content = ccfc_buf_view(&w->blobs[i]),
		.attr = &file->attr,
	};
	if (w->dry_run)
		ccfc_write_back_preview(w->out, &w->where, t, &w->edits[w->n]);
	w->n++;
	return r;
}

static int plan_targets(struct work *w, struct ccfc_err *err)
{
	uint32_t n = w->entry->manifest.files.n;
	int result = 0;

	w->targets = ccfc_calloc(n + 1, sizeof(*w->targets));
	w->blobs = ccfc_calloc(n + 1, sizeof(*w->blobs));
	w->edits = ccfc_calloc(n + 1, sizeof(*w->edits));
	for (uint32_t i = 0; i < n; i++)
		w->targets[i].dir = -1;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_err why;
		int r = plan_file(w, i, &why);

		if (r < 0 && !result) {
			*err = why;
			result = r;
		}
	}
	return result;
}

/* Directories that were made for files that are gone again. */
static void drop_dirs(const struct work *w)
{
	for (uint32_t i = w->entry->manifest.files.n; i--;) {
		const struct ccfc_undo_file *file =
			&w->entry->manifest.files.items[i];

		if (!*file->was)
			ccfc_target_drop_dirs(&w->targets[i], file->dirs);
	}
}

static int apply_edits(struct work *w, struct ccfc_err *err)
{
	struct ccfc_buf command = CCFC_BUF_INIT;
	struct ccfc_file_edits edits = {
		.kind = w->entry->manifest.kind == CCFC_UNDO_UNDO
				? CCFC_UNDO_CHANGE
				: CCFC_UNDO_UNDO,
		.undoes = w->entry->id,
		.force = w->force,
		.items = w->edits,
		.n = w->n,
	};
	char id[CCFC_UNDO_ID_MAX];
	int r;

	ccfc_buf_printf(&command, "restore --undo %s", w->entry->id);
	edits.command = command.ptr;
	r = ccfc_undo_apply(id, &w->undo, &edits, err);
	ccfc_buf_release(&command);
	if (r < 0)
		return r;
	drop_dirs(w);
	for (uint32_t i = 0; i < w->n; i++) {
		ccfc_buf_puts(&w->out->buf,
			      w->edits[i].exists ? "put back " : "removed ");
		ccfc_out_field(
			w->out,
			ccfc_cwd_short(&w->where,
				       ccfc_slice_str(w->edits[i].path)));
		ccfc_buf_putc(&w->out->buf, '\n');
	}
	ccfc_write_back_print_id(w->out, id);
	return 0;
}

static int undo_entry(struct work *w, struct ccfc_err *err)
{
	int r;

	if (w->entry->state == CCFC_UNDO_UNDONE && !w->force) {
		ccfc_err_set(err, CCFC_EDENIED, "restore: %s is already undone",
			     w->entry->id);
		ccfc_err_hint(err, "ccfc restore --list shows what can be "
				   "undone");
		return CCFC_EDENIED;
	}
	r = plan_targets(w, err);
	if (r < 0 || w->dry_run)
		return r;
	if (w->n)
		r = apply_edits(w, err);
	else
		ccfc_buf_puts(&w->out->buf,
			      "nothing to do: all files are as before\n");
	/* The next time it is found out from the undo's own entry. */
	if (!r && w->entry->state == CCFC_UNDO_DONE)
		ccfc_undo_mark(&w->undo, w->entry, CCFC_UNDO_UNDONE, NULL);
	return r;
}

int ccfc_restore_undo(struct ccfc_cli *cli, const char *id, bool dry_run,
		      bool force)
{
	struct work w = { .out = &cli->out,
			  .dry_run = dry_run,
			  .force = force };
	struct ccfc_err err;
	int r = ccfc_undo_open(&w.undo, false, &err);

	if (!r)
		r = ccfc_cwd_init(&w.where, &err);
	if (!r) {
		w.entry = ccfc_undo_find(&w.undo, id, &err);
		r = w.entry ? undo_entry(&w, &err) : err.code;
	}
	work_release(&w);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

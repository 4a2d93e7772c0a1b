/*
 * One file of `restore`: the question, and all that speaks against writing; see
 * restore_file.h. The file on disk must be in the last known state of the
 * history. Otherwise somebody changed the file outside of any session, and that
 * change would be lost too.
 */
#include "cli/undo/restore_file.h"

#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/write/old_content.h"

#include <stdlib.h>

#define ID_BEGIN "toolu_01"
#define ID_SHORT 8

/*
 * "toolu_01 (session 3f2a91c4, 2025-12-10 10:00:05)", or "a backup (…"; on a
 * terminal with as much of the id as `ccfc log` shows there.
 */
static void name_change(struct ccfc_buf *out, struct ccfc_obj o, bool brief)
{
	struct ccfc_slice session = ccfc_obj_get_str(o, "sessionId");
	struct ccfc_slice change = ccfc_obj_get_str(o, "changeId");

	if (brief && ccfc_slice_starts(change, ID_BEGIN) &&
	    change.len > sizeof(ID_BEGIN) - 1 + ID_SHORT)
		change =
			ccfc_slice(change.ptr + sizeof(ID_BEGIN) - 1, ID_SHORT);
	ccfc_buf_slice(out, change.len ? change : CCFC_SLICE_LIT("a backup"));
	if (session.len > 8)
		session.len = 8;
	ccfc_buf_puts(out, " (session ");
	ccfc_buf_slice(out, session);
	ccfc_buf_puts(out, ", ");
	ccfc_render_time(out, ccfc_obj_get(o, "timestamp"),
			 brief ? CCFC_RENDER_MINUTE : CCFC_RENDER_SECOND);
	ccfc_buf_putc(out, ')');
}

static bool is_state_known(struct ccfc_obj state)
{
	struct ccfc_slice fidelity = ccfc_obj_get_str(state, "fidelity");

	return ccfc_obj_type(ccfc_obj_get(state, "exists")) == CCFC_OBJ_BOOL &&
	       (ccfc_slice_is(fidelity, "exact") ||
		ccfc_slice_is(fidelity, "reconstructed"));
}

static int refuse_unknown(const struct ccfc_restore *w,
			  const struct ccfc_old_content *past,
			  struct ccfc_err *err)
{
	bool partial = past->how == CCFC_OLD_CONTENT_PARTIAL;
	struct ccfc_slice why = past->why;

	ccfc_err_set(err, CCFC_EDENIED, "%s: its content then is %s%s%.*s",
		     w->given, partial ? "known only in part" : "not known",
		     why.len ? ": " : "", (int)(why.len < 200 ? why.len : 200),
		     why.len ? why.ptr : "");
	if (partial)
		ccfc_err_hint(err, "ccfc cat --partial shows what is known");
	return CCFC_EDENIED;
}

/* Sets w->edit from the state that was asked for. */
static int read_state(struct ccfc_restore *w, struct ccfc_err *err)
{
	struct ccfc_buf words = CCFC_BUF_INIT;
	struct ccfc_old_content past;

	ccfc_old_content_read(&past, w->reply);
	if (!is_state_known(ccfc_obj_get(w->reply, "state")) ||
	    past.how == CCFC_OLD_CONTENT_PARTIAL ||
	    past.how == CCFC_OLD_CONTENT_NOTHING)
		return refuse_unknown(w, &past, err);
	w->edit.path = w->present.path;
	w->edit.expect = w->present.sha256;
	w->edit.exists = past.how != CCFC_OLD_CONTENT_ABSENT;
	if (w->edit.exists)
		w->edit.content = past.content;
	if (!ccfc_slice_is(past.fidelity, "exact")) {
		ccfc_old_content_words(&words, &past);
		ccfc_cli_note("%s: %s", w->given, words.ptr);
		ccfc_buf_release(&words);
	}
	return 0;
}

/* Is what would be written sure? Line endings may be assumed. */
static int check_sure(const struct ccfc_restore *w, struct ccfc_err *err)
{
	struct ccfc_obj state = ccfc_obj_get(w->reply, "state");
	struct ccfc_slice why = ccfc_obj_get_str(state, "why");

	if (w->force ||
	    !ccfc_slice_is(ccfc_obj_get_str(state, "assumed"), "content"))
		return 0;
	ccfc_err_set(err, CCFC_EDENIED,
		     "%s: its content then is not known exactly: %.*s",
		     w->given, (int)(why.len < 200 ? why.len : 200),
		     why.len ? why.ptr : "");
	ccfc_err_hint(err, "--force writes it anyway");
	return CCFC_EDENIED;
}

static bool is_done(const struct ccfc_restore *w)
{
	struct ccfc_slice now = ccfc_buf_view(&w->present.content);

	return w->edit.exists == w->present.exists &&
	       (!w->edit.exists || ccfc_slice_eq(w->edit.content, now));
}

/* Is on disk what should be there? */
static int check_present(const struct ccfc_restore *w, struct ccfc_err *err)
{
	struct ccfc_obj latest = ccfc_obj_get(w->reply, "latest");
	struct ccfc_buf change = CCFC_BUF_INIT;
	struct ccfc_slice sha256 = ccfc_obj_get_str(latest, "sha256");
	bool known = is_state_known(latest);

	if (w->force || !w->present.exists)
		return 0;
	if (known && ccfc_obj_get_bool(latest, "exists", false) &&
	    ccfc_slice_is(sha256, w->present.sha256))
		return 0;
	if (ccfc_write_back_restored(&w->present))
		return 0;
	if (known) {
		name_change(&change, latest, false);
		ccfc_err_set(err, CCFC_EDENIED,
			     "%s was changed outside of any session after %s",
			     w->given, change.ptr);
	} else {
		ccfc_err_set(err, CCFC_EDENIED,
			     "the history does not know what %s should be now",
			     w->given);
	}
	ccfc_buf_release(&change);
	ccfc_err_hint(err, w->dry_run ? "--force writes it anyway"
				      : "--dry-run shows what would be lost, "
					"--force writes it anyway (what is "
					"there now is kept for --undo)");
	return CCFC_EDENIED;
}

void ccfc_restore_print(const struct ccfc_restore *w, struct ccfc_out *out)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	bool before =
		ccfc_slice_is(ccfc_obj_get_str(w->reply, "side"), "before");

	ccfc_buf_puts(&out->buf, w->edit.exists ? "restored " : "removed ");
	ccfc_out_field(out, ccfc_slice_str(w->given));
	if (ccfc_obj_get_str(w->reply, "seenAt").len) {
		ccfc_buf_puts(&out->buf, ": as a backup shows it, of ");
		ccfc_render_time(&name, ccfc_obj_get(w->reply, "seenAt"),
				 CCFC_RENDER_SECOND);
	} else {
		ccfc_buf_puts(&out->buf,
			      before ? ": as before " : ": as after ");
		name_change(&name, w->reply, out->width > 0);
	}
	ccfc_out_field(out, ccfc_buf_view(&name));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&name);
}

/* May the session decide what is written there? */
static int check_outside(struct ccfc_restore *w, struct ccfc_err *err)
{
	char *path = ccfc_cwd_absolute(&w->q.where, w->given);
	struct ccfc_buf why = CCFC_BUF_INIT;
	enum ccfc_reach reach;

	ccfc_outside_origin(&w->outside, w->reply);
	reach = ccfc_outside_judge(&why, &w->outside, path, w->present.path,
				   ccfc_obj_get_str(w->reply, "foreign"));
	if (reach != CCFC_INSIDE) {
		ccfc_err_set(err, CCFC_EDENIED, "restore: %s: refused: %s",
			     w->given, why.ptr);
		ccfc_outside_hint(err, reach, w->present.path);
	}
	ccfc_buf_release(&why);
	free(path);
	return reach == CCFC_INSIDE ? 0 : CCFC_EDENIED;
}

static int decide_content(struct ccfc_restore *w, struct ccfc_cli *cli,
			  struct ccfc_err *err)
{
	struct ccfc_out *out = &cli->out;
	int r = read_state(w, err);

	if (r < 0)
		return r;
	w->done = is_done(w);
	if (w->done)
		return 0;
	if (w->dry_run)
		ccfc_write_back_preview(out, &w->q.where, &w->present,
					&w->edit);
	r = ccfc_write_back_check(cli, "restore", &w->q.where, &w->edit, 1,
				  err);
	if (!r)
		r = check_outside(w, err);
	if (!r)
		r = check_sure(w, err);
	if (!r)
		r = check_present(w, err);
	return r;
}

/* The file at the moment, by all names that it has. */
static int ask_restore(struct ccfc_reply **reply, struct ccfc_restore *w,
		       struct ccfc_err *err)
{
	int r = ccfc_question_file(&w->q, w->given, err);

	if (!r)
		r = ccfc_cli_connect(w->q.cli, CCFC_SPAWN_DEFAULT, err);
	if (!r)
		r = ccfc_file_at(reply, w->q.cli->client, w->q.path, NULL,
				 &w->q.query, err);
	if (r < 0)
		ccfc_cwd_hint(err, w->given);
	return r;
}

/* Of the present file only its place and hash are kept. */
static void keep_path_and_hash(struct ccfc_restore *w)
{
	w->path = ccfc_strdup(w->present.path);
	memcpy(w->sha256, w->present.sha256, sizeof(w->sha256));
	w->edit.path = w->path;
	w->edit.expect = w->sha256;
}

int ccfc_restore_plan(struct ccfc_restore *w, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts, struct ccfc_err *err)
{
	char *path = NULL;
	int r = ccfc_question_init(&w->q, cli, opts, err);

	w->present.dir = -1;
	if (!r)
		r = ccfc_question_here(&w->q, err);
	if (!r) {
		ccfc_outside_init(&w->outside, &w->q.where, w->outside_given);
		path = ccfc_cwd_place(&w->q.where, w->given);
		r = ccfc_target_init(&w->present, path, err);
	}
	if (!r)
		r = ccfc_target_look(&w->present, err);
	if (!r)
		r = ask_restore(&w->answer, w, err);
	if (!r) {
		w->reply = ccfc_cli_value(w->answer);
		r = decide_content(w, cli, err);
		keep_path_and_hash(w);
	}
	ccfc_target_release(&w->present);
	free(path);
	return r;
}

void ccfc_restore_release(struct ccfc_restore *w)
{
	ccfc_reply_free(w->answer);
	ccfc_outside_release(&w->outside);
	ccfc_question_release(&w->q);
	free(w->path);
}

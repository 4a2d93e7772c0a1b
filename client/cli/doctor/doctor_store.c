/*
 * Is the store undamaged? The daemon checks it (store.check). The store has
 * facts from deleted transcripts, so nothing is ever thrown away: the daemon's
 * next start moves a damaged store aside and copies its readable rows.
 */
#include "base/time.h"
#include "cli/doctor/doctor.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"

#include <sys/stat.h>

#define KEY "store"

static void put_cost(const struct ccfc_doctor *d, struct ccfc_buf *why)
{
	struct ccfc_obj sources = ccfc_obj_get(ccfc_doctor_info(d), "sources");
	long long gone = (long long)ccfc_obj_get_int(sources, "gone", 0);

	if (!gone)
		return;
	ccfc_buf_puts(why, "; what is known of ");
	ccfc_render_count(why, gone, "transcript");
	ccfc_buf_puts(why, " that are gone is copied as far as it can be read");
}

static struct ccfc_slice first_problem(struct ccfc_obj problems,
				       const char *file)
{
	for (uint32_t i = 0; i < ccfc_obj_len(problems); i++) {
		struct ccfc_obj one = ccfc_obj_at(problems, i);

		if (ccfc_slice_is(ccfc_obj_get_str(one, "file"), file))
			return ccfc_obj_get_str(one, "problem");
	}
	return CCFC_SLICE_NONE;
}

/* The archive is checked by --deep only. */
static void damaged_archive(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_slice what =
		first_problem(ccfc_obj_get(reply, "problems"), "archive");
	struct ccfc_finding *f;

	if (!what.len)
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, "archive",
			    "%s/archive is damaged", d->state.ptr);
	ccfc_buf_slice(&f->why, what);
	ccfc_buf_puts(&f->why, "; lines of deleted transcripts in them cannot "
			       "be shown, everything else can");
}

/*
 * Damaged contents that were seen on disk, and a damaged list of forgotten
 * items.
 */
static void damaged_others(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_obj problems = ccfc_obj_get(reply, "problems");
	struct ccfc_slice seen = first_problem(problems, "blobs");
	struct ccfc_slice list = first_problem(problems, "forgotten");
	struct ccfc_finding *f;

	if (seen.len) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, "observe",
				    "%s/blobs is damaged", d->state.ptr);
		ccfc_buf_slice(&f->why, seen);
		ccfc_buf_puts(&f->why, "; states of files that only the disk "
				       "had cannot be shown, everything else "
				       "can");
	}
	if (list.len) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, "forget",
				    "%s/forgotten is damaged", d->state.ptr);
		ccfc_buf_slice(&f->why, list);
		ccfc_buf_puts(&f->why, "; a start mends it from the other");
		ccfc_doctor_stop(d, &f->fix);
		ccfc_buf_puts(&f->fix, " && ");
		ccfc_doctor_start(d, &f->fix);
	}
}

static void say_undamaged(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_OK, KEY, "is whole, ");

	ccfc_render_bytes(&f->what, ccfc_obj_get_int(reply, "bytes", 0));
	ccfc_buf_puts(&f->what, " and ");
	ccfc_render_bytes(&f->what, ccfc_obj_get_int(reply, "textBytes", 0));
	ccfc_buf_printf(&f->what, " of texts, schema %lld",
			(long long)ccfc_obj_get_int(reply, "schema", 0));
}

static void say_damaged(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_obj problems = ccfc_obj_get(reply, "problems");
	struct ccfc_slice index = first_problem(problems, "index.db");
	struct ccfc_slice texts = first_problem(problems, "texts");
	struct ccfc_finding *f;

	if (!index.len && !texts.len) {
		say_undamaged(d, reply);
		return;
	}
	f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, KEY, "%s/%s is damaged",
			    d->state.ptr, index.len ? "index.db" : "texts");
	ccfc_buf_slice(&f->why, index.len ? index : texts);
	ccfc_buf_puts(&f->why, "; a start writes it again from the "
			       "transcripts");
	put_cost(d, &f->why);
	ccfc_doctor_stop(d, &f->fix);
	ccfc_buf_puts(&f->fix, " && ");
	ccfc_doctor_start(d, &f->fix);
}

/* Reports the archive: its size, what it will drop next, errors. */
static void say_archive(struct ccfc_doctor *d)
{
	struct ccfc_obj archive = ccfc_obj_get(ccfc_doctor_info(d), "archive");
	struct ccfc_slice error = ccfc_obj_get_str(archive, "error");
	struct ccfc_finding *f;

	if (!ccfc_obj_get_str(archive, "mode").len)
		return;
	f = ccfc_doctor_say(d, error.len ? CCFC_LEVEL_FAIL : CCFC_LEVEL_OK,
			    "archive", "%s", "");
	ccfc_render_archive(&f->what, archive);
	ccfc_buf_slice(&f->why, error);
}

static void not_checked(struct ccfc_doctor *d, const char *why)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY, "was not checked");

	ccfc_buf_puts(&f->why, why);
	if (!d->info)
		ccfc_doctor_start(d, &f->fix);
}

/* The daemon has the index in memory only. */
static void say_no_state_dir(struct ccfc_doctor *d, struct ccfc_obj info)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_FAIL, KEY,
				"nothing is stored in %s", d->state.ptr);
	struct ccfc_buf aside = CCFC_BUF_INIT;
	struct stat st;

	ccfc_buf_puts(&f->why, "it was removed while the daemon ran: ");
	ccfc_buf_slice(&f->why, ccfc_obj_get_str(info, "stateProblem"));
	if (!lstat(d->state.ptr, &st) && !S_ISDIR(st.st_mode)) {
		ccfc_buf_printf(&aside, "%s.old", d->state.ptr);
		ccfc_buf_puts(&f->fix, "mv ");
		ccfc_doctor_quote(&f->fix, d->state.ptr);
		ccfc_buf_putc(&f->fix, ' ');
		ccfc_doctor_quote(&f->fix, aside.ptr);
	} else {
		ccfc_buf_puts(&f->fix, "mkdir -p -m 700 ");
		ccfc_doctor_quote(&f->fix, d->state.ptr);
	}
	ccfc_buf_printf(&f->fix, " && kill -HUP %lld",
			(long long)ccfc_obj_get_int(info, "pid", 0));
	ccfc_buf_release(&aside);
}

static void check_losses(struct ccfc_doctor *d)
{
	struct ccfc_obj info = ccfc_doctor_info(d);
	struct ccfc_obj when = ccfc_obj_get(info, "stateRestored");
	struct ccfc_finding *f;

	if (ccfc_obj_get_str(info, "stateProblem").len) {
		say_no_state_dir(d, info);
		return;
	}
	if (!ccfc_obj_str(when).len)
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY,
			    "files were removed while the daemon ran; they "
			    "were written again at ");
	ccfc_render_time(&f->what, when, CCFC_RENDER_MINUTE);
}

/* Reports write errors, and past damage, which the store remembers. */
static void say_past(struct ccfc_doctor *d)
{
	struct ccfc_obj info = ccfc_doctor_info(d);
	struct ccfc_obj store = ccfc_obj_get(info, "store");
	long long rows = (long long)ccfc_obj_get_int(store, "lostRows", 0);
	long long texts = (long long)ccfc_obj_get_int(store, "lostTexts", 0);
	struct ccfc_slice error = ccfc_obj_get_str(store, "error");
	struct ccfc_finding *f;

	if (error.len && !ccfc_obj_get_str(info, "stateProblem").len) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, KEY,
				    "cannot be written");
		ccfc_buf_slice(&f->why, error);
	}
	if (!ccfc_obj_get_str(store, "damagedAt").len)
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY, "was found damaged on ");
	ccfc_render_time(&f->what, ccfc_obj_get(store, "damagedAt"),
			 CCFC_RENDER_MINUTE);
	ccfc_buf_printf(&f->what,
			"; the damaged store is kept as %s/*.damaged-…",
			d->state.ptr);
	if (rows || texts)
		ccfc_buf_printf(&f->why,
				"%lld rows and %lld texts could not be "
				"copied, and are lost unless a transcript "
				"has them",
				rows, texts);
	else
		ccfc_buf_puts(&f->why, "all of it was copied");
}

void ccfc_doctor_store(struct ccfc_doctor *d, bool deep)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;

	if (!d->info) {
		not_checked(d, "this check needs a daemon");
		return;
	}
	check_losses(d);
	say_past(d);
	if (ccfc_cli_connect(d->cli, CCFC_SPAWN_NEVER, &err) < 0 ||
	    (deep ? ccfc_store_check_deep
		  : ccfc_store_check)(&reply, d->cli->client, &err) < 0)
		not_checked(d, err.what);
	else if (ccfc_obj_get_bool(ccfc_cli_value(reply), "ok", false))
		say_undamaged(d, ccfc_cli_value(reply));
	else
		say_damaged(d, ccfc_cli_value(reply));
	if (reply) {
		damaged_archive(d, ccfc_cli_value(reply));
		damaged_others(d, ccfc_cli_value(reply));
	}
	ccfc_reply_free(reply);
	say_archive(d);
}

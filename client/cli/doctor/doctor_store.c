/*
 * Is what is stored whole? The daemon looks (store.check). The store has what
 * is known of transcripts that are gone, so nothing of it is ever thrown away:
 * what is damaged is put aside.
 */
#include "base/time.h"
#include "cli/doctor/doctor.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"

#define KEY "store"

/* Which files of the state directory are to be made anew. */
static void put_fix(const struct ccfc_doctor *d, struct ccfc_buf *fix,
		    bool index)
{
	struct ccfc_buf dir = CCFC_BUF_INIT;
	char now[CCFC_TIME_TEXT_MAX];

	ccfc_buf_printf(&dir, "%s/damaged-%s", d->state.ptr,
			ccfc_time_format_local(now, d->now, "%Y%m%d-%H%M%S"));
	ccfc_doctor_stop(d, fix);
	ccfc_buf_puts(fix, " && mkdir ");
	ccfc_doctor_quote(fix, dir.ptr);
	ccfc_buf_puts(fix, " && mv ");
	if (index) {
		ccfc_doctor_quote(fix, d->state.ptr);
		ccfc_buf_puts(fix, "/index.db* ");
	}
	ccfc_doctor_quote(fix, d->state.ptr);
	ccfc_buf_puts(fix, "/texts ");
	ccfc_doctor_quote(fix, dir.ptr);
	ccfc_buf_puts(fix, " && ");
	ccfc_doctor_start(d, fix);
	ccfc_buf_release(&dir);
}

static void put_cost(const struct ccfc_doctor *d, struct ccfc_buf *why)
{
	struct ccfc_obj sources = ccfc_obj_get(ccfc_doctor_info(d), "sources");
	long long gone = (long long)ccfc_obj_get_int(sources, "gone", 0);

	if (!gone)
		return;
	ccfc_buf_puts(why, "; what is known of ");
	ccfc_render_count(why, gone, "transcript");
	ccfc_buf_puts(why, " that are gone stays in the files put aside only");
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

static void damaged(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_obj problems = ccfc_obj_get(reply, "problems");
	struct ccfc_slice index = first_problem(problems, "index.db");
	struct ccfc_slice texts = first_problem(problems, "texts");
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_FAIL, KEY, "%s/%s is damaged",
				d->state.ptr, index.len ? "index.db" : "texts");

	ccfc_buf_slice(&f->why, index.len ? index : texts);
	ccfc_buf_puts(&f->why, "; it can be made anew from the transcripts");
	put_cost(d, &f->why);
	put_fix(d, &f->fix, index.len > 0);
}

static void whole(struct ccfc_doctor *d, struct ccfc_obj reply)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_OK, KEY, "is whole, ");

	ccfc_render_bytes(&f->what, ccfc_obj_get_int(reply, "bytes", 0));
	ccfc_buf_puts(&f->what, " and ");
	ccfc_render_bytes(&f->what, ccfc_obj_get_int(reply, "textBytes", 0));
	ccfc_buf_printf(&f->what, " of texts, schema %lld",
			(long long)ccfc_obj_get_int(reply, "schema", 0));
}

static void not_checked(struct ccfc_doctor *d, const char *why)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY, "was not checked");

	ccfc_buf_puts(&f->why, why);
	if (!d->info)
		ccfc_doctor_start(d, &f->fix);
}

void ccfc_doctor_store(struct ccfc_doctor *d)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;

	if (!d->info) {
		not_checked(d, "that takes a daemon");
		return;
	}
	if (ccfc_cli_connect(d->cli, CCFC_SPAWN_NEVER, &err) < 0 ||
	    ccfc_store_check(&reply, d->cli->client, &err) < 0)
		not_checked(d, err.what);
	else if (ccfc_obj_get_bool(ccfc_cli_value(reply), "ok", false))
		whole(d, ccfc_cli_value(reply));
	else
		damaged(d, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
}

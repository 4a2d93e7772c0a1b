/*
 * command.mark: when a shell command began or ended, reported by a hook of the
 * client at that moment (`ccfc mark`). index/command_marks.c uses it.
 */
#include "serve/rpc/reply.h"

#include "base/time.h"
#include "forget/forgotten.h"

/* Ids are short: those of calls have about 30 bytes, those of sessions 36. */
#define ID_MAX_LEN 128u
/*
 * A mark is about the present moment. If it differs by more, in ms, the
 * reporter's clock is wrong.
 */
#define NOW_MS (10 * 60 * 1000)

static bool is_id(struct ccfc_slice id)
{
	for (size_t i = 0; i < id.len; i++)
		if (id.ptr[i] <= 0x20 || id.ptr[i] >= 0x7f)
			return false;
	return id.len && id.len <= ID_MAX_LEN;
}

static bool is_now(int64_t time)
{
	int64_t now = ccfc_time_now();

	return time >= now - NOW_MS && time <= now + NOW_MS;
}

/* The time in an option; CCFC_TIME_NONE if the option was not given. */
static int64_t option_time(const struct ccfc_options *o, uint64_t which,
			   int64_t given)
{
	return o->given & which ? given : CCFC_TIME_NONE;
}

/* Must nothing be kept of this session? */
static bool is_session_unwanted(const struct ccfc_service *service,
				const struct ccfc_options *o)
{
	return ccfc_forgotten_session(service->forgotten, o->session) ||
	       (o->cwd.len && service->excluded &&
		service->excluded(service->ctx, o->cwd));
}

int ccfc_method_command_mark(struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;
	int64_t began = option_time(o, CCFC_OPT(BEGAN), o->began);
	int64_t ended = option_time(o, CCFC_OPT(ENDED), o->ended);
	bool kept;

	if (!is_id(o->session) || !is_id(o->tool_use_id))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "an id is one word of at most %u bytes",
				    ID_MAX_LEN);
	if (began == CCFC_TIME_NONE && ended == CCFC_TIME_NONE)
		return ccfc_err_set(
			err, CCFC_EINVAL,
			"one of option 'began' and option 'ended' is "
			"required");
	kept = (began == CCFC_TIME_NONE || is_now(began)) &&
	       (ended == CCFC_TIME_NONE || is_now(ended)) &&
	       !is_session_unwanted(rq->service, o) &&
	       ccfc_index_mark(rq->service->index, o->session, o->tool_use_id,
			       began, ended);
	if (kept && rq->service->save)
		rq->service->save(rq->service->ctx);
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_bool(rq->pack, "kept", kept);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
	return 0;
}

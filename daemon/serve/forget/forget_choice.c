/* The items that a request to forget selects; see forget_choice.h. */
#include "serve/forget/forget_choice.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/query/glob.h"

#include <stdlib.h>

static void put_id(struct ccfc_ids *ids, uint32_t id)
{
	CCFC_VEC_PUSH(*ids, id);
}

/* --- sessions --- */

/*
 * Selects sessions of a project, and sessions whose last line is before a time.
 */
static void choose_sessions(struct ccfc_forget_choice *c,
			    const struct ccfc_index *index)
{
	for (uint32_t i = 1; i < index->sessions.n; i++) {
		const struct ccfc_session *s = &index->sessions.items[i];

		if (!s->seen)
			continue;
		if (c->below.len &&
		    (!s->project ||
		     !ccfc_path_is_below(ccfc_index_str(index, s->project),
					 c->below)))
			continue;
		if (c->before != CCFC_TIME_NONE &&
		    (s->end == CCFC_TIME_NONE || s->end >= c->before))
			continue;
		put_id(&c->sessions, i);
	}
}

/*
 * The transcripts to be removed: those named after such a session, and those
 * without a session's name whose lines all belong to such sessions.
 */
static bool is_transcript_of_chosen(const struct ccfc_index *index,
				    uint32_t source, const bool *goes)
{
	const struct ccfc_source *s = &index->sources.items[source];
	bool any = false;

	if (s->session)
		return goes[s->session];
	for (uint32_t i = 0; i < index->session_sources.n; i++) {
		const struct ccfc_session_source *part =
			&index->session_sources.items[i];

		if (part->source != source)
			continue;
		if (!goes[part->session])
			return false;
		any = true;
	}
	return any;
}

static void choose_sources(struct ccfc_forget_choice *c,
			   const struct ccfc_index *index)
{
	bool *goes = ccfc_calloc(index->sessions.n, sizeof(*goes));

	for (uint32_t i = 0; i < c->sessions.n; i++) {
		const struct ccfc_session *s =
			&index->sessions.items[c->sessions.items[i]];

		goes[c->sessions.items[i]] = true;
		c->changes += s->changes.n;
	}
	for (uint32_t i = 0; c->sessions.n && i < index->sources.n; i++)
		if (is_transcript_of_chosen(index, i, goes)) {
			put_id(&c->sources, i);
			c->bytes += index->sources.items[i].cursor.offset;
		}
	free(goes);
}

/* --- files --- */

static bool is_listed(const struct ccfc_change *change)
{
	return change->file && !ccfc_index_is_command(change) &&
	       change->settled;
}

static void choose_files(struct ccfc_forget_choice *c,
			 const struct ccfc_index *index, struct ccfc_glob *glob)
{
	bool *goes = ccfc_calloc(index->files.n, sizeof(*goes));

	for (uint32_t i = 1; i < index->files.n; i++)
		if (ccfc_glob_match(glob, ccfc_index_file_path(index, i))) {
			goes[i] = true;
			put_id(&c->files, i);
		}
	for (uint32_t i = 0; c->files.n && i < index->changes.n; i++)
		c->changes += is_listed(&index->changes.items[i]) &&
			      goes[index->changes.items[i].file];
	free(goes);
}

/* --- the request --- */

static int check_options(const struct ccfc_request *rq, struct ccfc_err *err)
{
	const uint64_t given = rq->opt.given;
	bool one = given & CCFC_OPT(SESSION), path = given & CCFC_OPT(PATH);
	bool many = given & (CCFC_OPT(PROJECT_PATH) | CCFC_OPT(HERE) |
			     CCFC_OPT(TO_DATE));

	if (one + path + many == 1)
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL,
			    "%s: give a session, or a project and a time, or "
			    "a path",
			    rq->method);
}

static int choose_by_glob(struct ccfc_forget_choice *c, struct ccfc_request *rq,
			  struct ccfc_err *err)
{
	struct ccfc_glob *glob = NULL;
	int r = ccfc_args_glob(&glob, rq, CCFC_OPT_PATH, rq->opt.path, err);

	if (!r)
		choose_files(c, rq->index, glob);
	ccfc_glob_free(glob);
	return r;
}

int ccfc_forget_choose(struct ccfc_forget_choice *c, struct ccfc_request *rq,
		       struct ccfc_err *err)
{
	struct ccfc_filter filter;
	uint32_t session;
	int r = check_options(rq, err);

	*c = (struct ccfc_forget_choice){ .before = CCFC_TIME_NONE };
	if (!r && (rq->opt.given & CCFC_OPT(PATH))) {
		r = choose_by_glob(c, rq, err);
	} else if (!r && (rq->opt.given & CCFC_OPT(SESSION))) {
		r = ccfc_query_session(&session, rq->index, rq->opt.session,
				       err);
		if (!r)
			put_id(&c->sessions, session);
	} else if (!r) {
		r = ccfc_args_filter(&filter, rq, err);
		if (!r) {
			c->below = filter.project;
			c->before =
				filter.has_to ? filter.to + 1 : CCFC_TIME_NONE;
			choose_sessions(c, rq->index);
		}
	}
	if (r)
		return r;
	choose_sources(c, rq->index);
	if (!c->sessions.n && !c->files.n)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "%s: there is nothing of that kind",
				    rq->method);
	return 0;
}

void ccfc_forget_choice_release(struct ccfc_forget_choice *c)
{
	free(c->sessions.items);
	free(c->files.items);
	free(c->sources.items);
}

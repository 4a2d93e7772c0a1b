/*
 * session.recover: files whose last content can be had from history; those of
 * a session, or all that are not on disk any more. The client asks for each
 * content with file.at.
 *
 * Names and what is on disk are cheap; content is only put together for files
 * on the page, or where a keyword is not in the path. What is searched is
 * bounded.
 */
#include "history/chain/read_file.h"
#include "history/plan/words.h"
#include "serve/rpc/content_reply.h"

#define GONE "its changes are not known any more"

struct recover {
	struct ccfc_request *rq;
	struct ccfc_groups files;
	struct ccfc_slice base; /* of names */
	uint32_t session;	/* 0: those that are deleted */
	uint64_t total;
	bool truncated;
};

struct candidate {
	uint32_t file, change;
	bool on_disk;
	bool has_state;
	struct ccfc_content_state state;
};

/* --- choosing --- */

/* The file's last change, of the session if there is one; -1: none. */
static int64_t last_change(const struct recover *r,
			   const struct ccfc_chain *chain)
{
	for (uint32_t i = ccfc_chain_len(chain); i--;) {
		uint32_t id = ccfc_chain_change(chain, i);

		if (!r->session ||
		    r->rq->index->changes.items[id].session == r->session)
			return i;
	}
	return -1;
}

static void find_state(struct candidate *c, struct recover *r)
{
	struct ccfc_request *rq = r->rq;
	struct ccfc_chain *chain;
	int64_t i;

	c->has_state = true;
	if (!rq->reading_left) {
		c->state =
			(struct ccfc_content_state){ .why = CCFC_REPLY_FULL };
		r->truncated = true;
		return;
	}
	chain = ccfc_chain_open(rq->service->history, c->file);
	i = chain ? last_change(r, chain) : -1;
	c->state = (struct ccfc_content_state){ .why = GONE };
	if (i < 0)
		return;
	c->change = ccfc_chain_change(chain, (uint32_t)i);
	ccfc_chain_after(&c->state, chain, (uint32_t)i, &rq->methods->texts);
	ccfc_states_charge(rq, c->state.bytes.len);
}

/* Is every keyword in the path, or in the content? */
static bool has_words(struct candidate *c, struct recover *r)
{
	const struct ccfc_slices *words = &r->rq->opt.keywords;
	struct ccfc_slice path = ccfc_index_file_path(r->rq->index, c->file);

	for (uint32_t i = 0; i < words->n; i++) {
		if (ccfc_word_in(words->items[i], path))
			continue;
		if (!c->has_state && !r->rq->reading_left) {
			r->truncated = true;
			return false;
		}
		if (!c->has_state)
			find_state(c, r);
		/* Searching is not for free either. */
		ccfc_states_charge(r->rq, c->state.bytes.len);
		if (!ccfc_word_in_state(words->items[i], &c->state))
			return false;
	}
	return true;
}

static bool is_on_disk(const struct recover *r, uint32_t file)
{
	struct ccfc_file_info info = { 0 };
	int e = ccfc_file_read(NULL, &info,
			       ccfc_index_file_path(r->rq->index, file).ptr, 0,
			       NULL);

	/* What cannot be looked at is not known to be gone. */
	return e || info.exists;
}

static bool choose_session_recover(struct candidate *c, struct recover *r,
				   const struct ccfc_group *group)
{
	const struct ccfc_index *index = r->rq->index;

	*c = (struct candidate){ .file = group->key,
				 .change =
					 group->changes[group->nchanges - 1] };
	/* Nothing is left of a file that was deleted by a change. */
	if (index->changes.items[c->change].result.op == CCFC_OP_DELETED)
		return false;
	c->on_disk = is_on_disk(r, c->file);
	if (!r->session && c->on_disk)
		return false;
	return has_words(c, r);
}

/* --- packing --- */

static void pack_candidate(struct recover *r, struct candidate *c)
{
	struct ccfc_pack *p = r->rq->pack;

	if (!c->has_state)
		find_state(c, r);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path",
			 ccfc_index_file_path(r->rq->index, c->file));
	ccfc_pack_kv_str(p, "name", ccfc_states_name(r->rq, c->file, r->base));
	ccfc_reply_change_ref(r->rq, c->change);
	ccfc_pack_kv_bool(p, "exists", c->on_disk);
	ccfc_reply_state_facts(p, &c->state);
	ccfc_pack_end(p);
}

static void pack_files_session_recover(struct recover *r)
{
	uint64_t from = (uint64_t)r->rq->opt.offset;
	uint64_t limit = (uint64_t)r->rq->opt.limit;
	uint64_t shown = 0;

	ccfc_pack_cstr(r->rq->pack, "files");
	ccfc_pack_array(r->rq->pack);
	for (uint32_t i = 0; i < r->files.n; i++) {
		struct candidate c;
		bool wanted = choose_session_recover(&c, r, &r->files.items[i]);

		if (wanted && r->total >= from && shown < limit) {
			pack_candidate(r, &c);
			shown++;
		}
		r->total += wanted;
		ccfc_arena_clear(&r->rq->methods->texts);
	}
	ccfc_pack_end(r->rq->pack);
	r->truncated |= r->total > from && r->total - from > shown;
}

/* --- asking --- */

static int ask_deleted(struct recover *r, struct ccfc_err *err)
{
	struct ccfc_filter filter;
	int e = ccfc_args_filter(&filter, r->rq, err);

	if (e)
		return e;
	r->base = filter.project;
	ccfc_query_files(&r->files, r->rq->index, &filter, r->rq->arena);
	return 0;
}

static int ask(struct recover *r, struct ccfc_err *err)
{
	struct ccfc_request *rq = r->rq;
	bool by_session = rq->opt.given & CCFC_OPT(SESSION);
	int e;

	if (by_session == rq->opt.deleted)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: one of the options 'session' and "
				    "'deleted' has to be given",
				    rq->method);
	if (!by_session)
		return ask_deleted(r, err);
	e = ccfc_args_session_files(&r->session, &r->files, rq, err);
	if (!e)
		r->base = ccfc_args_project(rq, r->session);
	return e;
}

int ccfc_method_session_recover(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct recover r = { .rq = rq };
	int e = ask(&r, err);

	if (e)
		return e;
	ccfc_pack_map(rq->pack);
	pack_files_session_recover(&r);
	ccfc_pack_kv_uint(rq->pack, "total", r.total);
	ccfc_pack_kv_bool(rq->pack, "truncated", r.truncated);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}

/*
 * session.recover: files whose last content is known from history; those of a
 * session, or all that are not on disk any more. The client asks for each
 * content with file.at.
 *
 * Content is only reconstructed for files on the page, or if a keyword is not
 * in the path; the amount of searched content is limited.
 */
#include "serve/history/recover.h"

#include "history/chain/lines.h"
#include "history/file/read_file.h"
#include "history/plan/point.h"
#include "history/plan/words.h"
#include "serve/rpc/content_reply.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

#define GONE "its changes are not known any more"
#define CUT                                                                    \
	"only the call is recorded: whether the file was written is not known"

struct recover {
	struct ccfc_request *rq;
	const struct ccfc_groups *files; /* of each the last change counts */
	struct ccfc_slice base;		 /* of names */
	uint32_t session;		 /* 0: all deleted files */
	uint64_t total;
	bool truncated;
};

struct candidate {
	uint32_t file;
	uint32_t change;  /* ID_NONE: only backups are known, */
	uint32_t session; /* of that session */
	bool on_disk;
	bool has_state;
	int64_t seen;  /* when a backup shows the state, or TIME_NONE */
	int64_t since; /* the time since when the file is gone, or TIME_NONE */
	bool cut;      /* the change is a Write without a result */
	bool taken;    /* a command deleted it: the content is that before */
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

/*
 * Finds the last content from change i on, up to the next change. A later
 * backup may show it, or show that the file was gone.
 */
static void find_last(struct candidate *c, struct ccfc_chain *chain, uint32_t i,
		      struct ccfc_arena *arena)
{
	struct ccfc_point point = ccfc_point_last(chain, i);

	ccfc_at_state(&c->state, chain, &point, arena);
	while (point.seen != CCFC_ID_NONE &&
	       c->state.fidelity == CCFC_FIDELITY_EXACT && !c->state.exists) {
		c->since = ccfc_chain_seen_time(chain, point.seen);
		point.seen = ccfc_chain_seen_before(chain, point.seen);
		ccfc_at_state(&c->state, chain, &point, arena);
	}
	if (point.seen != CCFC_ID_NONE)
		c->seen = ccfc_chain_seen_time(chain, point.seen);
}

static bool is_deleted_by_command(const struct ccfc_index *index,
				  uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];

	return c->shell && c->result.op == CCFC_OP_DELETED;
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
	chain = ccfc_chain_open(rq->history, c->file);
	i = chain ? last_change(r, chain) : -1;
	c->state = (struct ccfc_content_state){ .why = GONE };
	if (i < 0)
		return;
	c->change = ccfc_chain_change(chain, (uint32_t)i);
	c->taken = is_deleted_by_command(rq->index, c->change);
	if (c->taken) {
		c->since = ccfc_chain_time(chain, (uint32_t)i);
		ccfc_chain_before(&c->state, chain, (uint32_t)i, rq->texts);
	} else {
		find_last(c, chain, (uint32_t)i, rq->texts);
	}
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
		/* Searching counts as reading. */
		ccfc_states_charge(r->rq, c->state.bytes.len);
		if (!ccfc_word_in_state(words->items[i], &c->state))
			return false;
	}
	return true;
}

bool ccfc_recover_is_on_disk(const char *path)
{
	struct ccfc_file_info info = { 0 };
	int e = ccfc_file_read(NULL, &info, path, 0, NULL);

	/* A file that cannot be examined is not known to be gone. */
	return e || info.exists;
}

static uint32_t last_change_of_group(const struct ccfc_group *group)
{
	return group->changes[group->nchanges - 1];
}

/* A tool has deleted it: that is as it was meant. */
bool ccfc_recover_was_deleted(const struct ccfc_index *index, uint32_t last)
{
	const struct ccfc_change *c = &index->changes.items[last];

	return !c->shell && c->result.op == CCFC_OP_DELETED;
}

/* Of most files that a command deletes, no content was ever known. */
static bool has_known(struct candidate *c, struct recover *r)
{
	if (!is_deleted_by_command(r->rq->index, c->change))
		return true;
	find_state(c, r);
	return c->state.fidelity != CCFC_FIDELITY_UNKNOWN && c->state.exists;
}

/* The changes of the group that took effect. */
static struct ccfc_group applied_changes_of(const struct ccfc_group *group,
					    const struct ccfc_index *index,
					    struct ccfc_arena *arena)
{
	struct ccfc_group out = *group;
	uint32_t *list =
		ccfc_arena_alloc(arena, (group->nchanges + 1u) * sizeof(*list));

	out.changes = list;
	out.nchanges = 0;
	for (uint32_t i = 0; i < group->nchanges; i++)
		if (index->changes.items[group->changes[i]].state ==
		    CCFC_STATE_APPLIED)
			list[out.nchanges++] = group->changes[i];
	return out;
}

static bool choose_last_state(struct candidate *c, struct recover *r,
			      const struct ccfc_group *all)
{
	const struct ccfc_index *index = r->rq->index;
	struct ccfc_group applied =
		applied_changes_of(all, index, r->rq->texts);
	const struct ccfc_group *group = &applied;

	if (!group->nchanges)
		return false;
	*c = (struct candidate){ .file = group->key,
				 .change = last_change_of_group(group),
				 .seen = CCFC_TIME_NONE,
				 .since = CCFC_TIME_NONE };
	if (ccfc_recover_was_deleted(index, last_change_of_group(group)))
		return false;
	c->on_disk = ccfc_recover_is_on_disk(
		ccfc_index_file_path(index, c->file).ptr);
	if (!r->session && c->on_disk)
		return false;
	return has_known(c, r) && has_words(c, r);
}

/* --- Writes without a result --- */

/* The content that the call would write, if it writes a whole file. */
static bool read_cut(struct ccfc_content_state *out, struct recover *r,
		     const struct ccfc_change *change)
{
	const struct ccfc_history_env *env = ccfc_history_env(r->rq->history);
	struct ccfc_slice call =
		ccfc_history_call_line(env, change, r->rq->texts);
	struct ccfc_evidence ev;

	if (!call.len ||
	    !ccfc_evidence_read(env->parser, &ev, ccfc_index_call_id(change),
				change->part, call, CCFC_SLICE_NONE,
				r->rq->texts) ||
	    !ev.has_after)
		return false;
	*out = (struct ccfc_content_state){ .fidelity =
						    CCFC_FIDELITY_RECONSTRUCTED,
					    .origin = CCFC_ORIGIN_CALL,
					    .assumed = CCFC_ASSUMED_CONTENT,
					    .exists = true,
					    .bytes = ev.after,
					    .why = CUT };
	return true;
}

/*
 * The file's last change, if it is a Write without a result because of a crash:
 * it may be the last content.
 */
static bool choose_cut(struct candidate *c, struct recover *r,
		       const struct ccfc_group *group)
{
	const struct ccfc_index *index = r->rq->index;
	const struct ccfc_change *change =
		&index->changes.items[last_change_of_group(group)];

	*c = (struct candidate){ .file = group->key,
				 .change = last_change_of_group(group),
				 .seen = CCFC_TIME_NONE,
				 .since = CCFC_TIME_NONE,
				 .cut = true,
				 .has_state = true };
	if (!r->session || (change->state != CCFC_STATE_PENDING &&
			    change->state != CCFC_STATE_INTERRUPTED))
		return false;
	if (!r->rq->reading_left) {
		r->truncated = true;
		return false;
	}
	if (!read_cut(&c->state, r, change))
		return false;
	ccfc_states_charge(r->rq, c->state.bytes.len);
	c->on_disk = ccfc_recover_is_on_disk(
		ccfc_index_file_path(index, c->file).ptr);
	return has_words(c, r);
}

/* --- files that only snapshots name --- */

/* The last backup with a content, in a chain without changes; the session's,
 * if there is one. */
static bool find_backup(struct candidate *c, struct recover *r)
{
	struct ccfc_chain *chain =
		ccfc_chain_open_seen(r->rq->history, c->file);
	uint32_t k;

	if (!chain || ccfc_chain_len(chain))
		return false;
	for (k = ccfc_chain_seen(chain, 0, INT64_MAX); k != CCFC_ID_NONE;
	     k = ccfc_chain_seen_before(chain, k)) {
		c->session = ccfc_chain_seen_session(chain, k);
		if (r->session && c->session != r->session)
			continue;
		ccfc_chain_seen_state(&c->state, chain, k, r->rq->texts);
		c->seen = ccfc_chain_seen_time(chain, k);
		if (c->state.fidelity != CCFC_FIDELITY_EXACT || c->state.exists)
			break;
		c->since = c->seen;
	}
	ccfc_states_charge(r->rq, c->state.bytes.len);
	return k != CCFC_ID_NONE;
}

static bool choose_seen(struct candidate *c, struct recover *r,
			const struct ccfc_group *group)
{
	*c = (struct candidate){ .file = group->key,
				 .change = CCFC_ID_NONE,
				 .seen = CCFC_TIME_NONE,
				 .since = CCFC_TIME_NONE,
				 .has_state = true };
	if (!r->rq->reading_left) {
		r->truncated = true;
		return false;
	}
	c->on_disk = ccfc_recover_is_on_disk(
		ccfc_index_file_path(r->rq->index, c->file).ptr);
	if (!r->session && c->on_disk)
		return false;
	return find_backup(c, r) && has_words(c, r);
}

/*
 * Chooses the last content of a file; with `cut`, the content of a Write
 * without a result.
 */
static bool choose_content(struct candidate *c, struct recover *r,
			   const struct ccfc_group *group, bool cut)
{
	if (!group->nchanges)
		return !cut && choose_seen(c, r, group);
	return cut ? choose_cut(c, r, group) : choose_last_state(c, r, group);
}

/* --- packing --- */

static void pack_before(struct ccfc_pack *p, const struct ccfc_change *change)
{
	struct ccfc_buf at = CCFC_BUF_INIT;

	ccfc_buf_puts(&at, "before:");
	ccfc_buf_append(&at, change->id, change->id_len);
	ccfc_pack_kv_str(p, "at", ccfc_buf_view(&at));
	ccfc_buf_release(&at);
}

static void pack_id(struct ccfc_pack *p, const struct ccfc_change *change)
{
	ccfc_pack_kv_str(p, "at", ccfc_slice(change->id, change->id_len));
}

/* How to ask for the content. */
static void pack_content_address(struct ccfc_pack *p,
				 const struct ccfc_index *index,
				 const struct candidate *c)
{
	if (c->cut) {
		ccfc_pack_kv_bool(p, "pending", true);
		return;
	}
	if (c->seen != CCFC_TIME_NONE)
		ccfc_pack_kv_time(p, "at", c->seen);
	else if (c->taken)
		pack_before(p, &index->changes.items[c->change]);
	else
		pack_id(p, &index->changes.items[c->change]);
	if (c->since != CCFC_TIME_NONE)
		ccfc_pack_kv_time(p, "goneSince", c->since);
}

static void pack_candidate(struct recover *r, struct candidate *c)
{
	struct ccfc_pack *p = r->rq->pack;

	if (!c->has_state)
		find_state(c, r);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path",
			 ccfc_index_file_path(r->rq->index, c->file));
	ccfc_pack_kv_str(p, "name", ccfc_states_name(r->rq, c->file, r->base));
	if (c->change == CCFC_ID_NONE)
		ccfc_reply_seen_ref(r->rq, c->session, c->seen);
	else
		ccfc_reply_change_ref(r->rq, c->change);
	pack_content_address(p, r->rq->index, c);
	ccfc_pack_kv_bool(p, "exists", c->on_disk);
	ccfc_reply_state_facts(p, &c->state);
	/* A Write without a result: file.at has no point with this content. */
	if (c->cut && c->state.bytes.len <= r->rq->content_left) {
		r->rq->content_left -= c->state.bytes.len;
		ccfc_pack_kv_bin(p, "content", c->state.bytes);
	}
	ccfc_pack_end(p);
}

static void pack_candidates(struct recover *r)
{
	uint64_t from = (uint64_t)r->rq->opt.offset;
	uint64_t limit = (uint64_t)r->rq->opt.limit;
	uint64_t shown = 0;

	ccfc_pack_cstr(r->rq->pack, "files");
	ccfc_pack_array(r->rq->pack);
	for (uint32_t i = 0;
	     i < r->files->n && !ccfc_history_job_is_over(r->rq); i++) {
		const struct ccfc_group *group = &r->files->items[i];

		for (int cut = 0; cut < 2; cut++) {
			struct candidate c;
			bool wanted = choose_content(&c, r, group, cut);

			if (wanted && r->total >= from && shown < limit) {
				pack_candidate(r, &c);
				shown++;
			}
			r->total += wanted;
			ccfc_arena_clear(r->rq->texts);
		}
	}
	ccfc_pack_end(r->rq->pack);
	r->truncated |= r->total > from && r->total - from > shown;
}

int ccfc_recover_answer(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct recover r = { .rq = rq,
			     .files = &job->groups,
			     .base = job->path,
			     .session = job->session };

	(void)err;
	job->plain = true;
	if (job->session)
		r.base = ccfc_args_project(rq, job->session);
	ccfc_pack_map(rq->pack);
	pack_candidates(&r);
	ccfc_pack_kv_uint(rq->pack, "total", r.total);
	ccfc_pack_kv_bool(rq->pack, "truncated", r.truncated);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
	return 0;
}

/* --- the files of a session --- */

/* Adds files in the session's snapshots that nobody changed. */
static void add_seen_files(struct ccfc_groups *files, struct ccfc_excerpting *e,
			   struct ccfc_request *rq, uint32_t session)
{
	const struct ccfc_filter applied = { .states = CCFC_STATES_APPLIED };
	struct ccfc_backup_paths paths = { 0 };
	struct ccfc_group *all;

	ccfc_query_backup_paths(&paths, rq->index, session, rq->arena);
	all = ccfc_arena_alloc(rq->arena, ((size_t)files->n + paths.n + 1u) *
						  sizeof(*all));
	if (files->n)
		memcpy(all, files->items, files->n * sizeof(*all));
	files->items = all;
	for (uint32_t i = 0; i < paths.n; i++) {
		uint32_t file = ccfc_query_file(rq->index, paths.items[i]);

		if (file && ccfc_query_has(rq->index, file, &applied))
			continue;
		all[files->n++] = (struct ccfc_group){
			.key = ccfc_excerpt_add_path(e, paths.items[i])
		};
	}
	free(paths.items);
}

static int ask_session(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_filter filter;
	struct ccfc_excerpting e;
	struct ccfc_groups files;
	uint32_t session;
	int r = ccfc_args_session(&session, &filter, rq, err);

	if (!r)
		r = ccfc_args_group_files(&files, rq, session, &filter);
	if (r)
		return r;
	ccfc_excerpt_init(&e, rq->index, CCFC_EXCERPT_CHAINS);
	ccfc_excerpt_add_session(&e, session);
	for (uint32_t i = 0; i < files.n; i++)
		ccfc_excerpt_add_file(&e, files.items[i].key);
	if (ccfc_filter_accepts_session(rq->index, &filter, session))
		add_seen_files(&files, &e, rq, session);
	job = ccfc_history_job_new(rq, &e, ccfc_recover_answer);
	job->session = session;
	ccfc_history_job_groups(job, &files, false);
	return ccfc_history_job_start(rq, job, err);
}

int ccfc_method_session_recover(struct ccfc_request *rq, struct ccfc_err *err)
{
	bool by_session = rq->opt.given & CCFC_OPT(SESSION);

	if (by_session == rq->opt.deleted)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: give either option 'session' or "
				    "option 'deleted'",
				    rq->method);
	if (!by_session)
		return ccfc_recover_deleted(rq, err);
	rq->opt.states |= CCFC_STATE_BIT(CCFC_STATE_PENDING) |
			  CCFC_STATE_BIT(CCFC_STATE_INTERRUPTED);
	return ask_session(rq, err);
}

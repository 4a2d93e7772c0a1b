/*
 * Chains: made on request, kept while their sources are unchanged. The order of
 * a chain is that of effects: a result's time, since calls of one message are
 * made together and take effect one by one.
 */
#include "history/chain/chain.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/blame/agent_start.h"
#include "history/chain/checkpoints.h"
#include "history/gap/inferred.h"
#include "history/kept.h"
#include "history/rename_text.h"

#include <stdlib.h>

/* The times of file systems are at most this coarse. */
#define FRESH_MS 100

const char *ccfc_fidelity_text(enum ccfc_fidelity fidelity)
{
	static const char *const text[] = { "unknown", "partial",
					    "reconstructed", "exact" };

	return text[fidelity];
}

const char *ccfc_origin_text(enum ccfc_origin origin)
{
	static const char *const text[] = {
		[CCFC_ORIGIN_NONE] = "",
		[CCFC_ORIGIN_RESULT] = "result",
		[CCFC_ORIGIN_WRITE] = "write",
		[CCFC_ORIGIN_CALL] = "call",
		[CCFC_ORIGIN_READ] = "read",
		[CCFC_ORIGIN_BACKUP] = "backup",
		[CCFC_ORIGIN_OBSERVED] = "observed",
		[CCFC_ORIGIN_DISK] = "disk",
		[CCFC_ORIGIN_REPLAY] = "replay",
	};

	return text[origin];
}

const char *ccfc_assumed_text(enum ccfc_assumed assumed)
{
	static const char *const text[] = {
		[CCFC_ASSUMED_NOTHING] = "",
		[CCFC_ASSUMED_FORM] = "form",
		[CCFC_ASSUMED_MOMENT] = "moment",
		[CCFC_ASSUMED_CONTENT] = "content",
	};

	return text[assumed];
}

struct ccfc_history *ccfc_history_new(const struct ccfc_history_env *env)
{
	struct ccfc_history *h = ccfc_calloc(1, sizeof(*h));

	h->env = *env;
	if (!env->kept)
		h->env.kept = h->own_kept = ccfc_kept_new();
	ccfc_arena_init(&h->scratch);
	return h;
}

const struct ccfc_history_env *
ccfc_history_env(const struct ccfc_history *history)
{
	return &history->env;
}

const struct ccfc_period *
ccfc_history_wanted_commands(const struct ccfc_history *history, uint32_t *n)
{
	*n = history->spans.n;
	return history->spans.items;
}

void ccfc_chain_free(struct ccfc_chain *chain)
{
	if (!chain)
		return;
	ccfc_checkpoints_release(chain);
	ccfc_rename_release(&chain->moved);
	ccfc_copies_release(&chain->copies);
	ccfc_buf_release(&chain->hand);
	ccfc_buf_release(&chain->last);
	free(chain->nodes);
	free(chain->forward);
	free(chain->runs.items);
	free(chain->run_commands.items);
	free(chain);
}

size_t ccfc_chain_bytes(const struct ccfc_chain *chain)
{
	return sizeof(*chain) + chain->mark_bytes + chain->hand.cap +
	       chain->last.cap +
	       ((size_t)chain->n + chain->nforward) * sizeof(*chain->nodes) +
	       chain->copies.cap * sizeof(*chain->copies.items) +
	       ccfc_rename_bytes(&chain->moved);
}

/*
 * Keeps the open chain for later questions, unless the question was aborted. A
 * chain without changes is not kept, because its file may have no stable
 * number.
 */
static void keep_open_chain(struct ccfc_history *history)
{
	struct ccfc_chain *chain = history->chain;

	history->chain = NULL;
	if (chain && chain->n && !ccfc_tail_is_over(history->env.tail))
		ccfc_kept_put_chain(history->env.kept, chain);
	else
		ccfc_chain_free(chain);
}

void ccfc_history_free(struct ccfc_history *history)
{
	if (!history)
		return;
	keep_open_chain(history);
	if (history->launches && !ccfc_tail_is_over(history->env.tail))
		ccfc_kept_put_launches(history->env.kept, history->launches);
	else
		ccfc_launches_free(history->launches);
	ccfc_kept_free(history->own_kept);
	free(history->spans.items);
	ccfc_arena_release(&history->scratch);
	free(history);
}

const char *ccfc_chain_path(const struct ccfc_chain *chain)
{
	return ccfc_index_file_path(chain->history->env.index, chain->file).ptr;
}

/* --- order --- */

static int64_t effect_time(const struct ccfc_index *index,
			   const struct ccfc_change *c)
{
	const struct ccfc_disk_effect *seen = ccfc_index_find_effect(
		index, (uint32_t)(c - index->changes.items));

	if (seen)
		return seen->time;
	if (c->result.known && c->result.time != CCFC_TIME_NONE)
		return c->result.time;
	return ccfc_index_time(c);
}

/* The earliest time of its effect. */
static int64_t start_time(const struct ccfc_index *index,
			  const struct ccfc_change *c)
{
	const struct ccfc_disk_effect *seen = ccfc_index_find_effect(
		index, (uint32_t)(c - index->changes.items));

	if (!seen)
		return ccfc_index_time(c);
	return seen->held < seen->time ? seen->held : seen->time;
}

struct sorted {
	const struct ccfc_change *change;
	uint32_t id;
	int64_t time;
	/* another change of that time made what this one recorded */
	bool behind;
};

static bool is_proof_ambiguous(const struct ccfc_index *index,
			       const struct ccfc_change *c)
{
	return c->shell && ccfc_query_proof(index, c) == CCFC_PROOF_AMBIGUOUS;
}

/*
 * Two clients may have recorded the same change of the file. If one of the two
 * calls certainly made it, the other record is placed after it. Otherwise the
 * change would already be there when the call that made it ran.
 */
static void put_after_certain(const struct ccfc_index *index,
			      struct sorted *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct sorted *s = &list[i];
		int64_t end = effect_time(index, s->change);

		if (!is_proof_ambiguous(index, s->change))
			continue;
		for (uint32_t k = 0; k < n; k++)
			if (list[k].change->shell && list[k].time > s->time &&
			    ccfc_index_time(list[k].change) <= end &&
			    !is_proof_ambiguous(index, list[k].change))
				*s = (struct sorted){ s->change, s->id,
						      list[k].time, true };
	}
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_effect_times(const void *pa, const void *pb)
{
	const struct sorted *a = pa, *b = pb;
	const struct ccfc_place *p = &a->change->result.place;
	const struct ccfc_place *q = &b->change->result.place;
	int r = compare_numbers(a->time, b->time);

	if (!r)
		r = a->behind - b->behind;
	if (!r && a->change->result.known && b->change->result.known &&
	    p->source == q->source)
		r = compare_numbers((int64_t)p->offset, (int64_t)q->offset);
	if (!r)
		r = compare_numbers(ccfc_index_time(a->change),
				    ccfc_index_time(b->change));
	if (!r)
		r = ccfc_slice_cmp(
			ccfc_slice(a->change->id, a->change->id_len),
			ccfc_slice(b->change->id, b->change->id_len));
	return r;
}

static uint64_t mix_stamp(uint64_t a, uint64_t b)
{
	uint64_t both[2] = { a, b };

	return ccfc_hash(both, sizeof(both));
}

/* The place of a line, and whether the line still exists, as a number. */
static uint64_t place_stamp(const struct ccfc_history *h,
			    const struct ccfc_place *place)
{
	const struct ccfc_source *source =
		&h->env.index->sources.items[place->source];
	uint64_t all[] = { ccfc_home_of(CCFC_HOMES(h, sources), place->source),
			   place->offset,
			   place->len,
			   place->gen,
			   source->gen,
			   ccfc_index_place_where(h->env.index, place) };

	return ccfc_hash(all, sizeof(all));
}

static uint64_t disk_effect_stamp(const struct ccfc_index *index,
				  const struct ccfc_disk_effect *seen)
{
	uint64_t all[] = {
		ccfc_hash_slice(ccfc_index_str(index, seen->before_key)),
		ccfc_hash_slice(ccfc_index_str(index, seen->after_key)),
		seen->before, seen->after
	};

	return ccfc_hash(all, sizeof(all));
}

/* A copy of a transcript may move the lines without any change for readers. */
uint64_t ccfc_change_stamp(const struct ccfc_history *h,
			   const struct ccfc_change *c)
{
	uint64_t stamp = c->seq;
	const struct ccfc_disk_effect *seen = ccfc_index_find_effect(
		h->env.index, (uint32_t)(c - h->env.index->changes.items));

	if (c->call.known)
		stamp = mix_stamp(stamp, place_stamp(h, &c->call.place));
	if (c->result.known)
		stamp = mix_stamp(stamp, place_stamp(h, &c->result.place));
	if (c->alone)
		stamp = mix_stamp(stamp, 1);
	if (seen)
		stamp = mix_stamp(
			stamp,
			mix_stamp((uint64_t)seen->time,
				  disk_effect_stamp(h->env.index, seen)));
	return stamp;
}

static void sort_nodes(struct ccfc_chain *chain)
{
	const struct ccfc_history *h = chain->history;
	const struct ccfc_index *index = h->env.index;
	const struct ccfc_ids *ids = &index->files.items[chain->file];
	struct sorted *list = ccfc_calloc(ids->n + 1u, sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (c->settled && c->state == CCFC_STATE_APPLIED &&
		    c->file == chain->file && !ccfc_index_is_inferred(c))
			list[n++] =
				(struct sorted){ c, ids->items[i],
						 effect_time(index, c), false };
	}
	put_after_certain(index, list, n);
	qsort(list, n, sizeof(*list), compare_effect_times);
	chain->n = n;
	chain->nodes = ccfc_calloc(n + 1u, sizeof(*chain->nodes));
	for (uint32_t i = 0; i < n; i++) {
		chain->nodes[i].change = list[i].id;
		chain->nodes[i].home =
			ccfc_home_of(CCFC_HOMES(h, changes), list[i].id);
		chain->nodes[i].base = CCFC_ID_NONE;
		chain->nodes[i].start = start_time(index, list[i].change);
		chain->nodes[i].time = chain->nodes[i].late = list[i].time;
		chain->nodes[i].stamp = ccfc_change_stamp(h, list[i].change);
	}
	free(list);
	chain->has_last = false;
}

/* --- keeping --- */

/* Everything that a chain is made from, as it is now. */
struct makings {
	struct ccfc_file_info disk;
	bool disk_known;
	struct ccfc_copies copies;
	struct ccfc_rename_texts moved;
	uint64_t stamp;
};

/*
 * A file written just now may be written again with the same time. What is made
 * from it is not kept.
 */
static bool is_fresh(const struct ccfc_file_info *disk)
{
	return disk->exists && disk->ctime > ccfc_time_now() - FRESH_MS;
}

static uint64_t stamp_of_makings(struct ccfc_history *history, uint32_t file,
				 const struct makings *m)
{
	const struct ccfc_index *index = history->env.index;
	const struct ccfc_ids *ids = &index->files.items[file];
	uint64_t stamp = mix_stamp(
		m->disk.exists + 2u * m->disk_known,
		mix_stamp(m->disk.stamp, ccfc_copies_stamp(&m->copies)));

	stamp = mix_stamp(stamp, m->moved.stamp);
	if (is_fresh(&m->disk))
		stamp = mix_stamp(stamp, ccfc_kept_tick(history->env.kept));
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (!ccfc_index_is_inferred(c))
			stamp = mix_stamp(stamp, ccfc_change_stamp(history, c));
	}
	return stamp;
}

static struct ccfc_chain *make_chain(struct ccfc_history *history,
				     uint32_t file, struct makings *m)
{
	struct ccfc_chain *chain = ccfc_calloc(1, sizeof(*chain));

	chain->history = history;
	chain->file = file;
	chain->home = ccfc_home_of(CCFC_HOMES(history, files), file);
	chain->stamp = m->stamp;
	chain->disk = m->disk;
	chain->disk_known = m->disk_known;
	chain->moved = m->moved;
	m->moved = (struct ccfc_rename_texts){ .arena = CCFC_ARENA_INIT };
	sort_nodes(chain);
	ccfc_chain_take_copies(chain, &m->copies);
	if (chain->n)
		ccfc_replay(chain);
	return chain;
}

/* Are the nodes that were replayed still the first ones, and unchanged? */
static bool is_extension(const struct ccfc_chain *chain)
{
	for (uint32_t i = 0; i < chain->nforward; i++) {
		const struct ccfc_node *a = &chain->nodes[i];
		const struct ccfc_node *b = &chain->forward[i];

		if (i >= chain->n || a->home != b->home || a->time != b->time ||
		    a->stamp != b->stamp)
			return false;
	}
	/*
	 * A new change that overlaps with replayed ones might come before them.
	 */
	for (uint32_t i = chain->nforward; chain->nforward && i < chain->n; i++)
		if (chain->nodes[i].start <=
		    chain->nodes[chain->nforward - 1].late)
			return false;
	return chain->nforward != 0;
}

/*
 * Replays only new changes, or another file on disk. False if anything else has
 * changed.
 */
static bool extend_chain(struct ccfc_chain *chain, struct makings *m)
{
	if (chain->moved.stamp != m->moved.stamp)
		return false;
	free(chain->nodes);
	sort_nodes(chain);
	if (!is_extension(chain) || !ccfc_chain_take_copies(chain, &m->copies))
		return false;
	ccfc_checkpoints_drop_back(chain);
	memcpy(chain->nodes, chain->forward,
	       chain->nforward * sizeof(*chain->nodes));
	chain->stamp = m->stamp;
	chain->disk = m->disk;
	chain->disk_known = m->disk_known;
	return ccfc_replay(chain);
}

static void read_makings(struct makings *m, struct ccfc_history *history,
			 uint32_t file, uint32_t depth)
{
	const char *path = ccfc_index_file_path(history->env.index, file).ptr;

	*m = (struct makings){ 0 };
	ccfc_rename_find(&m->moved, history, file, depth);
	/*
	 * Nothing is known of a file that cannot be checked or is on another
	 * system.
	 */
	m->disk_known = *path == '/' && !history->env.no_disk &&
			!ccfc_file_read(NULL, &m->disk, path, 0, NULL);
	ccfc_copies_find(&m->copies, history, file);
	m->stamp = stamp_of_makings(history, file, m);
}

static bool renumber_nodes(struct ccfc_node *nodes, uint32_t n,
			   const struct ccfc_homes *homes)
{
	for (uint32_t i = 0; i < n; i++) {
		nodes[i].change = ccfc_own_of(homes, nodes[i].home);
		if (nodes[i].change == CCFC_ID_NONE)
			return false;
	}
	return true;
}

/*
 * Takes the kept chain of the file, if any, and gives it this excerpt's
 * numbers.
 */
static struct ccfc_chain *take_kept_chain(struct ccfc_history *history,
					  uint32_t file)
{
	const struct ccfc_homes *homes = CCFC_HOMES(history, changes);
	struct ccfc_chain *chain = ccfc_kept_take_chain(
		history->env.kept,
		ccfc_home_of(CCFC_HOMES(history, files), file));

	if (!chain)
		return NULL;
	chain->history = history;
	chain->file = file;
	if (!chain->stale && renumber_nodes(chain->nodes, chain->n, homes) &&
	    renumber_nodes(chain->forward, chain->nforward, homes))
		return chain;
	ccfc_chain_free(chain);
	return NULL;
}

static void release_makings(struct makings *m)
{
	ccfc_copies_release(&m->copies);
	ccfc_rename_release(&m->moved);
}

struct ccfc_chain *ccfc_chain_open_deep(struct ccfc_history *history,
					uint32_t file, uint32_t depth)
{
	struct ccfc_chain *chain;
	struct makings m;

	keep_open_chain(history);
	read_makings(&m, history, file, depth);
	keep_open_chain(
		history); /* keeps the chain of another file, for moves */
	chain = take_kept_chain(history, file);
	if (chain && chain->stamp != m.stamp && !extend_chain(chain, &m)) {
		ccfc_chain_free(chain);
		chain = NULL;
		/* The backups may have been moved into the chain. */
		release_makings(&m);
		read_makings(&m, history, file, depth);
		keep_open_chain(history);
	}
	if (!chain)
		chain = make_chain(history, file, &m);
	release_makings(&m);
	history->chain = chain;
	return chain->n ? chain : NULL;
}

struct ccfc_chain *ccfc_chain_open(struct ccfc_history *history, uint32_t file)
{
	struct ccfc_chain *chain = ccfc_chain_open_deep(history, file, 0);

	if (chain)
		ccfc_chain_explain(chain);
	return chain;
}

struct ccfc_chain *ccfc_chain_open_seen(struct ccfc_history *history,
					uint32_t file)
{
	struct ccfc_chain *chain = ccfc_chain_open(history, file);

	if (chain)
		return chain;
	chain = history->chain;
	if (ccfc_chain_seen(chain, 0, INT64_MAX) == CCFC_ID_NONE)
		return NULL;
	ccfc_replay_disk(chain);
	return chain;
}

/* --- looking --- */

uint32_t ccfc_chain_file(const struct ccfc_chain *chain)
{
	return chain->file;
}

uint32_t ccfc_chain_len(const struct ccfc_chain *chain)
{
	return chain->n;
}

uint32_t ccfc_chain_change(const struct ccfc_chain *chain, uint32_t i)
{
	return chain->nodes[i].change;
}

int64_t ccfc_chain_time(const struct ccfc_chain *chain, uint32_t i)
{
	return chain->nodes[i].time;
}

int64_t ccfc_chain_start(const struct ccfc_chain *chain, uint32_t i)
{
	return chain->nodes[i].start;
}

bool ccfc_chain_is_assumed(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_side_state *before = &chain->nodes[i].before;

	return chain->nodes[i].is_shell &&
	       before->fidelity == CCFC_FIDELITY_RECONSTRUCTED &&
	       (before->how == CCFC_HOW_SAME || before->how == CCFC_HOW_COPY);
}

int64_t ccfc_chain_find(const struct ccfc_chain *chain, uint32_t change)
{
	for (uint32_t i = 0; i < chain->n; i++)
		if (chain->nodes[i].change == change)
			return i;
	return -1;
}

enum ccfc_gap ccfc_chain_gap(struct ccfc_chain *chain, uint32_t i)
{
	return i >= chain->n ? chain->last_gap : chain->nodes[i].gap;
}

static struct ccfc_return return_of_place(uint64_t place)
{
	return (struct ccfc_return){ .i = (uint32_t)(place / 2),
				     .before = place % 2 == 0 };
}

bool ccfc_chain_return(struct ccfc_return *out, const struct ccfc_chain *chain,
		       uint32_t i)
{
	uint64_t back = i >= chain->n ? chain->last_back : chain->nodes[i].back;

	if (back == CCFC_PLACE_NONE)
		return false;
	*out = return_of_place(back);
	return true;
}

bool ccfc_chain_restored(struct ccfc_return *out,
			 const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_node *node = &chain->nodes[i];

	if (node->came_back)
		*out = return_of_place(node->brought);
	return node->came_back;
}

/*
 * The observations of one change: one for each session, agent and transcript
 * that shows its call. They are chained; the first one, in the change itself,
 * is the owner's (owner.c). Of two lines with the same view the lesser in the
 * order of observations counts, so that it does not matter which came first.
 */
#include "base/alloc.h"
#include "index/index_internal.h"

/*
 * At most so many observations of one change are kept: the first ones in their
 * order.
 */
#define VIEWS_MAX 256u

static bool is_same_view(const struct ccfc_observation *a,
			 const struct ccfc_observation *b)
{
	return a->session == b->session && a->agent == b->agent &&
	       a->place.source == b->place.source;
}

/* The same line, read again: its present content counts. */
static bool is_same_line(const struct ccfc_observation *fresh,
			 const struct ccfc_observation *old)
{
	return is_same_view(fresh, old) &&
	       ccfc_place_is_reread(&fresh->place, &old->place) &&
	       fresh->time == old->time &&
	       fresh->uuid_is_text == old->uuid_is_text &&
	       !memcmp(&fresh->uuid, &old->uuid, sizeof(fresh->uuid));
}

/* The last of a change's observations, in their order. */
static struct ccfc_observation *last_view(struct ccfc_index *index,
					  struct ccfc_change *c, uint32_t *id)
{
	struct ccfc_observation *last = &c->call;

	*id = CCFC_ID_NONE;
	for (uint32_t i = c->call.next; i != CCFC_ID_NONE;
	     i = index->obs.items[i].next) {
		struct ccfc_observation *obs = &index->obs.items[i];

		if (ccfc_index_compare_obs(index, last, obs) < 0) {
			last = obs;
			*id = i;
		}
	}
	return last;
}

/*
 * The row that a new observation competes with: that of the same session,
 * agent and transcript, or the last one if there are too many; NULL if it
 * gets its own. *id is its place in index->obs, CCFC_ID_NONE for the first.
 */
static struct ccfc_observation *find_rival(struct ccfc_index *index,
					   struct ccfc_change *c,
					   const struct ccfc_observation *fresh,
					   uint32_t *id)
{
	struct ccfc_observation *old = &c->call;
	uint32_t n = 1;

	for (*id = CCFC_ID_NONE; !is_same_view(old, fresh); n++) {
		*id = old->next;
		if (*id == CCFC_ID_NONE)
			return n < VIEWS_MAX ? NULL : last_view(index, c, id);
		old = &index->obs.items[*id];
	}
	return old;
}

bool ccfc_index_merge_obs(struct ccfc_index *index, uint32_t change,
			  struct ccfc_observation *fresh)
{
	struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_observation *old;
	bool is_new;
	uint32_t id;

	if (!c->call.known) {
		c->call = *fresh;
		return true;
	}
	old = find_rival(index, c, fresh, &id);
	if (!old) {
		fresh->next = c->call.next;
		c->call.next = index->obs.n;
		ccfc_ids_push(&index->obs.dirty, index->obs.n);
		CCFC_VEC_PUSH(index->obs, *fresh);
		return true;
	}
	is_new = !is_same_view(old, fresh);
	if (!is_same_line(fresh, old) &&
	    ccfc_index_compare_obs(index, fresh, old) > 0)
		return false;
	/*
	 * A turn between the two lines closes the change, whenever it is
	 * settled.
	 */
	if (fresh->place.gen == old->place.gen)
		c->closed |= ccfc_index_is_closed(index, old);
	fresh->swallowed |= old->swallowed;
	fresh->next = old->next;
	*old = *fresh;
	if (id != CCFC_ID_NONE)
		ccfc_ids_push(&index->obs.dirty, id);
	return is_new;
}

bool ccfc_index_note_compaction(struct ccfc_index *index, uint32_t change,
				uint32_t source)
{
	struct ccfc_observation *obs = &index->changes.items[change].call;
	uint32_t gen = index->sources.items[source].gen;
	uint32_t id = CCFC_ID_NONE;
	bool any = false;

	for (;; obs = &index->obs.items[id]) {
		bool here = obs->known && obs->place.source == source &&
			    obs->place.gen == gen && !obs->relayed;

		if (here && !obs->swallowed &&
		    !ccfc_index_is_closed(index, obs)) {
			obs->swallowed = any = true;
			if (id != CCFC_ID_NONE)
				ccfc_ids_push(&index->obs.dirty, id);
		}
		id = obs->next;
		if (id == CCFC_ID_NONE)
			return any;
	}
}

/* A fork contains copies of the calls before it. */
bool ccfc_index_shows(const struct ccfc_index *index, uint32_t change,
		      uint32_t session)
{
	const struct ccfc_change *c = &index->changes.items[change];
	const struct ccfc_observation *obs = &c->call;

	if (c->session == session)
		return true;
	for (; obs->known; obs = &index->obs.items[obs->next]) {
		if (obs->session == session)
			return true;
		if (obs->next == CCFC_ID_NONE)
			return false;
	}
	return false;
}

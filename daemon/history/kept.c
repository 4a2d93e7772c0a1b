/*
 * Kept between questions; see kept.h. A few slots under one lock. Nothing is
 * freed under the lock: a chain may have many texts.
 */
#include "history/kept.h"

#include "base/alloc.h"
#include "history/blame/agent_start.h"
#include "history/blame/walk.h"
#include "history/chain/chain.h"

#include <pthread.h>
#include <stdlib.h>

/* Of chains and walks each. */
#define SLOTS 4u

struct slot {
	void *item; /* NULL: free */
	uint32_t home;
	bool space;
	size_t bytes;
	uint64_t used;
};

struct ccfc_kept {
	pthread_mutex_t lock; /* of all below */
	struct slot chains[SLOTS], walks[SLOTS];
	struct ccfc_launches *launches;
	uint64_t tick;
};

struct ccfc_kept *ccfc_kept_new(void)
{
	struct ccfc_kept *k = ccfc_calloc(1, sizeof(*k));

	pthread_mutex_init(&k->lock, NULL);
	return k;
}

static void free_walk(struct ccfc_walk *walk)
{
	if (!walk)
		return;
	ccfc_walk_release(walk);
	free(walk);
}

void ccfc_kept_free(struct ccfc_kept *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < SLOTS; i++) {
		ccfc_chain_free(k->chains[i].item);
		free_walk(k->walks[i].item);
	}
	ccfc_launches_free(k->launches);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

uint64_t ccfc_kept_tick(struct ccfc_kept *k)
{
	uint64_t tick;

	pthread_mutex_lock(&k->lock);
	tick = ++k->tick;
	pthread_mutex_unlock(&k->lock);
	return tick;
}

/* --- slots, under the lock --- */

static void *take_from_slot(struct slot *slots, uint32_t home, bool space)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		void *item = slots[i].item;

		if (!item || slots[i].home != home || slots[i].space != space)
			continue;
		slots[i] = (struct slot){ 0 };
		return item;
	}
	return NULL;
}

/*
 * Chooses a free slot, else one of the same file, else the least recently used.
 */
static struct slot *choose_slot(struct slot *slots, uint32_t home, bool space)
{
	struct slot *best = &slots[0];

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];

		if (s->item && s->home == home && s->space == space)
			return s;
		if (!s->item || (best->item && s->used < best->used))
			best = s;
	}
	return best;
}

static size_t total_bytes(const struct slot *slots)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < SLOTS; i++)
		bytes += slots[i].bytes;
	return bytes;
}

static struct slot *find_oldest_slot(struct slot *slots)
{
	struct slot *best = NULL;

	for (uint32_t i = 0; i < SLOTS; i++)
		if (slots[i].item && (!best || slots[i].used < best->used))
			best = &slots[i];
	return best;
}

/* Dropped items, to be freed without the lock. */
struct dropped {
	void *chains[SLOTS + 1], *walks[SLOTS + 1];
	uint32_t nchains, nwalks;
};

static void drop_slot(struct dropped *d, struct ccfc_kept *k, struct slot *slot)
{
	if (slot >= k->chains && slot < k->chains + SLOTS)
		d->chains[d->nchains++] = slot->item;
	else
		d->walks[d->nwalks++] = slot->item;
	*slot = (struct slot){ 0 };
}

/* Drops items until the rest fits into CCFC_KEPT_BYTES. */
static void drop_oldest(struct dropped *d, struct ccfc_kept *k)
{
	while (total_bytes(k->chains) + total_bytes(k->walks) >
	       CCFC_KEPT_BYTES) {
		struct slot *chain = find_oldest_slot(k->chains);
		struct slot *walk = find_oldest_slot(k->walks);

		if (!chain || (walk && walk->used < chain->used))
			drop_slot(d, k, walk);
		else
			drop_slot(d, k, chain);
	}
}

static void free_dropped(struct dropped *d)
{
	while (d->nchains)
		ccfc_chain_free(d->chains[--d->nchains]);
	while (d->nwalks)
		free_walk(d->walks[--d->nwalks]);
}

static void put_into_slot(struct ccfc_kept *k, struct slot *slots,
			  const struct slot *fresh)
{
	struct dropped d = { .nchains = 0 };
	struct slot *at;

	pthread_mutex_lock(&k->lock);
	at = choose_slot(slots, fresh->home, fresh->space);
	if (at->item)
		drop_slot(&d, k, at);
	*at = *fresh;
	at->used = ++k->tick;
	drop_oldest(&d, k);
	pthread_mutex_unlock(&k->lock);
	free_dropped(&d);
}

/* --- for each kind --- */

struct ccfc_chain *ccfc_kept_take_chain(struct ccfc_kept *k, uint32_t home)
{
	struct ccfc_chain *chain;

	pthread_mutex_lock(&k->lock);
	chain = take_from_slot(k->chains, home, false);
	pthread_mutex_unlock(&k->lock);
	return chain;
}

void ccfc_kept_put_chain(struct ccfc_kept *k, struct ccfc_chain *chain)
{
	put_into_slot(k, k->chains,
		      &(struct slot){ .item = chain,
				      .home = chain->home,
				      .bytes = ccfc_chain_bytes(chain) });
}

struct ccfc_walk *ccfc_kept_take_walk(struct ccfc_kept *k, uint32_t home,
				      bool space)
{
	struct ccfc_walk *walk;

	pthread_mutex_lock(&k->lock);
	walk = take_from_slot(k->walks, home, space);
	pthread_mutex_unlock(&k->lock);
	return walk;
}

void ccfc_kept_put_walk(struct ccfc_kept *k, struct ccfc_walk *walk)
{
	put_into_slot(k, k->walks,
		      &(struct slot){ .item = walk,
				      .home = walk->home,
				      .space = walk->space,
				      .bytes = ccfc_walk_bytes(walk) });
}

struct ccfc_launches *ccfc_kept_take_launches(struct ccfc_kept *k)
{
	struct ccfc_launches *launches;

	pthread_mutex_lock(&k->lock);
	launches = k->launches;
	k->launches = NULL;
	pthread_mutex_unlock(&k->lock);
	return launches;
}

void ccfc_kept_put_launches(struct ccfc_kept *k, struct ccfc_launches *launches)
{
	struct ccfc_launches *old;

	pthread_mutex_lock(&k->lock);
	old = k->launches;
	k->launches = launches;
	pthread_mutex_unlock(&k->lock);
	ccfc_launches_free(old);
}

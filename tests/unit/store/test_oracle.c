/*
 * The oracle, at the level of facts: a random world, merged in random
 * interleavings and batches, stored and loaded at random points, killed
 * before a batch was stored, with transcripts rewritten on the way, gives the
 * same index as reading one source after another. A store that is loaded
 * gives back all that was in memory. No event comes twice, and reading
 * everything once more raises none.
 */
#include "dump.h"
#include "scratch.h"
#include "world.h"

#define ROUNDS	25
#define SOAK	400
#define CHANGES 512

/* What subscribers were last told of each change. */
struct told {
	struct {
		uint32_t file, session;
		int state; /* 0: nothing */
		bool gone;
	} of[CHANGES];
	uint8_t conflict[CHANGES]; /* by row: the kind */
	uint64_t seq;
	unsigned seed;
};

static void expect_same(const char *want, const char *got, const char *what,
			unsigned seed)
{
	if (!strcmp(want, got))
		return;
	/* fail_msg cuts long texts. */
	printf("--- want\n%s--- got\n%s---\n", want, got);
	fflush(stdout);
	fail_msg("%s: CCFC_SEED=%u", what, seed);
}

/* What a subscriber knows of a conflict: nothing but its kind changes. */
static uint8_t kind_of(const struct ccfc_conflict *c)
{
	return ccfc_conflict_is_seen(c) ? c->kind : 0;
}

static void publish_conflict(const struct ccfc_index *index,
			     const struct ccfc_event *e, struct told *told)
{
	const struct ccfc_conflict *c = &index->conflicts.items[e->change];

	assert_true(e->change < CHANGES);
	if (e->seq != ++told->seq)
		fail_msg("seq of a conflict: CCFC_SEED=%u", told->seed);
	/* Of several in one batch the last one counts. */
	if (c->seq != e->seq)
		return;
	told->conflict[e->change] = kind_of(c);
}

static void publish(struct ccfc_index *index, struct told *told)
{
	for (uint32_t i = 0; i < index->events.n; i++) {
		const struct ccfc_event *e = &index->events.items[i];
		const struct ccfc_change *c = &index->changes.items[e->change];

		if (ccfc_event_is_conflict(e)) {
			publish_conflict(index, e, told);
			continue;
		}

		assert_true(e->change < CHANGES);
		if (e->seq != ++told->seq || c->seq != e->seq)
			fail_msg("seq: CCFC_SEED=%u", told->seed);
		if (told->of[e->change].gone == !c->settled &&
		    told->of[e->change].state == c->state &&
		    told->of[e->change].file == c->file &&
		    told->of[e->change].session == c->session)
			fail_msg("event of %.*s: CCFC_SEED=%u", c->id_len,
				 c->id, told->seed);
		told->of[e->change].gone = !c->settled;
		told->of[e->change].state = c->state;
		told->of[e->change].file = c->file;
		told->of[e->change].session = c->session;
	}
	ccfc_index_published(index);
}

/* Everybody has been told of how everything is. */
static void expect_told(const struct ccfc_index *index, const struct told *told)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		/* Of commands nobody is told. */
		if (!c->settled || ccfc_index_is_command(c))
			continue;
		if (c->state != told->of[i].state || told->of[i].gone ||
		    (c->state && (c->file != told->of[i].file ||
				  c->session != told->of[i].session)))
			fail_msg("untold %.*s: CCFC_SEED=%u", c->id_len, c->id,
				 told->seed);
	}
	for (uint32_t i = 0; i < index->conflicts.n; i++)
		if (told->conflict[i] != kind_of(&index->conflicts.items[i]))
			fail_msg("untold conflict: CCFC_SEED=%u", told->seed);
}

static char *cold(const struct world *w)
{
	struct ccfc_index *index = ccfc_index_new("/home/u");
	bool again;
	uint32_t at, n;
	char *out;

	for (unsigned s = 0; s < SOURCES; s++) {
		while (where(index, w, s, &again, &at, &n)) {
			if (at == n) {
				/* What was seen before had its batch. */
				ccfc_index_settle(index);
				rewrite(index, w, s);
				again = true;
				at = 0;
				where(index, w, s, &again, &at, &n);
				if (!n)
					break;
			}
			feed(index, w, s, again, at, n);
		}
	}
	ccfc_index_settle(index);
	out = dump(index, false);
	ccfc_index_free(index);
	return out;
}

/* Ends the process, cleanly or not, and starts it again. */
static struct ccfc_index *restart(struct ccfc_store **store, const char *dir,
				  struct ccfc_index *index, bool killed,
				  unsigned seed)
{
	char *before = killed ? NULL : dump(index, true);
	char *after;

	ccfc_index_free(index);
	ccfc_store_free(*store);
	index = reload(store, dir);
	if (killed)
		return index;
	after = dump(index, true);
	expect_same(before, after, "restart", seed);
	free(before);
	free(after);
	return index;
}

/* A few lines more of some source; false when all is read. */
static bool step(struct ccfc_index *index, struct ccfc_store *store,
		 struct world *w, struct told *told)
{
	unsigned first = pick(w, SOURCES);

	for (unsigned i = 0; i < SOURCES; i++) {
		unsigned s = (first + i) % SOURCES;
		uint32_t at, n, to;
		bool again;

		if (!where(index, w, s, &again, &at, &n))
			continue;
		if (at == n) {
			settle_and_store(store, index);
			publish(index, told);
			rewrite(index, w, s);
			return true;
		}
		to = at + 1 + pick(w, 8);
		feed(index, w, s, again, at, to < n ? to : n);
		return true;
	}
	return false;
}

/* Reads everything once more, in pieces: nobody may hear of it. */
static void read_again(struct ccfc_index *index, struct ccfc_store *store,
		       struct world *w, struct told *told)
{
	for (unsigned s = 0; s < SOURCES; s++) {
		const struct line *lines[LINES];
		bool again = w->rewritten[s];
		uint32_t n = stream(w, s, again, lines), at = 0;

		rewrite(index, w, s);
		settle_and_store(store, index);
		while (at < n) {
			uint32_t to = at + 1 + pick(w, 10);

			to = to < n ? to : n;
			feed(index, w, s, again, at, to);
			at = to;
			settle_and_store(store, index);
			if (index->events.n)
				fail_msg("event again: CCFC_SEED=%u",
					 told->seed);
		}
	}
}

static char *scattered(struct world *w, const char *dir, struct told *told)
{
	struct ccfc_store *store;
	struct ccfc_index *index;
	bool more = true;
	char *out;

	wipe(dir);
	index = reload(&store, dir);
	while (more) {
		more = step(index, store, w, told);
		if (more && pick(w, 3))
			continue;
		if (!pick(w, 8)) {
			/* Killed within the batch, or before its commit. */
			if (pick(w, 2))
				ccfc_index_settle(index);
			index = restart(&store, dir, index, true, told->seed);
			more = true;
			continue;
		}
		settle_and_store(store, index);
		publish(index, told);
		if (!pick(w, 4))
			index = restart(&store, dir, index, false, told->seed);
	}
	expect_told(index, told);
	read_again(index, store, w, told);
	index = restart(&store, dir, index, false, told->seed);
	out = dump(index, false);
	ccfc_index_free(index);
	ccfc_store_free(store);
	return out;
}

static void test_oracle(void **state)
{
	const char *given = getenv("CCFC_SEED");
	const char *many = getenv("CCFC_ROUNDS");
	unsigned seed = given ? (unsigned)atoi(given) : 1;
	unsigned rounds = many			? (unsigned)atoi(many)
			  : given		? 1
			  : getenv("CCFC_SOAK") ? SOAK
						: ROUNDS;
	struct world *w = ccfc_malloc(sizeof(*w));
	struct told *told = ccfc_malloc(sizeof(*told));

	for (unsigned i = 0; i < rounds; i++) {
		char *want, *got;

		memset(told, 0, sizeof(*told));
		told->seed = seed + i;
		make_world(w, seed + i);
		want = cold(w);
		got = scattered(w, *state, told);
		expect_same(want, got, "scattered", seed + i);
		free(want);
		free(got);
	}
	free(told);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_oracle, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Edits of clients that no line tells of, in random worlds. The generator knows
 * what became of each edit: both its lines were written, only the call, or
 * none. Lines and events come in random orders and batches, with restarts in
 * between; in the end each edit is one change, and says what is known of it.
 */
#include "../seed.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"
#include "scratch.h"

#define SESSIONS 2u
#define FILES	 2u
#define EDITS	 8u
#define ROUNDS	 8
#define SOAK	 100
#define START	 1000000
/* More than a call without a result is believed to take. */
#define APART (20 * 60 * 1000)

enum fate { WRITTEN, FAILED, CALLED, LOST, FATES };

struct edit {
	uint32_t session, file;
	int64_t time;
	enum fate fate;
};

struct world {
	struct edit edits[EDITS];
	/* What each session has still to tell, and the disk. */
	uint32_t line[SESSIONS], event;
	uint64_t offset[SESSIONS];
	bool ended[SESSIONS];
	struct ccfc_index *index;
	struct ccfc_store *store;
	const char *dir;
};

static const char *const ids[SESSIONS] = { "s0", "s1" };
static const char *const paths[FILES] = { "/p/a", "/p/b" };

static uint32_t pick(uint32_t n)
{
	return (uint32_t)(seed_next() % n);
}

static void make_world(struct world *w)
{
	for (uint32_t i = 0; i < EDITS; i++)
		w->edits[i] = (struct edit){ pick(SESSIONS), pick(FILES),
					     START + (int64_t)i * APART,
					     (enum fate)pick(FATES) };
}

/* --- lines --- */

static void apply(struct world *w, uint32_t session,
		  const struct ccfc_record *record)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION };
	char path[16];
	uint32_t source;

	snprintf(path, sizeof(path), "/t/%s", ids[session]);
	source = ccfc_index_source(w->index, ccfc_slice_str(path), &name);
	ccfc_index_apply(w->index, source, record, w->offset[session], 100);
	w->offset[session] += 100;
	w->index->sources.items[source].cursor.offset = w->offset[session];
	ccfc_index_source_touch(w->index, source);
}

static struct ccfc_record record_at(uint32_t session, int64_t time)
{
	return (struct ccfc_record){ .kind = CCFC_RECORD_OTHER,
				     .type = CCFC_SLICE_LIT("system"),
				     .session = ccfc_slice_str(ids[session]),
				     .cwd = CCFC_SLICE_LIT("/p"),
				     .time = time };
}

static void put_call(struct world *w, uint32_t i, struct ccfc_slice id)
{
	const struct edit *e = &w->edits[i];
	struct ccfc_record r = record_at(e->session, e->time - 20);
	struct ccfc_call call = { .id = id,
				  .writes = true,
				  .tool = CCFC_SLICE_LIT("Edit"),
				  .path = ccfc_slice_str(paths[e->file]),
				  .nparts = 1 };

	r.kind = CCFC_RECORD_ASSISTANT;
	r.calls = &call;
	r.ncalls = 1;
	apply(w, e->session, &r);
}

static void put_result(struct world *w, uint32_t i, struct ccfc_slice id)
{
	const struct edit *e = &w->edits[i];
	struct ccfc_record r = record_at(e->session, e->time + 20);
	struct ccfc_result result = { .id = id,
				      .state = e->fate == FAILED
						       ? CCFC_STATE_FAILED
						       : CCFC_STATE_APPLIED,
				      .error = e->fate == FAILED };

	r.kind = CCFC_RECORD_USER;
	r.results = &result;
	r.nresults = 1;
	apply(w, e->session, &r);
}

/* The next line of a session: of each edit three, which may say nothing. */
static void put_line(struct world *w, uint32_t session)
{
	uint32_t at = w->line[session]++, i = at / 3;
	char id[24];

	if (w->edits[i].session != session || w->edits[i].fate == LOST)
		return;
	snprintf(id, sizeof(id), "toolu_%u", i);
	if (at % 3 == 0)
		put_call(w, i, ccfc_slice_str(id));
	else if (at % 3 == 1 && w->edits[i].fate != CALLED)
		put_result(w, i, ccfc_slice_str(id));
}

/* --- events --- */

static void put_event(struct world *w)
{
	const struct edit *e = &w->edits[w->event++];
	struct ccfc_disk_event event = {
		.since = e->time,
		.time = e->time,
		.held = e->time - 1,
		.before = CCFC_DISK_THERE,
		.after = CCFC_DISK_THERE,
		.client = 100 + e->session,
	};

	event.file = ccfc_index_file(w->index, ccfc_slice_str(paths[e->file]));
	event.by = ccfc_strtab_put(&w->index->strings,
				   ccfc_slice_str(ids[e->session]));
	ccfc_index_note_disk_event(w->index, &event);
}

static void put_end(struct world *w, uint32_t session)
{
	w->ended[session] = true;
	ccfc_index_settle(w->index);
	ccfc_index_client_ended(w->index, ccfc_slice_str(ids[session]),
				100 + session);
}

/* --- playing --- */

static bool put_something(struct world *w)
{
	uint32_t session = pick(SESSIONS), left = EDITS - w->event;

	for (uint32_t s = 0; s < SESSIONS; s++)
		left += 3 * EDITS - w->line[s] + !w->ended[s];
	if (!left)
		return false;
	switch (pick(3)) {
	case 0:
		if (w->event < EDITS)
			put_event(w);
		break;
	case 1:
		if (w->event == EDITS && !w->ended[session])
			put_end(w, session);
		break;
	default:
		if (w->line[session] < 3 * EDITS)
			put_line(w, session);
	}
	return true;
}

static void open_again(struct world *w)
{
	ccfc_index_free(w->index);
	ccfc_store_free(w->store);
	w->index = reload(&w->store, w->dir);
}

static void play(struct world *w)
{
	wipe(w->dir);
	w->index = reload(&w->store, w->dir);
	while (put_something(w)) {
		if (pick(3))
			ccfc_index_settle(w->index);
		if (!pick(20)) {
			settle_and_store(w->store, w->index);
			open_again(w);
		}
	}
	settle_and_store(w->store, w->index);
	open_again(w);
	settle_and_store(w->store, w->index);
}

/* --- what is known in the end --- */

static const struct ccfc_change *change_at(const struct ccfc_index *index,
					   int64_t time, bool alone)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];
		int64_t own = ccfc_index_time(c);

		if (c->settled && !c->call.known == alone &&
		    (alone ? own == time : own == time - 20))
			return c;
	}
	return NULL;
}

static void expect_edit(const struct world *w, uint32_t i)
{
	const struct edit *e = &w->edits[i];
	const struct ccfc_change *told = change_at(w->index, e->time, false);
	const struct ccfc_change *seen = change_at(w->index, e->time, true);
	bool alone = e->fate == LOST || e->fate == FAILED;
	const struct ccfc_change *c = alone ? seen : told;

	assert_int_equal(told != NULL, e->fate != LOST);
	assert_int_equal(seen != NULL, alone);
	assert_int_equal(c->state, CCFC_STATE_APPLIED);
	assert_string_equal(ccfc_index_session_id(w->index, c->session).ptr,
			    ids[e->session]);
	assert_string_equal(ccfc_index_file_path(w->index, c->file).ptr,
			    paths[e->file]);
	assert_int_equal(ccfc_query_proof(w->index, c),
			 e->fate == WRITTEN ? CCFC_PROOF_RESULT
					    : CCFC_PROOF_OBSERVED);
	if (e->fate == FAILED)
		assert_int_equal(told->state, CCFC_STATE_FAILED);
}

static void test_each_edit_is_one_change(void **state)
{
	const int rounds = getenv("CCFC_SOAK") ? SOAK : ROUNDS;

	for (int round = 0; round < rounds; round++) {
		struct world w = { .dir = *state };

		make_world(&w);
		play(&w);
		for (uint32_t i = 0; i < EDITS; i++)
			expect_edit(&w, i);
		ccfc_index_free(w.index);
		ccfc_store_free(w.store);
	}
}

/* What a change is known by stays when the older half of the events goes. */
static void test_events_that_stay(void **state)
{
	struct world w = { .dir = *state };
	struct ccfc_disk_effect effect;
	const uint32_t max = 200001;

	wipe(w.dir);
	w.index = reload(&w.store, w.dir);
	w.edits[0] = (struct edit){ 0, 0, START, LOST };
	put_event(&w);
	put_end(&w, 0);
	for (uint32_t i = 0; i < max; i++) {
		const struct ccfc_disk_event event = {
			.since = START + 1 + i,
			.time = START + 1 + i,
			.file = ccfc_index_file(w.index,
						CCFC_SLICE_LIT("/p/c")),
		};

		if (i < 2)
			ccfc_index_settle(w.index);
		ccfc_index_note_disk_event(w.index, &event);
	}
	assert_true(w.index->events_gone > 0);
	assert_true(ccfc_index_effect(&effect, w.index,
				      change_at(w.index, START, true)));
	ccfc_index_free(w.index);
	ccfc_store_free(w.store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_edit_is_one_change,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_events_that_stay, setup,
						teardown),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

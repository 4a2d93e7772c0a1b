/*
 * What users' own SQL may cost: each hostile query ends with an error, soon,
 * and the store goes on.
 */
#include "ask_sql.h"

#include <pthread.h>

#define NUMBERS                                                                \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

static void test_limits(void **state)
{
	static const char *const big[] = {
		"SELECT zeroblob(1000000000)",
		"SELECT hex(randomblob(1000000))",
		"SELECT replace(hex(zeroblob(10000)), '0', printf('%100s', "
		"'x'))",
		NUMBERS "SELECT group_concat(hex(zeroblob(100000))) FROM"
			" (SELECT i FROM n LIMIT 20)",
		/* More than there is memory for. */
		NUMBERS "SELECT randomblob(100000) FROM n ORDER BY 1",
		NUMBERS "SELECT DISTINCT randomblob(100000) FROM n LIMIT 1"
			" OFFSET 100000",
		NUMBERS "SELECT max(i) OVER (ORDER BY -i) FROM n",
		"SELECT printf('%.*c', 2147483647, 'x')",
		"SELECT format('%.2147483647c', 'x')",
		"SELECT printf('%2147483647d', 1)",
		"SELECT printf('%-*s', -2147483647, 1)",
		"SELECT printf('%.2000000f', 1.5)",
		"SELECT printf(replace(hex(zeroblob(30000)), '0',"
		" '%.1000000c'), 'x', 'x', 'x')",
	};
	static struct ccfc_buf text;
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);

	for (size_t i = 0; i < sizeof(big) / sizeof(*big); i++)
		expect_error(*state, big[i], CCFC_ETOOBIG, "");
	ccfc_buf_puts(&text, "SELECT 1");
	for (int i = 0; i < 40000; i++)
		ccfc_buf_puts(&text, "+1");
	expect_error(*state, text.ptr, CCFC_ETOOBIG, "longer than 65536");
	text.ptr[2000] = 0;
	expect_error(*state, text.ptr, CCFC_EINVAL, "depth");
	ccfc_buf_clear(&text);
	ccfc_buf_puts(&text, "SELECT 1");
	for (int i = 0; i < 200; i++)
		ccfc_buf_puts(&text, ",1");
	expect_error(*state, text.ptr, CCFC_EINVAL, "too many columns");
	ccfc_buf_clear(&text);
	ccfc_buf_puts(&text, "SELECT 'a' LIKE '%");
	for (int i = 0; i < 600; i++)
		ccfc_buf_puts(&text, "a%");
	ccfc_buf_puts(&text, "'");
	expect_error(*state, text.ptr, CCFC_EINVAL, "too complex");
	ccfc_buf_release(&text);
	/* The store has not run dry. */
	settle_and_store(store, index);
	expect(*state, "SELECT count(*) > 0 AS c FROM changes", "c\n1\n");
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* A name that stands for twice the one before, thirty times over. */
static void test_doubling(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_puts(&text, "WITH c0 AS (SELECT id FROM sessions)");
	for (int i = 1; i < 30; i++)
		ccfc_buf_printf(&text,
				", c%d AS (SELECT a.id FROM c%d a, c%d b)", i,
				i - 1, i - 1);
	ccfc_buf_puts(&text, " SELECT count(*) FROM c29");
	expect_error(*state, text.ptr, CCFC_ETOOBIG, "memory");
	ccfc_buf_release(&text);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

static void test_rows(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	struct asked a;
	struct ccfc_sql q = about(&a, *state, NUMBERS "SELECT i FROM n");

	q.max_rows = 3;
	assert_int_equal(ccfc_sql_run(&q, &a.truncated, &a.err), 0);
	assert_true(a.truncated);
	assert_int_equal(a.rows, 3);
	ccfc_buf_release(&a.out);
	/* Exactly as many as asked for is all of them. */
	q = about(&a, *state, "SELECT 1 UNION SELECT 2");
	q.max_rows = 2;
	assert_int_equal(ccfc_sql_run(&q, &a.truncated, &a.err), 0);
	assert_false(a.truncated);
	ccfc_buf_release(&a.out);
	q = about(&a, *state, NUMBERS "SELECT i FROM n");
	a.room = 5;
	assert_int_equal(ccfc_sql_run(&q, &a.truncated, &a.err), 0);
	assert_true(a.truncated);
	assert_int_equal(a.rows, 5);
	ccfc_buf_release(&a.out);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

static void *cancel(void *cancelled)
{
	atomic_store((atomic_bool *)cancelled, true);
	return NULL;
}

/* Neither of them would ever end. */
static void test_endless(void **state)
{
	static const char endless[] = NUMBERS "SELECT count(*) FROM n";
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	struct asked a;
	struct ccfc_sql q = about(&a, *state, endless);
	atomic_bool cancelled = false;
	pthread_t other;

	q.max_ms = 50;
	assert_int_equal(ccfc_sql_run(&q, &a.truncated, &a.err), CCFC_ETOOBIG);
	assert_non_null(strstr(a.err.what, "longer than"));
	ccfc_buf_release(&a.out);
	q = about(&a, *state, endless);
	q.cancelled = &cancelled;
	assert_int_equal(pthread_create(&other, NULL, cancel, &cancelled), 0);
	assert_int_equal(ccfc_sql_run(&q, &a.truncated, &a.err), CCFC_EAGAIN);
	pthread_join(other, NULL);
	ccfc_buf_release(&a.out);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

static void cancel_at_columns(void *ctx, const char *const *names, uint32_t n)
{
	struct asked *a = ctx;

	columns(ctx, names, n);
	a->cancelled = true;
}

/*
 * A row without a loop is one step of SQLite's, however much it asks for. It
 * is cancelled before the first call, so it must not be there in the end.
 */
static void test_one_row(void **state)
{
	static const char *const rows[] = {
		"SELECT hex(zeroblob(400000))",
		"SELECT upper(hex(zeroblob(400000))), lower('A')",
		"SELECT quote(zeroblob(400000))",
		"SELECT printf('%d', 1)",
		"SELECT length('x' || random())",
		("SELECT json(hex(zeroblob(5)) || replace(hex(zeroblob(5000)),"
		 " '0', ' '))"),
		"SELECT instr('a' || random(), 'b')",
		"SELECT 'a' || random() LIKE 'b'",
	};
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct asked a;
		struct ccfc_sql q = about(&a, *state, rows[i]);

		q.columns = cancel_at_columns;
		q.cancelled = &a.cancelled;
		if (ccfc_sql_run(&q, &a.truncated, &a.err) != CCFC_EAGAIN ||
		    a.rows)
			fail_msg("%s: went on", rows[i]);
		ccfc_buf_release(&a.out);
	}
	ccfc_index_free(index);
	ccfc_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_doubling, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_endless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_row, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Asking a store in SQL, and what came of it; a store to ask. */
#ifndef TESTS_STORE_ASK_SQL_H
#define TESTS_STORE_ASK_SQL_H

#include "base/buf.h"
#include "scratch.h"
#include "store/sql/sql.h"
#include "world.h"

#define MEMORY ((size_t)4 << 20)
/* Machines may be slow: only tests of the time limit set a shorter one. */
#define NEVER INT64_C(1000000000)

struct asked {
	struct ccfc_buf out; /* "a|b\n1|x\n" */
	uint64_t rows, room;
	struct ccfc_err err;
	bool truncated;
	atomic_bool cancelled;
	int r;
};

static inline void columns(void *ctx, const char *const *names, uint32_t n)
{
	struct asked *a = ctx;

	for (uint32_t i = 0; i < n; i++)
		ccfc_buf_printf(&a->out, "%s%c", names[i],
				i + 1 < n ? '|' : '\n');
}

static inline bool row(void *ctx, const struct ccfc_sql_value *v, uint32_t n)
{
	struct asked *a = ctx;

	if (a->rows == a->room)
		return false;
	a->rows++;
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].type == CCFC_SQL_INT)
			ccfc_buf_printf(&a->out, "%lld", (long long)v[i].num);
		if (v[i].type == CCFC_SQL_DOUBLE)
			ccfc_buf_printf(&a->out, "%.3f", v[i].real);
		if (v[i].type == CCFC_SQL_BLOB)
			ccfc_buf_puts(&a->out, "blob:");
		if (v[i].text.len)
			ccfc_buf_slice(&a->out, v[i].text);
		ccfc_buf_putc(&a->out, i + 1 < n ? '|' : '\n');
	}
	return true;
}

static inline struct ccfc_sql about(struct asked *a, const char *dir,
				    const char *sql)
{
	*a = (struct asked){ .room = UINT64_MAX };
	return (struct ccfc_sql){ .dir = dir,
				  .query = ccfc_slice_str(sql),
				  .max_rows = 100000,
				  .max_ms = NEVER,
				  .max_memory = MEMORY,
				  .ctx = a,
				  .columns = columns,
				  .row = row };
}

static inline int ask(struct asked *a, const char *dir, const char *sql)
{
	struct ccfc_sql q = about(a, dir, sql);

	a->r = ccfc_sql_run(&q, &a->truncated, &a->err);
	ccfc_buf_puts(&a->out, "");
	return a->r;
}

static inline void expect(const char *dir, const char *sql, const char *answer)
{
	struct asked a;

	if (ask(&a, dir, sql))
		fail_msg("%s: %s", sql, a.err.what);
	assert_string_equal(a.out.ptr, answer);
	ccfc_buf_release(&a.out);
}

static inline void expect_error(const char *dir, const char *sql, int code,
				const char *what)
{
	struct asked a;

	if (ask(&a, dir, sql) != code)
		fail_msg("%s: %d %s", sql, a.r, a.err.what);
	if (!strstr(a.err.what, what))
		fail_msg("%s: '%s', not '%s'", sql, a.err.what, what);
	ccfc_buf_release(&a.out);
}

/* An index with a world in it, and its store, which stays open. */
static inline struct ccfc_index *fill(struct ccfc_store **store,
				      const char *dir)
{
	static struct world w;
	struct ccfc_index *index;
	uint32_t at, n;
	bool again;

	wipe(dir);
	make_world(&w, 7);
	index = reload(store, dir);
	for (unsigned s = 0; s < SOURCES; s++) {
		where(index, &w, s, &again, &at, &n);
		feed(index, &w, s, again, at, n);
	}
	settle_and_store(*store, index);
	return index;
}

#endif

/*
 * Limits the memory of one query, and checks for cancellation at each
 * allocation. That also ends work during which SQLite does not check the time:
 * a row with thousands of calls, and planning.
 *
 * SQLite's own limits are for the whole process, and a query that sorts all
 * pairs of files must not starve the daemon's store. So SQLite's allocator is
 * wrapped, and counts for a thread that has a limit: a query opens, uses and
 * closes its connection on one.
 */
#include "store/sql/sql_run.h"

#include <pthread.h>

/* Pieces that are asked for without a look at the clock. */
#define SMALL 4096
#define MANY  64

static sqlite3_mem_methods real;

static _Thread_local struct {
	struct ccfc_sql_run *run; /* NULL: no limit */
	size_t used;
	uint32_t asked;
} budget;

static void *count_sql_memory(void *p)
{
	if (p && budget.run)
		budget.used += (size_t)real.xSize(p);
	return p;
}

static void uncount(void *p)
{
	size_t n = p && budget.run ? (size_t)real.xSize(p) : 0;

	/* What was there before the limit is not in it. */
	budget.used -= n < budget.used ? n : budget.used;
}

static bool has_room(int n)
{
	if (!budget.run)
		return true;
	if ((n >= SMALL || ++budget.asked % MANY == 0) &&
	    ccfc_sql_stopped(budget.run))
		return false;
	return budget.used + (size_t)n <= budget.run->q->max_memory;
}

static void *get(int n)
{
	return has_room(n) ? count_sql_memory(real.xMalloc(n)) : NULL;
}

static void put_sql_memory(void *p)
{
	uncount(p);
	real.xFree(p);
}

static void *resize(void *p, int n)
{
	void *new;

	if (!has_room(n))
		return NULL;
	uncount(p);
	new = real.xRealloc(p, n);
	count_sql_memory(new ? new : p);
	return new;
}

static void setup(void)
{
	sqlite3_mem_methods wrapped;

	/* Counting what nobody asks for would take a lock for each piece. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
		return;
	wrapped = real;
	wrapped.xMalloc = get;
	wrapped.xFree = put_sql_memory;
	wrapped.xRealloc = resize;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &wrapped);
}

void ccfc_sql_memory_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, setup);
}

void ccfc_sql_memory(struct ccfc_sql_run *run)
{
	budget.run = run;
	budget.used = 0;
}

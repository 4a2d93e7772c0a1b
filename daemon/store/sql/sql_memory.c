/*
 * A limit for the memory of one query. SQLite's own limits are for the whole
 * process, and the daemon's store must not run dry because somebody sorts all
 * pairs of files. So SQLite's allocator is wrapped, and counts for a thread
 * that has a limit: a query opens, uses and closes its connection on one.
 */
#include "store/sql/sql_run.h"

#include <pthread.h>

static sqlite3_mem_methods real;

static _Thread_local struct {
	size_t max; /* 0: none */
	size_t used;
} budget;

static void *count_sql_memory(void *p)
{
	if (p && budget.max)
		budget.used += (size_t)real.xSize(p);
	return p;
}

static void uncount(void *p)
{
	size_t n = p && budget.max ? (size_t)real.xSize(p) : 0;

	/* What was there before the limit is not in it. */
	budget.used -= n < budget.used ? n : budget.used;
}

static bool has_room(int n)
{
	return !budget.max || budget.used + (size_t)n <= budget.max;
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

void ccfc_sql_memory(size_t max)
{
	budget.max = max;
	budget.used = 0;
}

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

/* Of pieces smaller than SMALL, one in MANY checks for cancellation. */
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

static void uncount_memory(void *p)
{
	size_t n = p && budget.run ? (size_t)real.xSize(p) : 0;

	/* Memory from before the limit was not counted. */
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

static void *get_memory(int n)
{
	return has_room(n) ? count_sql_memory(real.xMalloc(n)) : NULL;
}

static void put_sql_memory(void *p)
{
	uncount_memory(p);
	real.xFree(p);
}

static void *resize_memory(void *p, int n)
{
	void *new;

	if (!has_room(n))
		return NULL;
	uncount_memory(p);
	new = real.xRealloc(p, n);
	count_sql_memory(new ? new : p);
	return new;
}

static void setup_memory(void)
{
	sqlite3_mem_methods wrapped;

	/* SQLite's own count, which nobody reads, would take locks. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
		return;
	wrapped = real;
	wrapped.xMalloc = get_memory;
	wrapped.xFree = put_sql_memory;
	wrapped.xRealloc = resize_memory;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &wrapped);
}

void ccfc_sql_memory_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, setup_memory);
}

void ccfc_sql_memory(struct ccfc_sql_run *run)
{
	budget.run = run;
	budget.used = 0;
}

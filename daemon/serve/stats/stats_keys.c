/*
 * The rows of statistics: which row a fact belongs to, what the row is called
 * and when it begins. Days, weeks, months and hours are local; windows of five
 * hours begin with the hour, in UTC, of the first message after the window
 * before has ended. So plans of Anthropic count usage, and so does ccusage.
 */
#include "serve/stats/stats_gather.h"

#include "base/path.h"
#include "base/time.h"

#include <stdlib.h>

#define DAY_MS	86400000
#define HOUR_MS INT64_C(3600000)
#define UNKNOWN "unknown"
/* The key of facts without a time. */
#define NO_DAY INT64_MIN

/* --- days and hours --- */

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* How far local time is ahead of UTC. */
static int64_t zone_offset_at(const struct ccfc_spent *u, int64_t time)
{
	int64_t offset = u->nzone ? u->zone[0].offset : 0;

	for (uint32_t i = 0; i < u->nzone && u->zone[i].from <= time; i++)
		offset = u->zone[i].offset;
	return offset;
}

static int64_t local_day_of(const struct ccfc_spent *u, int64_t time)
{
	if (time == CCFC_TIME_NONE)
		return NO_DAY;
	return floor_divide(time + zone_offset_at(u, time), DAY_MS);
}

/* Its Monday; day 0 was a Thursday. */
static int64_t monday_of(int64_t day)
{
	return day == NO_DAY ? NO_DAY
			     : day - (day + 3 - floor_divide(day + 3, 7) * 7);
}

/* Its first day. */
static int64_t first_of_month(int64_t day)
{
	char text[CCFC_TIME_TEXT_MAX];

	if (day == NO_DAY)
		return NO_DAY;
	ccfc_time_format(text, day * DAY_MS);
	return day - ((text[8] - '0') * 10 + text[9] - '0') + 1;
}

/* In UTC, but begun with the local hour. */
static int64_t local_hour_of(const struct ccfc_spent *u, int64_t time)
{
	int64_t offset;

	if (time == CCFC_TIME_NONE)
		return NO_DAY;
	offset = zone_offset_at(u, time);
	return floor_divide(time + offset, HOUR_MS) * HOUR_MS - offset;
}

/* --- five-hour windows --- */

static int by_time(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

void ccfc_spent_windows(struct ccfc_spent *u)
{
	const struct ccfc_counts *hours = &u->hours;
	int64_t *list = ccfc_arena_alloc(u->arena, (hours->n + (size_t)1) *
							   sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < hours->n; i++)
		list[i] = (int64_t)hours->items[i].key;
	qsort(list, hours->n, sizeof(*list), by_time);
	for (uint32_t i = 0; i < hours->n; i++)
		if (!n || list[i] >= list[n - 1] + CCFC_WINDOW_MS)
			list[n++] = list[i];
	u->windows = list;
	u->nwindows = n;
}

void ccfc_spent_note_hour(struct ccfc_spent *u, int64_t time)
{
	if (time != CCFC_TIME_NONE)
		ccfc_counts_at(
			&u->hours,
			(uint64_t)(floor_divide(time, HOUR_MS) * HOUR_MS));
}

/* The window that has the time; only messages open one. */
static int64_t five_hour_window_of(const struct ccfc_spent *u, int64_t time)
{
	uint32_t low = 0, high = u->nwindows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (u->windows[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (time == CCFC_TIME_NONE || !low ||
	    time >= u->windows[low - 1] + CCFC_WINDOW_MS)
		return NO_DAY;
	return u->windows[low - 1];
}

/* --- keys and names --- */

uint64_t ccfc_spent_key(struct ccfc_spent *u, int by, const struct ccfc_fact *f)
{
	const struct ccfc_index *index = u->index;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
		return (uint64_t)local_day_of(u, f->time);
	case CCFC_BY_WEEK:
		return (uint64_t)monday_of(local_day_of(u, f->time));
	case CCFC_BY_MONTH:
		return (uint64_t)first_of_month(local_day_of(u, f->time));
	case CCFC_BY_HOUR:
		return (uint64_t)local_hour_of(u, f->time);
	case CCFC_BY_BLOCK:
		return (uint64_t)five_hour_window_of(u, f->time);
	case CCFC_BY_SESSION:
		return f->session;
	case CCFC_BY_AGENT:
		return f->agent;
	case CCFC_BY_PROJECT:
		return index->sessions.items[f->session].project;
	case CCFC_BY_MODEL:
		return f->model;
	case CCFC_BY_TOOL:
		return f->tool;
	case CCFC_BY_FILE:
		return f->file;
	case CCFC_BY_EXT:
		return ccfc_strtab_put(&u->exts,
				       ccfc_path_extension(ccfc_index_file_path(
					       index, f->file)));
	case CCFC_BY_COUNT:
		break;
	}
	return 0;
}

struct ccfc_slice ccfc_spent_name(struct ccfc_spent *u, int by, uint64_t key)
{
	char text[CCFC_TIME_TEXT_MAX] = "";
	struct ccfc_slice name;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
	case CCFC_BY_WEEK:
	case CCFC_BY_MONTH:
		if ((int64_t)key != NO_DAY)
			ccfc_time_format(text, (int64_t)key * DAY_MS);
		name = ccfc_slice_cut(ccfc_slice_str(text),
				      by == CCFC_BY_MONTH ? 7 : 10);
		name = ccfc_arena_copy(u->arena, name);
		break;
	case CCFC_BY_HOUR:
	case CCFC_BY_BLOCK:
		if ((int64_t)key != NO_DAY) {
			ccfc_time_format(
				text,
				(int64_t)key + zone_offset_at(u, (int64_t)key));
			text[10] = ' ';
		}
		name = ccfc_slice_cut(ccfc_slice_str(text), 16);
		name = ccfc_arena_copy(u->arena, name);
		break;
	case CCFC_BY_SESSION:
		return ccfc_index_session_id(u->index, (uint32_t)key);
	case CCFC_BY_AGENT:
		if (!key)
			return CCFC_SLICE_LIT("main");
		name = ccfc_index_str(u->index, (uint32_t)key);
		break;
	case CCFC_BY_FILE:
		name = ccfc_index_file_path(u->index, (uint32_t)key);
		break;
	case CCFC_BY_EXT:
		/* "no extension" is a name too, as in byExtension. */
		return ccfc_strtab_get(&u->exts, (uint32_t)key);
	default:
		name = ccfc_index_str(u->index, (uint32_t)key);
	}
	return name.len ? name : CCFC_SLICE_LIT(UNKNOWN);
}

/* A day begins at local midnight, with the offset of that moment. */
int64_t ccfc_spent_start(const struct ccfc_spent *u, int by,
			 const struct ccfc_count *row)
{
	int64_t key = (int64_t)row->key, local;

	if (by > CCFC_BY_BLOCK || key == NO_DAY)
		return CCFC_TIME_NONE;
	if (by == CCFC_BY_HOUR || by == CCFC_BY_BLOCK)
		return key;
	local = key * DAY_MS;
	return local - zone_offset_at(u, local - zone_offset_at(u, local));
}

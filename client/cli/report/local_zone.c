/* The local time zone; see local_zone.h. */
#include "cli/report/local_zone.h"

#include "base/buf.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FROM	  INT64_C(1420070400) /* 2015-01-01 */
#define DAY	  86400
#define PARTS_MAX 1000

static long utc_offset_at(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

/* The first second that has another offset than `from`. */
static int64_t find_change(int64_t from, int64_t to)
{
	long offset = utc_offset_at(from);

	while (to - from > 1) {
		int64_t mid = from + (to - from) / 2;

		if (utc_offset_at(mid) == offset)
			from = mid;
		else
			to = mid;
	}
	return to;
}

/* A name of the zone database, or a rule like "CET-1CEST". */
static int set_zone(const char *tz, struct ccfc_err *err)
{
	static const char *const dirs[] = { "/usr/share/zoneinfo",
					    "/usr/share/lib/zoneinfo" };
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool found = strpbrk(tz, "0123456789") || !strcmp(tz, "UTC");

	for (int i = 0; !found && i < 2; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", dirs[i], tz);
		found = !strstr(tz, "..") && !access(path.ptr, R_OK);
	}
	ccfc_buf_release(&path);
	if (!found) {
		ccfc_err_set(err, CCFC_EINVAL,
			     "--tz=%s: there is no such time zone", tz);
		ccfc_err_hint(err, "a name like Europe/Berlin, or UTC");
		return CCFC_EINVAL;
	}
	setenv("TZ", tz, 1);
	tzset();
	return 0;
}

static const char *put_part(struct ccfc_arena *arena, int64_t from)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	const char *copy;

	ccfc_buf_printf(&text, "%lld:%ld", (long long)from,
			utc_offset_at(from));
	copy = ccfc_arena_copy(arena, ccfc_buf_view(&text)).ptr;
	ccfc_buf_release(&text);
	return copy;
}

int ccfc_local_zone(const char ***out, const char *tz, int64_t now,
		    struct ccfc_arena *arena, struct ccfc_err *err)
{
	const char **list =
		ccfc_arena_alloc(arena, (PARTS_MAX + 1) * sizeof(*list));
	int r = tz ? set_zone(tz, err) : 0;
	unsigned n = 0;

	if (r < 0)
		return r;
	list[n++] = put_part(arena, FROM);
	for (int64_t t = FROM; t <= now / 1000 && n < PARTS_MAX; t += DAY)
		if (utc_offset_at(t) != utc_offset_at(t + DAY))
			list[n++] = put_part(arena, find_change(t, t + DAY));
	list[n] = NULL;
	*out = list;
	return 0;
}

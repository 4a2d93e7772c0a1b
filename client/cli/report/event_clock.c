/* What `watch` has already printed; see event_clock.h. */
#include "cli/report/event_clock.h"

#include "base/alloc.h"

#include <stdlib.h>

bool ccfc_event_clock_parse(struct ccfc_event_clock *clock, struct ccfc_slice s)
{
	size_t i = s.len;

	while (i && s.ptr[i - 1] != ':')
		i--;
	if (i < 2 || s.len >= CCFC_CLOCK_MAX)
		return false;
	clock->epoch_len = i - 1;
	clock->seq = 0;
	for (i = clock->epoch_len + 1; i < s.len; i++) {
		unsigned digit = (unsigned)(s.ptr[i] - '0');

		if (digit > 9 || clock->seq > (UINT64_MAX - 9) / 10)
			return false;
		clock->seq = clock->seq * 10 + digit;
	}
	memcpy(clock->text, s.ptr, s.len);
	clock->text[s.len] = '\0';
	return s.len > clock->epoch_len + 1;
}

void ccfc_seen_init(struct ccfc_seen *seen)
{
	*seen = (struct ccfc_seen){ 0 };
	ccfc_map_init(&seen->map);
}

void ccfc_seen_release(struct ccfc_seen *seen)
{
	free(seen->hashes.items);
	ccfc_map_release(&seen->map);
}

static void set_current(struct ccfc_seen *seen,
			const struct ccfc_event_clock *clock)
{
	seen->current = *clock;
	seen->hashes.n = 0;
	ccfc_map_clear(&seen->map);
}

void ccfc_seen_complete(struct ccfc_seen *seen,
			const struct ccfc_event_clock *clock)
{
	seen->done = *clock;
	set_current(seen, clock);
}

static bool same_epoch(const struct ccfc_event_clock *a,
		       const struct ccfc_event_clock *b)
{
	return a->epoch_len == b->epoch_len &&
	       !memcmp(a->text, b->text, a->epoch_len);
}

/* The start of the epoch that `clock` is of. */
static struct ccfc_event_clock epoch_start(const struct ccfc_event_clock *clock)
{
	struct ccfc_event_clock start = *clock;

	/* There is room: at least one digit stands there. */
	memcpy(start.text + start.epoch_len + 1, "0", 2);
	start.seq = 0;
	return start;
}

static bool is_hash(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_seen *seen = ctx;

	return seen->hashes.items[id] == *(const uint64_t *)key;
}

bool ccfc_seen_add(struct ccfc_seen *seen, const struct ccfc_event_clock *clock,
		   uint64_t hash)
{
	bool same = same_epoch(&seen->current, clock);

	if (same && clock->seq <= seen->done.seq)
		return false;
	if (!same || clock->seq > seen->current.seq) {
		seen->done = same ? seen->current : epoch_start(clock);
		set_current(seen, clock);
	}
	if (ccfc_map_get(&seen->map, hash, is_hash, seen, &hash) !=
	    CCFC_ID_NONE)
		return false;
	ccfc_map_put(&seen->map, hash, seen->hashes.n);
	CCFC_VEC_PUSH(seen->hashes, hash);
	return true;
}

/* Clocks of events; see event_clock.h. */
#include "cli/words/event_clock.h"

#include <string.h>

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

bool ccfc_event_clock_after(const struct ccfc_event_clock *clock,
			    const struct ccfc_event_clock *last)
{
	return clock->epoch_len != last->epoch_len ||
	       memcmp(clock->text, last->text, clock->epoch_len) != 0 ||
	       clock->seq > last->seq;
}

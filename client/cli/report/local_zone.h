/*
 * The local time zone as the daemon takes it: since when local time is how far
 * ahead of UTC. So days are the caller's, and right on both sides of a change
 * of the clocks.
 */
#ifndef CCFC_CLI_REPORT_LOCAL_ZONE_H
#define CCFC_CLI_REPORT_LOCAL_ZONE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

/*
 * "SECONDS:OFFSET" from 2015 to `now` (ms), ending with NULL, in `arena`. `tz`
 * is the name of a zone, which becomes that of the process; NULL: its own.
 * CCFC_EINVAL: there is no such zone.
 */
int ccfc_local_zone(const char ***out, const char *tz, int64_t now,
		    struct ccfc_arena *arena, struct ccfc_err *err);

#endif

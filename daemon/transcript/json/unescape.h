/*
 * From a raw JSON string (the part between the quotes, still escaped) to its
 * text.
 */
#ifndef CCFC_TRANSCRIPT_JSON_UNESCAPE_H
#define CCFC_TRANSCRIPT_JSON_UNESCAPE_H

#include "base/arena.h"

#include <stdint.h>

/*
 * The text of `raw`: `raw` itself if it has no escapes, else a copy in `arena`.
 * Surrogate pairs are joined; a lone surrogate becomes U+FFFD; an escape that
 * JSON does not have becomes U+FFFD and sets *bad (may be NULL).
 */
struct ccfc_slice ccfc_unescape(struct ccfc_arena *arena, struct ccfc_slice raw,
				bool *bad);

/* The unit of "\uXXXX" at p, or -1 if there is no such escape. */
int32_t ccfc_unescape_unit(const char *p, const char *end);

/*
 * As ccfc_unescape, for names, ids and paths. NONE if there is no text, or if
 * it is longer than `max` bytes or has a NUL or a bad escape.
 */
struct ccfc_slice ccfc_unescape_name(struct ccfc_arena *arena,
				     struct ccfc_slice raw, size_t max);

#endif

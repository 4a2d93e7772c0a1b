/* Moved blocks; see moved.h. */
#include "history/blame/moved.h"

#include "base/hash.h"

/* A moved block must have this many letters or digits, as in git. */
#define LETTERS_MIN 20
/* Places that are tried for a frequent line. */
#define TRIES_MAX 64

static bool same_line(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_moved *m = ctx;
	const struct ccfc_slice *line = key;

	return ccfc_slice_eq(ccfc_line_owners_line(m->carry, m->from + id),
			     *line);
}

static uint32_t find_removed_line(const struct ccfc_moved *m,
				  struct ccfc_slice line)
{
	return ccfc_map_get(&m->map, ccfc_hash_slice(line), same_line, m,
			    &line);
}

/* The first of equal lines stays in the map and heads their chain. */
static void note_removed_line(struct ccfc_moved *m, uint32_t i)
{
	struct ccfc_slice line = ccfc_line_owners_line(m->carry, m->from + i);
	uint32_t first = find_removed_line(m, line);

	m->gone[i] = true;
	m->same[i] = CCFC_ID_NONE;
	if (first == CCFC_ID_NONE) {
		ccfc_map_put(&m->map, ccfc_hash_slice(line), i);
		return;
	}
	m->same[i] = m->same[first];
	m->same[first] = i;
}

void ccfc_moved_init(struct ccfc_moved *m, struct ccfc_line_owners *carry,
		     const struct ccfc_block *blocks, uint32_t n)
{
	const struct ccfc_block *last = &blocks[n ? n - 1 : 0];

	*m = (struct ccfc_moved){ .carry = carry };
	if (!n)
		return;
	m->from = blocks[0].a;
	m->n = last->a + last->an - m->from;
	m->same =
		ccfc_arena_alloc(&carry->arena, (m->n + 1u) * sizeof(*m->same));
	m->gone = ccfc_arena_alloc(&carry->arena, m->n + 1u);
	memset(m->gone, 0, m->n + 1u);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < blocks[k].an; i++)
			note_removed_line(m, blocks[k].a - m->from + i);
}

void ccfc_moved_release(struct ccfc_moved *m)
{
	ccfc_map_release(&m->map);
}

static uint32_t count_letters(struct ccfc_slice line)
{
	uint32_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.ptr[i];

		n += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		     (c >= 'A' && c <= 'Z') || c >= 0x80;
	}
	return n;
}

/* The number of lines from removed line i on that equal `lines`; 0: too few. */
static uint32_t equal_run_length(const struct ccfc_moved *m, uint32_t i,
				 const struct ccfc_slice *lines, uint32_t n)
{
	uint32_t k = 0, letters = 0;

	while (k < n && i + k < m->n && m->gone[i + k] &&
	       ccfc_slice_eq(ccfc_line_owners_line(m->carry, m->from + i + k),
			     lines[k]))
		letters += count_letters(lines[k++]);
	return letters >= LETTERS_MIN ? k : 0;
}

uint32_t ccfc_moved_take(struct ccfc_moved *m, const struct ccfc_slice *lines,
			 uint32_t n, uint32_t *at)
{
	uint32_t i, from = 0, best = 0, tries = TRIES_MAX;

	if (!m->n)
		return 0;
	for (i = find_removed_line(m, lines[0]); i != CCFC_ID_NONE && tries;
	     i = m->same[i], tries--) {
		uint32_t length = equal_run_length(m, i, lines, n);

		if (length > best) {
			best = length;
			from = i;
		}
	}
	memset(m->gone + from, 0, best);
	*at = m->from + from;
	return best;
}

/*
 * The merge walks over the base text in regions. A region is a run of changes
 * of either side that overlap or touch; between regions nothing changed. If one
 * side alone touched a region, that side's lines are taken; if both made the
 * same change, it is taken once; else the region is a conflict.
 *
 * Lines carry their newline, so a line without one differs from the same line
 * with one, and can only be the last of its text: a change of it reaches the
 * end of the base. So a clean result lacks the final newline exactly where the
 * text that its last line came from does.
 */
#include "diff/merge3.h"

#include "diff/diff.h"

/* One side: its lines, its changes against the base, the next of them. */
struct side {
	struct ccfc_split text;
	struct ccfc_diff diff;
	uint32_t next;
	const char *label;
};

/* Lines of one text: [from, to). */
struct range {
	uint32_t from, to;
};

static void side_init(struct side *side, const struct ccfc_split *base,
		      struct ccfc_slice text, const char *label,
		      struct ccfc_arena *arena)
{
	*side = (struct side){ .label = label };
	ccfc_split(&side->text, text, arena);
	ccfc_diff(&side->diff, base, &side->text, arena);
}

static const struct ccfc_block *next_block(const struct side *side)
{
	return side->next < side->diff.n ? &side->diff.blocks[side->next]
					 : NULL;
}

/* Takes the changes that begin in the region or touch its end; false: none. */
static bool widen_region(struct range *region, struct side *side)
{
	const struct ccfc_block *block;
	bool wider = false;

	while ((block = next_block(side)) && block->a <= region->to) {
		if (block->a + block->an > region->to)
			region->to = block->a + block->an;
		side->next++;
		wider = true;
	}
	return wider;
}

/*
 * The region's lines in this side. Outside the changes the lines of base and
 * side run in parallel; the previous change gives the distance.
 */
static struct range region_lines(const struct side *side, uint32_t first,
				 struct range region)
{
	const struct ccfc_block *blocks = side->diff.blocks;
	struct range out = region;

	if (first) {
		const struct ccfc_block *b = &blocks[first - 1];

		out.from += (b->b + b->bn) - (b->a + b->an);
	}
	if (side->next) {
		const struct ccfc_block *b = &blocks[side->next - 1];

		out.to += (b->b + b->bn) - (b->a + b->an);
	}
	return out;
}

static void put_lines(struct ccfc_buf *out, const struct ccfc_split *text,
		      uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		ccfc_buf_slice(out, text->lines[i]);
}

/* How markers end: as the first line of the base, or else of ours. */
static const char *line_end(const struct ccfc_split *base,
			    const struct side *ours)
{
	const struct ccfc_split *text = base->n ? base : &ours->text;

	return text->n && ccfc_slice_ends(text->lines[0], "\r\n") ? "\r\n"
								  : "\n";
}

static void put_marker(struct ccfc_buf *out, const char *marker,
		       const char *label, const char *end)
{
	ccfc_buf_puts(out, marker);
	if (label && *label) {
		ccfc_buf_putc(out, ' ');
		ccfc_buf_puts(out, label);
	}
	ccfc_buf_puts(out, end);
}

/* A marker follows: a last line without a newline gets one. */
static void put_whole_lines(struct ccfc_buf *out, const struct ccfc_split *text,
			    struct range r, const char *end)
{
	put_lines(out, text, r.from, r.to);
	if (r.from < r.to && !ccfc_slice_ends(text->lines[r.to - 1], "\n"))
		ccfc_buf_puts(out, end);
}

/* What both sides begin and end with stays outside the markers. */
static void put_conflict(struct ccfc_buf *out, const struct side *ours,
			 struct range o, const struct side *theirs,
			 struct range t, const char *end)
{
	const struct ccfc_slice *a = ours->text.lines, *b = theirs->text.lines;
	uint32_t o_end = o.to;

	while (o.from < o.to && t.from < t.to &&
	       ccfc_slice_eq(a[o.from], b[t.from])) {
		ccfc_buf_slice(out, a[o.from]);
		o.from++;
		t.from++;
	}
	while (o.from < o.to && t.from < t.to &&
	       ccfc_slice_eq(a[o.to - 1], b[t.to - 1])) {
		o.to--;
		t.to--;
	}
	put_marker(out, "<<<<<<<", ours->label, end);
	put_whole_lines(out, &ours->text, o, end);
	put_marker(out, "=======", NULL, end);
	put_whole_lines(out, &theirs->text, t, end);
	put_marker(out, ">>>>>>>", theirs->label, end);
	put_lines(out, &ours->text, o.to, o_end);
}

static bool same_lines(const struct side *ours, struct range o,
		       const struct side *theirs, struct range t)
{
	if (o.to - o.from != t.to - t.from)
		return false;
	for (uint32_t i = 0; i < o.to - o.from; i++)
		if (!ccfc_slice_eq(ours->text.lines[o.from + i],
				   theirs->text.lines[t.from + i]))
			return false;
	return true;
}

/* The base line that the next change of either side begins at, if any. */
static bool next_start(uint32_t *out, const struct side *ours,
		       const struct side *theirs)
{
	const struct ccfc_block *o = next_block(ours), *t = next_block(theirs);

	if (!o && !t)
		return false;
	*out = !t || (o && o->a < t->a) ? o->a : t->a;
	return true;
}

/* Merges the region that begins at `start`; returns its end in the base. */
static uint32_t put_region(struct ccfc_buf *out, uint32_t *conflicts,
			   struct side *ours, struct side *theirs,
			   uint32_t start, const char *end)
{
	struct range region = { start, start }, o, t;
	uint32_t o_first = ours->next, t_first = theirs->next;
	bool more = true;

	while (more) {
		more = widen_region(&region, ours);
		more |= widen_region(&region, theirs);
	}
	o = region_lines(ours, o_first, region);
	t = region_lines(theirs, t_first, region);
	if (theirs->next == t_first || same_lines(ours, o, theirs, t)) {
		put_lines(out, &ours->text, o.from, o.to);
	} else if (ours->next == o_first) {
		put_lines(out, &theirs->text, t.from, t.to);
	} else {
		put_conflict(out, ours, o, theirs, t, end);
		++*conflicts;
	}
	return region.to;
}

uint32_t ccfc_merge(struct ccfc_buf *out, const struct ccfc_merge *merge)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct side ours, theirs;
	struct ccfc_split base;
	uint32_t at = 0, start, conflicts = 0;

	ccfc_split(&base, merge->base, &arena);
	side_init(&ours, &base, merge->ours, merge->ours_label, &arena);
	side_init(&theirs, &base, merge->theirs, merge->theirs_label, &arena);
	while (next_start(&start, &ours, &theirs)) {
		put_lines(out, &base, at, start);
		at = put_region(out, &conflicts, &ours, &theirs, start,
				line_end(&base, &ours));
	}
	put_lines(out, &base, at, base.n);
	ccfc_arena_release(&arena);
	return conflicts;
}

/*
 * Myers' O(ND) algorithm in linear space: from both ends of a box, all paths
 * of 1, 2, 3 … edits are followed as far as they get, until the two fronts
 * meet; the meeting point cuts the box in two. A front keeps, for each
 * diagonal (x - y), how far it came. The work is bounded: when the fronts have
 * not met after `limit` edits each, the box is cut where one of them came
 * furthest, which is right but may not be the smallest. Boxes wait in a stack
 * of our own, the smaller half in front, so that it needs 32 places at most.
 */
#include "base/alloc.h"
#include "diff/diff_internal.h"

#include <stdlib.h>

/* Lines times limit stays about here: some tenths of a second. */
#define WORK	  ((int64_t)1 << 27)
#define LIMIT_MIN 64
#define LIMIT_MAX 2048
#define DEPTH	  64

/* Lines [a0, a1) of one side against [b0, b1) of the other. */
struct box {
	int32_t a0, a1;
	int32_t b0, b1;
};

struct front {
	int32_t *x; /* by diagonal, from `mid` on, also negative */
	int32_t mid, min, max;
};

struct myers {
	const struct ccfc_diff_ids *a, *b;
	int32_t limit;
	struct front forward, backward;
};

struct point {
	int32_t x, y;
};

static int32_t *front_at(const struct front *f, int32_t diagonal)
{
	return &f->x[diagonal - f->mid];
}

static void front_start(struct front *f, int32_t diagonal, int32_t x)
{
	f->mid = f->min = f->max = diagonal;
	*front_at(f, diagonal) = x;
}

static bool front_has(const struct front *f, int32_t diagonal)
{
	return diagonal >= f->min && diagonal <= f->max;
}

/* Adds one diagonal at either end, or removes one where the box ends. */
static void front_widen(struct front *f, const struct box *box, int32_t never)
{
	if (f->min > box->a0 - box->b1)
		*front_at(f, --f->min - 1) = never;
	else
		f->min++;
	if (f->max < box->a1 - box->b0)
		*front_at(f, ++f->max + 1) = never;
	else
		f->max--;
}

/* One more edit forwards; true when it met the other front, at *met. */
static bool step_forward(struct point *met, struct myers *m,
			 const struct box *box, bool look)
{
	const uint32_t *a = m->a->ids, *b = m->b->ids;
	struct front *f = &m->forward;

	front_widen(f, box, -1);
	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t right = *front_at(f, d - 1) + 1;
		int32_t down = *front_at(f, d + 1);
		int32_t x = right > down ? right : down, y = x - d;

		while (x < box->a1 && y < box->b1 && a[x] == b[y]) {
			x++;
			y++;
		}
		*front_at(f, d) = x;
		if (look && front_has(&m->backward, d) &&
		    *front_at(&m->backward, d) <= x) {
			*met = (struct point){ x, y };
			return true;
		}
	}
	return false;
}

static bool step_backward(struct point *met, struct myers *m,
			  const struct box *box, bool look)
{
	const uint32_t *a = m->a->ids, *b = m->b->ids;
	struct front *f = &m->backward;

	front_widen(f, box, INT32_MAX);
	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t left = *front_at(f, d + 1) - 1;
		int32_t up = *front_at(f, d - 1);
		int32_t x = left < up ? left : up, y = x - d;

		while (x > box->a0 && y > box->b0 && a[x - 1] == b[y - 1]) {
			x--;
			y--;
		}
		*front_at(f, d) = x;
		if (look && front_has(&m->forward, d) &&
		    x <= *front_at(&m->forward, d)) {
			*met = (struct point){ x, y };
			return true;
		}
	}
	return false;
}

/*
 * The points that the fronts reached after the most lines. A path may end one
 * step outside the box: then the point is moved back along its diagonal. The
 * point is never a corner of the box: at least `limit` lines are passed, and a
 * path that had passed all lines would have met the other front.
 */
static int64_t furthest_forward(struct point *best, const struct front *f,
				const struct box *box)
{
	int64_t most = -1;

	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t x = *front_at(f, d);
		int64_t passed;

		x = x < box->a1 ? x : box->a1;
		x = x - d < box->b1 ? x : box->b1 + d;
		passed = ((int64_t)x - box->a0) + ((int64_t)x - d - box->b0);
		if (passed > most) {
			most = passed;
			*best = (struct point){ x, x - d };
		}
	}
	return most;
}

static int64_t furthest_backward(struct point *best, const struct front *f,
				 const struct box *box)
{
	int64_t most = -1;

	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t x = *front_at(f, d);
		int64_t passed;

		x = x > box->a0 ? x : box->a0;
		x = x - d > box->b0 ? x : box->b0 + d;
		passed = ((int64_t)box->a1 - x) + ((int64_t)box->b1 - x + d);
		if (passed > most) {
			most = passed;
			*best = (struct point){ x, x - d };
		}
	}
	return most;
}

/* Where to cut a box that has lines on both sides and no common end. */
static struct point find_split(struct myers *m, const struct box *box)
{
	int32_t first = box->a0 - box->b0, last = box->a1 - box->b1;
	bool odd = (first - last) & 1;
	struct point forward = { 0, 0 }, backward = { 0, 0 };

	front_start(&m->forward, first, box->a0);
	front_start(&m->backward, last, box->a1);
	for (int32_t edits = 1; edits <= m->limit; edits++) {
		if (step_forward(&forward, m, box, odd))
			return forward;
		if (step_backward(&backward, m, box, !odd))
			return backward;
	}
	return furthest_forward(&forward, &m->forward, box) >=
			       furthest_backward(&backward, &m->backward, box)
		       ? forward
		       : backward;
}

static void trim_box(struct box *box, const struct myers *m)
{
	const uint32_t *a = m->a->ids, *b = m->b->ids;

	while (box->a0 < box->a1 && box->b0 < box->b1 &&
	       a[box->a0] == b[box->b0]) {
		box->a0++;
		box->b0++;
	}
	while (box->a0 < box->a1 && box->b0 < box->b1 &&
	       a[box->a1 - 1] == b[box->b1 - 1]) {
		box->a1--;
		box->b1--;
	}
}

static void flag_changed(const struct ccfc_diff_ids *side, int32_t from,
			 int32_t to)
{
	for (int32_t i = from; i < to; i++)
		side->changed[side->at[i]] = true;
}

static int64_t box_size(const struct box *box)
{
	return (int64_t)(box->a1 - box->a0) + (box->b1 - box->b0);
}

/* The smaller part is taken first: each time the rest at least halves. */
static uint32_t push_parts(struct box *stack, uint32_t n, struct box box,
			   struct point at)
{
	struct box head = { box.a0, at.x, box.b0, at.y };
	struct box tail = { at.x, box.a1, at.y, box.b1 };
	bool head_first = box_size(&head) < box_size(&tail);

	stack[n++] = head_first ? tail : head;
	stack[n++] = head_first ? head : tail;
	return n;
}

static void mark_changed_lines(struct myers *m)
{
	struct box stack[DEPTH];
	uint32_t n = 1;

	stack[0] = (struct box){ 0, (int32_t)m->a->n, 0, (int32_t)m->b->n };
	while (n) {
		struct box box = stack[--n];

		trim_box(&box, m);
		if (box.a0 < box.a1 && box.b0 < box.b1) {
			n = push_parts(stack, n, box, find_split(m, &box));
			continue;
		}
		flag_changed(m->a, box.a0, box.a1);
		flag_changed(m->b, box.b0, box.b1);
	}
}

void ccfc_diff_myers(const struct ccfc_diff_ids *a,
		     const struct ccfc_diff_ids *b)
{
	int64_t lines = (int64_t)a->n + b->n;
	int64_t limit = WORK / (lines + 1);
	struct myers m = { .a = a, .b = b };
	int32_t *fronts;
	size_t room;

	limit = limit < LIMIT_MAX ? limit : LIMIT_MAX;
	limit = limit < lines ? limit : lines + 1;
	limit = limit > LIMIT_MIN ? limit : LIMIT_MIN;
	m.limit = (int32_t)limit;
	/* `limit` diagonals each way, and one that is never reached. */
	room = 2 * ((size_t)limit + 1) + 1;
	fronts = ccfc_malloc(2 * room * sizeof(*fronts));
	m.forward.x = fronts + limit + 1;
	m.backward.x = fronts + room + limit + 1;
	mark_changed_lines(&m);
	free(fronts);
}

/* Checkpoints; see checkpoints.h. */
#include "history/chain/checkpoints.h"

#include "base/alloc.h"

#include <stdlib.h>

#define MARKS_BYTES ((size_t)16 << 20)
#define FIRST_STEP  16u

/*
 * Frees checkpoints: with `back`, those derived from later states; else those
 * between two strides.
 */
static void drop_checkpoints(struct ccfc_chain *chain, bool back)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < chain->marks.n; i++) {
		struct ccfc_checkpoint *mark = &chain->marks.items[i];

		if (back ? !mark->back : mark->node % chain->stride == 0) {
			chain->marks.items[n++] = *mark;
			continue;
		}
		chain->mark_bytes -= mark->text.len;
		ccfc_buf_release(&mark->text);
	}
	chain->marks.n = n;
}

void ccfc_checkpoints_drop_back(struct ccfc_chain *chain)
{
	drop_checkpoints(chain, true);
}

/* The number of the first checkpoint at node i or later. */
static uint32_t first_checkpoint_from(const struct ccfc_chain *chain,
				      uint32_t i)
{
	uint32_t lo = 0, hi = chain->marks.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (chain->marks.items[mid].node < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void ccfc_checkpoints_cut(struct ccfc_chain *chain, uint32_t i)
{
	while (chain->marks.n &&
	       chain->marks.items[chain->marks.n - 1].node >= i) {
		struct ccfc_checkpoint *mark =
			&chain->marks.items[--chain->marks.n];

		chain->mark_bytes -= mark->text.len;
		ccfc_buf_release(&mark->text);
	}
}

void ccfc_checkpoints_add(struct ccfc_chain *chain, uint32_t i,
			  struct ccfc_slice text, bool back)
{
	struct ccfc_checkpoint mark = { .node = i, .back = back };
	uint32_t at;

	if (!chain->stride)
		chain->stride = FIRST_STEP;
	if (i % chain->stride != 0 || text.len > MARKS_BYTES)
		return;
	while (chain->marks.n && chain->mark_bytes + text.len > MARKS_BYTES) {
		chain->stride *= 2;
		drop_checkpoints(chain, false);
	}
	if (i % chain->stride != 0)
		return;
	ccfc_buf_slice(&mark.text, text);
	if (!mark.text.ptr)
		return; /* an empty text needs no checkpoint */
	chain->mark_bytes += text.len;
	at = first_checkpoint_from(chain, i);
	CCFC_VEC_PUSH(chain->marks, mark);
	memmove(&chain->marks.items[at + 1], &chain->marks.items[at],
		(chain->marks.n - 1 - at) * sizeof(mark));
	chain->marks.items[at] = mark;
}

struct ccfc_slice ccfc_checkpoints_get(const struct ccfc_chain *chain,
				       uint32_t i)
{
	uint32_t lo = first_checkpoint_from(chain, i);

	if (lo == chain->marks.n || chain->marks.items[lo].node != i)
		return CCFC_SLICE_NONE;
	return ccfc_buf_view(&chain->marks.items[lo].text);
}

void ccfc_checkpoints_release(struct ccfc_chain *chain)
{
	for (uint32_t i = 0; i < chain->marks.n; i++)
		ccfc_buf_release(&chain->marks.items[i].text);
	free(chain->marks.items);
}

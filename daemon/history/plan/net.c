/*
 * The net effect of changes; see net.h. In memory are the states of one run and
 * the merged text so far.
 */
#include "history/plan/net.h"

#define MERGED "others changed the file in between; their changes are left out"
#define CLASH                                                                  \
	"others changed the same lines in between; there are several diffs"

static void copy_version(struct ccfc_version *out, const struct ccfc_version *v,
			 struct ccfc_arena *arena)
{
	out->exists = v->exists;
	out->bytes = ccfc_arena_copy(arena, v->bytes);
}

/* Merges one run into `net->after`, which lies in `text`. */
static bool merge_run(struct ccfc_net *net, struct ccfc_buf *text,
		      const struct ccfc_version *before,
		      const struct ccfc_version *after)
{
	struct ccfc_merge3 w = { *before, net->after, *after, "", "" };
	struct ccfc_buf merged = CCFC_BUF_INIT;
	struct ccfc_version result;
	uint32_t conflicts;
	enum ccfc_merge3_result r =
		ccfc_version_merge3(&result, &merged, &conflicts, &w);

	if (r == CCFC_MERGE3_MERGED &&
	    net->fidelity > CCFC_FIDELITY_RECONSTRUCTED) {
		net->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
		net->why = MERGED;
	}
	if (result.bytes.ptr != text->ptr) {
		ccfc_buf_clear(text);
		ccfc_buf_slice(text, result.bytes);
	}
	net->after.exists = result.exists;
	net->after.bytes = ccfc_buf_view(text);
	ccfc_buf_release(&merged);
	return r == CCFC_MERGE3_TAKEN || r == CCFC_MERGE3_MERGED;
}

static bool merge_runs(struct ccfc_net *net, struct ccfc_buf *text,
		       struct ccfc_chain *chain,
		       const struct ccfc_change_runs *runs,
		       struct ccfc_arena *arena)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	bool ok = true;

	for (uint32_t k = 0; ok && k < runs->n; k++) {
		struct ccfc_version before, after;
		const char *why = net->why;

		ccfc_arena_clear(&scratch);
		ok = ccfc_change_run_ends(&before, &after, chain,
					  &runs->items[k], &net->fidelity, &why,
					  &scratch);
		if (why != net->why)
			net->why =
				ccfc_arena_copy(arena, ccfc_slice_str(why)).ptr;
		if (!ok)
			break;
		if (!k) {
			copy_version(&net->before, &before, arena);
			net->after = net->before;
		}
		ok = merge_run(net, text, &before, &after);
		if (!ok)
			net->why = CLASH;
	}
	ccfc_arena_release(&scratch);
	return ok;
}

void ccfc_net_compose(struct ccfc_net *out, struct ccfc_chain *chain,
		      const struct ccfc_change_runs *runs,
		      struct ccfc_arena *arena)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	*out = (struct ccfc_net){ .fidelity = CCFC_FIDELITY_EXACT, .why = "" };
	out->composed = merge_runs(out, &text, chain, runs, arena);
	if (out->composed)
		copy_version(&out->after, &out->after, arena);
	else
		out->before = out->after = (struct ccfc_version){ 0 };
	ccfc_buf_release(&text);
}

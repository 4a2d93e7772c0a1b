/* The diff of a change; see delta.h. */
#include "history/plan/delta.h"

#include "diff/unified.h"

void ccfc_delta_versions(struct ccfc_delta *out, struct ccfc_buf *buf,
			 const struct ccfc_delta_form *form,
			 const struct ccfc_version *before,
			 const struct ccfc_version *after)
{
	const struct ccfc_unified u = {
		.name = form->name,
		.old_exists = before->exists,
		.new_exists = after->exists,
		.old_text = before->bytes,
		.new_text = after->bytes,
		.context = form->context,
	};

	*out = (struct ccfc_delta){
		.known = true,
		.binary = ccfc_version_is_binary(before) ||
			  ccfc_version_is_binary(after),
		.fidelity = CCFC_FIDELITY_EXACT,
		.why = "",
	};
	ccfc_unified(buf, &u, &out->added, &out->removed);
}

void ccfc_delta_states(struct ccfc_delta *out, struct ccfc_buf *buf,
		       const struct ccfc_delta_form *form,
		       const struct ccfc_content_state *before,
		       const struct ccfc_content_state *after)
{
	enum ccfc_fidelity fidelity = CCFC_FIDELITY_EXACT;
	struct ccfc_version b, a;
	const char *why = "";

	ccfc_fidelity_weigh(&fidelity, &why, before);
	ccfc_fidelity_weigh(&fidelity, &why, after);
	if (ccfc_version_of(&b, before) && ccfc_version_of(&a, after))
		ccfc_delta_versions(out, buf, form, &b, &a);
	else
		*out = (struct ccfc_delta){ .known = false };
	out->fidelity = fidelity;
	out->why = why;
}

static void put_hunk(struct ccfc_delta *out, struct ccfc_buf *buf,
		     const struct ccfc_hunk *hunk)
{
	ccfc_buf_printf(buf, "@@ -%u,%u +%u,%u @@\n", hunk->old_start,
			hunk->old_lines, hunk->new_start, hunk->new_lines);
	for (uint32_t i = 0; i < hunk->nlines; i++) {
		struct ccfc_slice line = hunk->lines[i];

		out->added += ccfc_slice_starts(line, "+");
		out->removed += ccfc_slice_starts(line, "-");
		ccfc_buf_slice(buf, line);
		ccfc_buf_putc(buf, '\n');
	}
}

static void put_head(struct ccfc_buf *buf, struct ccfc_slice name)
{
	/* The tab marks the end of a name with spaces. */
	const char *tab = memchr(name.ptr, ' ', name.len) ? "\t" : "";

	ccfc_buf_puts(buf, "diff --git ");
	ccfc_unified_name(buf, "a/", name);
	ccfc_buf_putc(buf, ' ');
	ccfc_unified_name(buf, "b/", name);
	ccfc_buf_puts(buf, "\n--- ");
	ccfc_unified_name(buf, "a/", name);
	ccfc_buf_puts(buf, tab);
	ccfc_buf_puts(buf, "\n+++ ");
	ccfc_unified_name(buf, "b/", name);
	ccfc_buf_puts(buf, tab);
	ccfc_buf_putc(buf, '\n');
}

void ccfc_delta_step(struct ccfc_delta *out, struct ccfc_buf *buf,
		     const struct ccfc_delta_form *form,
		     struct ccfc_chain *chain, uint32_t step,
		     const struct ccfc_content_state *before,
		     const struct ccfc_content_state *after,
		     struct ccfc_arena *arena)
{
	const struct ccfc_hunk *hunks;
	uint32_t n;

	ccfc_delta_states(out, buf, form, before, after);
	if (out->known || step % 2 == 0 ||
	    !ccfc_chain_patch(&hunks, &n, chain, step / 2, arena))
		return;
	put_head(buf, form->name);
	for (uint32_t k = 0; k < n; k++)
		put_hunk(out, buf, &hunks[k]);
	out->known = true;
	out->fidelity = CCFC_FIDELITY_PARTIAL;
	if (!out->why[0])
		out->why = "only the lines of the client's patch are known";
}

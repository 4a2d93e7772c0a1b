/*
 * The diff of a change, or between any two states, with its fidelity. For a
 * change with unknown states, its own patch.
 */
#ifndef CCFC_HISTORY_PLAN_DELTA_H
#define CCFC_HISTORY_PLAN_DELTA_H

#include "history/plan/file_merge.h"

struct ccfc_delta_form {
	struct ccfc_slice name; /* without a leading slash */
	uint32_t context;	/* lines */
};

struct ccfc_delta {
	bool known;  /* there is a diff; it may be empty */
	bool binary; /* a side has NUL bytes, so its lines mean little */
	uint64_t added, removed;
	enum ccfc_fidelity fidelity;
	const char *why; /* "" when exact */
};

/*
 * Each function appends the diff to `buf` and fills in `out`. The diff between
 * two versions is always known and exact.
 */
void ccfc_delta_versions(struct ccfc_delta *out, struct ccfc_buf *buf,
			 const struct ccfc_delta_form *form,
			 const struct ccfc_version *before,
			 const struct ccfc_version *after);
/* Known only if both states are at least reconstructed. */
void ccfc_delta_states(struct ccfc_delta *out, struct ccfc_buf *buf,
		       const struct ccfc_delta_form *form,
		       const struct ccfc_content_state *before,
		       const struct ccfc_content_state *after);
/*
 * The diff of a step, by its states, which the caller has; else by the change's
 * patch, which is partial.
 */
void ccfc_delta_step(struct ccfc_delta *out, struct ccfc_buf *buf,
		     const struct ccfc_delta_form *form,
		     struct ccfc_chain *chain, uint32_t step,
		     const struct ccfc_content_state *before,
		     const struct ccfc_content_state *after,
		     struct ccfc_arena *arena);

#endif

/*
 * Merging versions of a file: a three-way merge that also handles missing
 * files, and does not merge binary content. And runs: the parts of a chain with
 * only the given changes.
 */
#ifndef CCFC_HISTORY_PLAN_FILE_MERGE_H
#define CCFC_HISTORY_PLAN_FILE_MERGE_H

#include "base/buf.h"
#include "history/history.h"

/* Known content: bytes, or no file. */
struct ccfc_version {
	bool exists;
	struct ccfc_slice bytes; /* empty if the file does not exist */
};

bool ccfc_version_eq(const struct ccfc_version *a,
		     const struct ccfc_version *b);
/* Does it contain bytes that no text contains? */
bool ccfc_version_is_binary(const struct ccfc_version *version);

/* False: the state's fidelity is too weak. */
bool ccfc_version_of(struct ccfc_version *out,
		     const struct ccfc_content_state *state);

struct ccfc_merge3 {
	struct ccfc_version base, ours, theirs;
	const char *ours_label, *theirs_label;
};

enum ccfc_merge3_result {
	CCFC_MERGE3_TAKEN,  /* one of the three versions */
	CCFC_MERGE3_MERGED, /* both sides changed it, at different places */
	/* both sides changed the same place: the text has conflict markers */
	CCFC_MERGE3_CONFLICT,
	/* not mergeable: a side is missing or binary; no output */
	CCFC_MERGE3_CLASH,
};

/*
 * Merges the changes from `base` to `ours` and to `theirs`. *out refers to one
 * of them or to `buf`, whose content is replaced. *conflicts counts the
 * conflicts.
 */
enum ccfc_merge3_result ccfc_version_merge3(struct ccfc_version *out,
					    struct ccfc_buf *buf,
					    uint32_t *conflicts,
					    const struct ccfc_merge3 *weave);

/* Steps first to last of a chain; nobody else changed the file in between. */
struct ccfc_change_run {
	uint32_t first, last;
};

struct ccfc_change_runs {
	struct ccfc_change_run
		*items; /* in the order of the chain, at least one */
	uint32_t n;
	bool others; /* another change of the chain lies between two of them */
};

/*
 * The runs of `changes` (ids, any order; also inferred ones). Where it is not
 * known whether somebody else changed the file, a run ends. False if none is in
 * the chain.
 */
bool ccfc_change_runs_find(struct ccfc_change_runs *out,
			   struct ccfc_chain *chain, const uint32_t *changes,
			   uint32_t n, struct ccfc_arena *arena);

/*
 * The states before and after a run. Lowers *fidelity to the weaker of the
 * states', and sets *why. False: one state is not known.
 */
bool ccfc_change_run_ends(struct ccfc_version *before,
			  struct ccfc_version *after, struct ccfc_chain *chain,
			  const struct ccfc_change_run *run,
			  enum ccfc_fidelity *fidelity, const char **why,
			  struct ccfc_arena *arena);

/* Combines fidelities: the weakest one counts. */
void ccfc_fidelity_weigh(enum ccfc_fidelity *fidelity, const char **why,
			 const struct ccfc_content_state *state);

#endif

/*
 * Blame; see blame.h. Walks up to the requested point, then takes its bytes:
 * their lines are those of the text, whatever their line endings and encoding.
 */
#include "history/blame/blame.h"

#include "base/hash.h"
#include "base/time.h"
#include "history/blame/walk.h"

#define LEAPT "lines may have been removed and added again in unknown states"

struct end {
	struct ccfc_chain *chain;
	const struct ccfc_blame_options *options;
	struct ccfc_arena *arena;
	struct ccfc_walk *kept; /* a kept walk; must not be changed */
	struct ccfc_walk own;	/* a copy that goes further */
	struct ccfc_walk *walk; /* one of the two */
};

static int fail_without_content(const struct ccfc_chain *chain, const char *why,
				struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ENOTFOUND, "%s: %s",
			    ccfc_chain_path(chain), why);
}

/* Fails: the file has content, but it is not known. */
static int fail_unknown_content(const struct ccfc_chain *chain, const char *why,
				struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_EIO, "%s: %s", ccfc_chain_path(chain),
			    why);
}

/* --- lines --- */

/*
 * Finds where each line begins in the bytes. False if the number of lines
 * differs.
 */
static bool find_line_starts(struct ccfc_owned *lines, uint32_t n,
			     struct ccfc_slice bytes)
{
	size_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *nl;

		if (at >= bytes.len)
			return false;
		lines[i].at = (uint32_t)at;
		nl = memchr(bytes.ptr + at, '\n', bytes.len - at);
		at = nl ? (size_t)(nl - bytes.ptr) + 1 : bytes.len;
	}
	return at == bytes.len;
}

static void put_lines(struct ccfc_blame *out, const struct end *e,
		      struct ccfc_slice bytes, bool utf16)
{
	const struct ccfc_line_owners *carry = &e->walk->carry;
	uint32_t n = carry->lines.n;
	struct ccfc_owned *lines =
		ccfc_arena_alloc(e->arena, (n + 1u) * sizeof(*lines));

	if (n)
		memcpy(lines, carry->lines.items, n * sizeof(*lines));
	if (utf16 || !find_line_starts(lines, n, bytes)) {
		if (n)
			memcpy(lines, carry->lines.items, n * sizeof(*lines));
		bytes = ccfc_buf_view(&carry->text);
	}
	out->text = ccfc_arena_copy(e->arena, bytes);
	out->lines = lines;
	out->n = n;
}

/* --- how sure --- */

static void note_doubt(struct ccfc_blame *out,
		       const struct ccfc_side_state *side)
{
	if (side->how == CCFC_HOW_NOT || side->fidelity >= out->fidelity)
		return;
	out->fidelity = side->fidelity;
	out->why = side->why;
}

static void find_doubt(struct ccfc_blame *out, const struct end *e)
{
	const struct ccfc_node *nodes = e->chain->nodes;
	uint32_t last = UINT32_MAX;

	if (e->walk->leapt && out->fidelity == CCFC_FIDELITY_EXACT) {
		out->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
		out->why = LEAPT;
	}
	for (uint32_t k = 0; k < out->n; k++) {
		uint32_t owner = out->lines[k].owner;
		uint32_t i = ccfc_owner_node(owner);

		if (owner == last)
			continue;
		last = owner;
		if (i < e->chain->n)
			note_doubt(out, &nodes[i].before);
		if (ccfc_owner_is_change(owner))
			note_doubt(out, &nodes[i].after);
		else if (i)
			note_doubt(out, &nodes[i - 1].after);
	}
}

/* --- the end --- */

static void walk_to_node(struct end *e, uint32_t n)
{
	e->kept = ccfc_walk_to(e->chain, n, e->options->space);
	e->walk = e->kept;
}

static void copy_walk(struct end *e)
{
	ccfc_walk_copy(&e->own, e->walk);
	e->walk = &e->own;
}

/* Goes back to the state that the disk has again; false if there is none. */
static bool return_if_disk_is_earlier(struct end *e, struct ccfc_slice text)
{
	struct ccfc_return back;

	/* The file may have been written since the chain was made. */
	return ccfc_chain_return(&back, e->chain, e->chain->n) &&
	       ccfc_hash_slice(text) == e->chain->disk_state.hash &&
	       ccfc_walk_return(e->walk, ccfc_place_of(back.i, !back.before));
}

static int end_on_disk(struct ccfc_blame *out, struct end *e,
		       struct ccfc_err *err)
{
	struct ccfc_chain *chain = e->chain;
	struct ccfc_buf bytes = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	struct ccfc_form form;
	int r = 0;

	if (!chain->disk.exists) {
		fail_without_content(chain, "does not exist now", err);
		ccfc_err_hint(err, "give option 'at' for the file as it was");
		return CCFC_ENOTFOUND;
	}
	if (!ccfc_chain_disk_bytes(&bytes, chain))
		r = fail_unknown_content(chain, "cannot be read as a file",
					 err);
	if (!r) {
		walk_to_node(e, chain->n);
		ccfc_form_decode(&text, &form, ccfc_buf_view(&bytes));
		if (!e->walk->started || e->walk->hidden ||
		    !ccfc_slice_eq(ccfc_buf_view(&text),
				   ccfc_buf_view(&e->walk->carry.text))) {
			copy_walk(e);
			if (!return_if_disk_is_earlier(e, ccfc_buf_view(&text)))
				ccfc_walk_cross(e->walk, chain->n, &text);
		}
		out->fidelity = CCFC_FIDELITY_EXACT;
		out->why = "";
		put_lines(out, e, ccfc_buf_view(&bytes),
			  form.encoding == CCFC_UTF16LE);
		find_doubt(out, e);
	}
	ccfc_buf_release(&bytes);
	ccfc_buf_release(&text);
	return r;
}

/*
 * Ends at a state that a backup shows: an earlier state, or what somebody made
 * of the last one.
 */
static int end_at_seen(struct ccfc_blame *out, struct end *e,
		       const struct ccfc_content_state *state)
{
	const struct ccfc_point *point = &e->options->point;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_return back;
	struct ccfc_form form;
	bool again = ccfc_chain_seen_return(&back, e->chain, point->seen);

	ccfc_form_decode(&text, &form, state->bytes);
	walk_to_node(e,
		     again ? back.i + !back.before : point->i + !point->before);
	copy_walk(e);
	if (!again || (back.before && !ccfc_walk_enter(e->walk, e->chain)) ||
	    !ccfc_slice_eq(ccfc_buf_view(&text),
			   ccfc_buf_view(&e->walk->carry.text)))
		ccfc_walk_cross(e->walk, point->i + !point->before, &text);
	out->fidelity = state->fidelity;
	out->why = state->why;
	put_lines(out, e, state->bytes, form.encoding == CCFC_UTF16LE);
	find_doubt(out, e);
	ccfc_buf_release(&text);
	return 0;
}

static int end_at_point(struct ccfc_blame *out, struct end *e,
			struct ccfc_err *err)
{
	const struct ccfc_point *point = &e->options->point;
	const struct ccfc_node *node = &e->chain->nodes[point->i];
	const struct ccfc_side_state *side;
	struct ccfc_content_state state;
	bool known;

	ccfc_at_state(&state, e->chain, point, e->arena);
	if (state.fidelity < CCFC_FIDELITY_RECONSTRUCTED)
		return fail_unknown_content(e->chain, state.why, err);
	if (!state.exists)
		return fail_without_content(e->chain, "did not exist then",
					    err);
	if (point->seen != CCFC_ID_NONE)
		return end_at_seen(out, e, &state);
	walk_to_node(e, point->i + !point->before);
	known = !e->walk->hidden;
	if (point->before) {
		copy_walk(e);
		known = ccfc_walk_enter(e->walk, e->chain);
	}
	if (!known)
		return fail_unknown_content(e->chain, "the transcript is gone",
					    err);
	out->fidelity = state.fidelity;
	out->why = state.why;
	side = point->before ? &node->before : &node->after;
	put_lines(out, e, state.bytes, side->form.encoding == CCFC_UTF16LE);
	find_doubt(out, e);
	return 0;
}

/*
 * Replaces the points before and after an inferred change by its neighbours'
 * states.
 */
static void leave_inferred_change(struct ccfc_blame_options *options,
				  uint32_t len)
{
	struct ccfc_point *point = &options->point;

	if (options->disk || point->made == CCFC_ID_NONE)
		return;
	point->made = CCFC_ID_NONE;
	if (point->before)
		point->i--;
	else
		options->disk = point->i == len;
	point->before = !point->before;
}

int ccfc_blame(struct ccfc_blame *out, struct ccfc_chain *chain,
	       const struct ccfc_blame_options *asked, struct ccfc_arena *arena,
	       struct ccfc_err *err)
{
	struct ccfc_blame_options options = *asked;
	struct end e = { .chain = chain, .options = &options, .arena = arena };
	int r;

	leave_inferred_change(&options, chain->n);
	r = options.disk ? end_on_disk(out, &e, err)
			 : end_at_point(out, &e, err);

	ccfc_walk_release(&e.own);
	if (e.kept)
		ccfc_walk_done(e.kept, chain);
	return r;
}

/* --- owners --- */

/*
 * The earliest time at which somebody else may have changed the file before
 * node i. A state that was only carried over to the next change proves nothing.
 */
static int64_t earliest_change_time(const struct ccfc_chain *chain, uint32_t i,
				    bool hidden)
{
	const struct ccfc_node *nodes = chain->nodes;

	while (hidden && i && nodes[i - 1].after.how == CCFC_HOW_NOT)
		i--;
	if (!i)
		return CCFC_TIME_NONE;
	i--;
	while (i && nodes[i].after.pending && nodes[i].before.pending)
		i--;
	return nodes[i].time;
}

static enum ccfc_gap gap_before(const struct ccfc_chain *chain, uint32_t i)
{
	return i < chain->n ? chain->nodes[i].gap : chain->last_gap;
}

struct ccfc_blame_owner ccfc_blame_owner(const struct ccfc_chain *chain,
					 uint32_t owner)
{
	bool hidden = owner & CCFC_OWNER_HIDDEN;
	uint32_t i = ccfc_owner_node(owner);
	struct ccfc_blame_owner o = { .kind = hidden ? CCFC_BLAME_UNKNOWN
						     : CCFC_BLAME_OUTSIDE,
				      .from = CCFC_TIME_NONE,
				      .to = CCFC_TIME_NONE };

	if (ccfc_owner_is_change(owner)) {
		o.kind = CCFC_BLAME_SESSION;
		o.change = chain->nodes[i].change;
		return o;
	}
	if (!hidden && i && ccfc_chain_inferred(chain, i) != CCFC_ID_NONE) {
		o.kind = CCFC_BLAME_SESSION;
		o.change = ccfc_chain_inferred(chain, i);
		return o;
	}
	if (!hidden && i && gap_before(chain, i) == CCFC_GAP_HOOK) {
		o.kind = CCFC_BLAME_SESSION;
		o.change = chain->nodes[i - 1].change;
		o.hook = true;
		return o;
	}
	if (!hidden && i && ccfc_chain_commands(chain, i))
		o.gap = i;
	o.from = earliest_change_time(chain, i, hidden);
	if (i < chain->n)
		o.to = chain->nodes[i].time;
	return o;
}

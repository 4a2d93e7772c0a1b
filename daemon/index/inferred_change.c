/*
 * The rows of inferred changes. The worker that looks at contents reports its
 * findings (gap_marks.h). They become rows like those of changes that the text
 * or the result of a command names. So lists, counts, events and the store need
 * no special code for them.
 *
 * A command has one change of a file. Any other evidence than contents is
 * better, and stays.
 */
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

static bool is_found(const struct ccfc_inferred *found, uint32_t n,
		     uint32_t command)
{
	for (uint32_t i = 0; i < n; i++)
		if (found[i].command == command)
			return true;
	return false;
}

/* Do the lines that the change depends on still exist? */
static bool has_lines(const struct ccfc_index *index,
		      const struct ccfc_change *c)
{
	return (!c->call.known ||
		ccfc_index_place_present(index, &c->call.place)) &&
	       (!c->result.known ||
		ccfc_index_place_present(index, &c->result.place));
}

static bool has_all_lines(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];

	for (uint32_t i = 0; i < ids->n; i++)
		if (!has_lines(index, &index->changes.items[ids->items[i]]))
			return false;
	return true;
}

static void withdraw_inferred(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];

	c->shell &= (uint8_t)~CCFC_SHELL_INFERRED;
	ccfc_index_mark_change(index, change);
	ccfc_index_settle_files(index, c->command);
}

/* Withdraws inferred changes that were not found again. */
static void withdraw_others(struct ccfc_index *index, uint32_t file,
			    const struct ccfc_inferred *found, uint32_t n)
{
	uint32_t i = 0;

	while (i < index->files.items[file].n) {
		uint32_t id = index->files.items[file].items[i];
		const struct ccfc_change *c = &index->changes.items[id];

		if (ccfc_index_is_inferred(c) &&
		    !is_found(found, n, c->command))
			withdraw_inferred(index, id);
		else
			i++;
	}
}

static void put_inferred(struct ccfc_index *index, uint32_t file,
			 const struct ccfc_inferred *found)
{
	uint32_t id = ccfc_index_shell_change(index, found->command, file);
	struct ccfc_change *c;

	if (id == CCFC_ID_NONE)
		return;
	c = &index->changes.items[id];
	if (c->shell &
	    (CCFC_SHELL_PARSED | CCFC_SHELL_RECORDED | CCFC_SHELL_OBSERVED))
		return;
	if (ccfc_index_is_inferred(c) && c->settled &&
	    c->target_op == found->op && c->call.added == found->added &&
	    c->call.removed == found->removed)
		return;
	c->shell |= CCFC_SHELL_INFERRED;
	c->target_op = (uint8_t)found->op;
	c->call.added = found->added;
	c->call.removed = found->removed;
	ccfc_index_mark_change(index, id);
	ccfc_index_settle_files(index, found->command);
}

void ccfc_index_infer(struct ccfc_index *index, uint32_t file,
		      const struct ccfc_inferred *found, uint32_t n)
{
	if (has_all_lines(index, file))
		withdraw_others(index, file, found, n);
	for (uint32_t i = 0; i < n; i++)
		put_inferred(index, file, &found[i]);
	index->revision++;
}

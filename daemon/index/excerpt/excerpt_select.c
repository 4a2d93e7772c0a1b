/*
 * What is wanted of an index; see excerpt.h. Files and changes are only noted
 * here: their rows, the commands and the rivals of these are looked up while
 * the excerpt is copied, piece by piece.
 */
#include "index/excerpt/excerpt_impl.h"

#include "index/index_internal.h"

#include <stdlib.h>

/* How many files in a row are followed that were moved or copied. */
#define MOVED_DEPTH 3u
/* The cost of finding out what else may have made a change; a row costs 1. */
#define PROOF_COST 100u

void ccfc_excerpt_init(struct ccfc_excerpting *e, const struct ccfc_index *from,
		       uint32_t more)
{
	*e = (struct ccfc_excerpting){ .from = from, .more = more };
}

static void put_row(struct ccfc_excerpting *e, uint32_t change)
{
	uint32_t command = e->from->changes.items[change].command;

	ccfc_ids_push(&e->changes, change);
	if (command != CCFC_ID_NONE)
		ccfc_ids_push(&e->changes, command);
}

/*
 * Selects a change; a shell change with its command and rivals. Returns the
 * cost.
 */
static uint32_t put_change(struct ccfc_excerpting *e, uint32_t change)
{
	const struct ccfc_change *c = &e->from->changes.items[change];
	struct ccfc_ids rivals = { 0 };

	put_row(e, change);
	if (!c->shell || ccfc_query_proof(e->from, c) != CCFC_PROOF_AMBIGUOUS)
		return c->shell ? PROOF_COST : 1;
	ccfc_query_rivals(&rivals, e->from, c);
	for (uint32_t i = 0; i < rivals.n; i++)
		put_row(e, rivals.items[i]);
	free(rivals.items);
	return 2 * PROOF_COST;
}

void ccfc_excerpt_add_changes(struct ccfc_excerpting *e,
			      const uint32_t *changes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ccfc_ids_push(&e->single, changes[i]);
}

/* Returns the cost. */
static uint32_t select_file(struct ccfc_excerpting *e, uint32_t file,
			    uint32_t depth)
{
	const struct ccfc_ids *ids = &e->from->files.items[file];
	uint32_t others[CCFC_EXCERPT_MOVED], n, cost = 1;

	ccfc_ids_push(&e->files, file);
	for (uint32_t i = 0; i < ids->n; i++)
		cost += put_change(e, ids->items[i]);
	n = depth < MOVED_DEPTH ? ccfc_excerpt_moved(others, e->from, file) : 0;
	for (uint32_t k = 0; k < n; k++)
		cost += select_file(e, others[k], depth + 1);
	return cost;
}

uint32_t ccfc_excerpt_put_file(struct ccfc_excerpting *e, uint32_t i)
{
	return select_file(e, e->whole.items[i], 0);
}

uint32_t ccfc_excerpt_put_single(struct ccfc_excerpting *e, uint32_t i)
{
	uint32_t change = e->single.items[i];
	const struct ccfc_change *c = &e->from->changes.items[change];

	/* Of a copy, its name. */
	if (c->other_file)
		ccfc_ids_push(&e->files, c->other_file);
	if (!e->files.n || e->files.items[e->files.n - 1] != c->file)
		ccfc_ids_push(&e->files, c->file);
	return put_change(e, change);
}

void ccfc_excerpt_add_file(struct ccfc_excerpting *e, uint32_t file)
{
	ccfc_ids_push(&e->whole, file);
}

uint32_t ccfc_excerpt_add_path(struct ccfc_excerpting *e,
			       struct ccfc_slice path)
{
	uint32_t file = ccfc_query_file(e->from, path), k = 0;

	if (file) {
		ccfc_excerpt_add_file(e, file);
		return file;
	}
	while (k < e->paths.n && !ccfc_slice_eq(e->paths.items[k], path))
		k++;
	if (k == e->paths.n)
		CCFC_VEC_PUSH(e->paths, ccfc_arena_copy(&e->texts, path));
	ccfc_ids_push(&e->files, e->from->files.n + k);
	return e->from->files.n + k;
}

void ccfc_excerpt_add_session(struct ccfc_excerpting *e, uint32_t session)
{
	struct ccfc_ids commands = { 0 };

	ccfc_ids_push(&e->sessions, session);
	if (!(e->more & CCFC_EXCERPT_COMMANDS))
		return;
	ccfc_query_unknown_commands(&commands, e->from, session);
	for (uint32_t i = 0; i < commands.n && i < CCFC_COMMANDS_MAX; i++)
		ccfc_ids_push(&e->changes, commands.items[i]);
	free(commands.items);
}

void ccfc_excerpt_forget(struct ccfc_excerpting *e)
{
	free(e->files.items);
	free(e->whole.items);
	free(e->single.items);
	free(e->paths.items);
	free(e->changes.items);
	free(e->sessions.items);
	free(e->commands.items);
	ccfc_arena_release(&e->texts);
	*e = (struct ccfc_excerpting){ 0 };
}

/* What a reader sees of an index, and all that the store must keep, as text. */
#ifndef TESTS_STORE_DUMP_H
#define TESTS_STORE_DUMP_H

#include "../whole_tallies.h"

#include "base/alloc.h"
#include "index/index_internal.h"
#include "index/query/query.h"
#include "index/query/totals.h"

#include <stdio.h>
#include <stdlib.h>

static inline int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct rows_of_text {
	char **items;
	uint32_t n, cap;
};

static inline void add_row(struct rows_of_text *rows, struct ccfc_buf *row)
{
	ccfc_buf_putc(row, '\n');
	CCFC_VEC_PUSH(*rows, ccfc_buf_detach(row, NULL));
}

static inline void put_place(struct ccfc_buf *out,
			     const struct ccfc_place *place)
{
	ccfc_buf_printf(out, " @%u:%llu+%u.%u", place->source,
			(unsigned long long)place->offset, place->len,
			place->gen);
}

static inline void dump_obs(struct rows_of_text *rows,
			    const struct ccfc_index *index,
			    const struct ccfc_change *c,
			    const struct ccfc_observation *o)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char uuid[64];
	struct ccfc_slice u = ccfc_index_uuid(index, o, uuid);

	ccfc_buf_printf(
		&out, "obs %.*s %s %s %s %s %s %s %.*s %d %d %d%d%d %lld",
		c->id_len, c->id, ccfc_index_session_id(index, o->session).ptr,
		ccfc_index_str(index, o->agent).ptr,
		ccfc_index_str(index, o->model).ptr,
		ccfc_index_str(index, o->version).ptr,
		ccfc_index_str(index, o->tool).ptr,
		ccfc_index_file_path(index, o->file).ptr, (int)u.len,
		u.ptr ? u.ptr : "", o->added, o->removed, o->sidechain,
		o->relayed, o->swallowed, (long long)o->time);
	put_place(&out, &o->place);
	add_row(rows, &out);
}

static inline void dump_outcome(struct rows_of_text *rows,
				const struct ccfc_index *index, const char *id,
				uint32_t id_len, const struct ccfc_outcome *o)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	if (!o->known)
		return;
	ccfc_buf_printf(
		&out, "result %.*s %s %s %s %s %d %d %d %d %d %d %d %lld",
		(int)id_len, id, ccfc_index_session_id(index, o->session).ptr,
		ccfc_index_str(index, o->agent).ptr,
		ccfc_index_str(index, o->tool).ptr,
		ccfc_index_file_path(index, o->file).ptr, o->added, o->removed,
		o->state, o->op, o->by, o->detail, o->run, (long long)o->time);
	put_place(&out, &o->place);
	add_row(rows, &out);
}

/* All that a listing or a statistic can be made of. */
struct dump_said {
	struct rows_of_text *rows;
	const struct ccfc_index *index;
};

static inline void dump_tokens(struct ccfc_buf *out,
			       const struct ccfc_tokens *t)
{
	ccfc_buf_printf(out, " %llu/%llu/%llu/%llu",
			(unsigned long long)t->input,
			(unsigned long long)t->output,
			(unsigned long long)t->cache_write,
			(unsigned long long)t->cache_read);
}

static inline void dump_one_said(void *ctx,
				 const struct ccfc_message_fact *said)
{
	struct dump_said *d = ctx;
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_printf(&out, "said %s %s %d %lld",
			ccfc_index_session_id(d->index, said->session).ptr,
			ccfc_index_str(d->index, said->model).ptr, said->agent,
			(long long)said->time);
	dump_tokens(&out, &said->tokens);
	add_row(d->rows, &out);
}

static inline void dump_one_used(void *ctx, const struct ccfc_call_fact *used)
{
	struct dump_said *d = ctx;
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_printf(&out, "used %s %s %s %d %d %lld",
			ccfc_index_session_id(d->index, used->session).ptr,
			ccfc_index_str(d->index, used->model).ptr,
			ccfc_index_str(d->index, used->tool).ptr, used->agent,
			used->error, (long long)used->time);
	add_row(d->rows, &out);
}

static inline void dump_one_look(void *ctx, const struct ccfc_read_fact *look)
{
	struct dump_said *d = ctx;
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_printf(&out, "look %s %s %s %d %lld",
			ccfc_index_session_id(d->index, look->session).ptr,
			ccfc_index_file_path(d->index, look->file).ptr,
			ccfc_index_str(d->index, look->agent).ptr, look->error,
			(long long)look->time);
	add_row(d->rows, &out);
}

static inline void dump_tally_part(struct ccfc_buf *out,
				   const struct ccfc_tally_part *p)
{
	ccfc_buf_printf(
		out, " | %llu %llu %llu %llu", (unsigned long long)p->user,
		(unsigned long long)p->assistant, (unsigned long long)p->uses,
		(unsigned long long)p->errors);
	dump_tokens(out, &p->tokens);
}

static inline void dump_tally(struct rows_of_text *rows,
			      const struct ccfc_index *index, uint32_t session,
			      const struct ccfc_tally *t)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	uint32_t source = ccfc_tally_source(index, session);
	struct ccfc_slice title;
	enum ccfc_title from = ccfc_tally_title(&title, index, session);

	ccfc_buf_printf(
		&out, "tally %s %s %s %s %s %u %llu %llu %llu %lld %llu %llu",
		ccfc_index_session_id(index, session).ptr,
		ccfc_title_text(from), title.ptr,
		ccfc_status_text(ccfc_tally_status(index, session, 301003)),
		source == CCFC_ID_NONE
			? "-"
			: ccfc_index_str(index,
					 index->sources.items[source].path)
				  .ptr,
		t->nagents, (unsigned long long)t->files_read,
		(unsigned long long)t->files_modified,
		(unsigned long long)t->changes, (long long)t->last_change,
		(unsigned long long)t->bytes,
		(unsigned long long)t->agent_bytes);
	dump_tally_part(&out, &t->main);
	dump_tally_part(&out, &t->agents);
	add_row(rows, &out);
}

static inline void dump_tallies(struct rows_of_text *rows,
				const struct ccfc_index *index)
{
	struct dump_said d = { rows, index };
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	const struct ccfc_tally *all = tally_all(index, &arena);

	for (uint32_t i = 1; i < index->sessions.n; i++) {
		struct ccfc_tally one;

		dump_tally(rows, index, i, &all[i]);
		tally_session(&one, index, i);
		if (memcmp(&one, &all[i], sizeof(one)) != 0)
			abort();
	}
	tally_said(index, dump_one_said, &d);
	tally_used(index, dump_one_used, &d);
	tally_looks(index, 0, 0, dump_one_look, &d);
	ccfc_arena_release(&arena);
}

static inline void dump_parts(struct rows_of_text *rows,
			      const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->session_sources.n; i++) {
		const struct ccfc_session_source *p =
			&index->session_sources.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(
			&out,
			"part %u %u %u %u %u %u %u %lld %lld %d %d %d %d"
			" '%s' '%s' '%s'",
			p->source, p->session, p->gen, p->user[0], p->user[1],
			p->assistant[0], p->assistant[1], (long long)p->time,
			(long long)p->result_time, p->asks, p->edits,
			p->results, p->error,
			ccfc_index_str(index, p->custom).ptr,
			ccfc_index_str(index, p->ai).ptr,
			ccfc_index_str(index, p->relayed_agent).ptr);
		add_row(rows, &out);
	}
}

static inline void dump_leaves(struct rows_of_text *rows,
			       const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->leaves.n; i++) {
		const struct ccfc_leaf *l = &index->leaves.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "leaf %llx %u %lld",
				(unsigned long long)l->uuid, l->session,
				(long long)l->time);
		add_row(rows, &out);
	}
	for (uint32_t i = 0; i < index->summaries.n; i++) {
		const struct ccfc_summary *s = &index->summaries.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "summary %llx %s",
				(unsigned long long)s->leaf,
				ccfc_index_str(index, s->text).ptr);
		add_row(rows, &out);
	}
}

/* The rows of what was said, by their numbers. */
static inline void dump_rows(struct rows_of_text *rows,
			     const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->messages.n; i++) {
		const struct ccfc_model_message *s = &index->messages.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(
			&out,
			"say %u %llx %u %u %lld %d %s %u %u %u %u %u %u %u", i,
			(unsigned long long)s->id, s->session_source, s->gen,
			(long long)s->time, s->agent,
			ccfc_index_str(index, s->model).ptr, s->input,
			s->output, s->cache_write, s->cache_read, s->lines,
			s->answers, s->cost);
		add_row(rows, &out);
	}
	for (uint32_t i = 0; i < index->calls.n; i++) {
		const struct ccfc_tool_call *u = &index->calls.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "use %u %llx %u %s %d %d %d %d %d", i,
				(unsigned long long)u->id, u->message,
				ccfc_index_str(index, u->tool).ptr, u->called,
				u->writes, u->other, u->ok, u->error);
		add_row(rows, &out);
	}
}

/* Rows that no reader sees, but that later answers hang on. */
static inline void dump_deep(struct rows_of_text *rows,
			     const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];
		const struct ccfc_observation *o = &c->call;

		dump_outcome(rows, index, c->id, c->id_len, &c->result);
		while (o->known) {
			dump_obs(rows, index, c, o);
			if (o->next == CCFC_ID_NONE)
				break;
			o = &index->obs.items[o->next];
		}
	}
	dump_parts(rows, index);
	dump_leaves(rows, index);
	dump_rows(rows, index);
	for (uint32_t i = 0; i < index->orphans.n; i++) {
		const struct ccfc_orphan *o = &index->orphans.items[i];

		if (!o->taken)
			dump_outcome(rows, index, o->id, o->id_len, &o->result);
	}
	for (uint32_t i = 0; i < index->prompts.n; i++) {
		const struct ccfc_prompt *p = &index->prompts.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "prompt %u %llx %lld", p->session,
				(unsigned long long)p->uuid,
				(long long)p->time);
		put_place(&out, &p->place);
		add_row(rows, &out);
	}
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out,
				"source %s %u %u %d %d %u %llu %llu %llu %llx",
				ccfc_index_str(index, s->path).ptr, s->session,
				s->agent ? 1 : 0, s->is_agent, s->gone, s->gen,
				(unsigned long long)s->cursor.offset,
				(unsigned long long)s->turn[0],
				(unsigned long long)s->turn[1],
				(unsigned long long)s->message[0]);
		for (int k = 0; k < CCFC_RECORD_KINDS; k++)
			ccfc_buf_printf(&out, " %llu",
					(unsigned long long)s->lines[k]);
		add_row(rows, &out);
	}
}

/* Without the generation: how often a transcript was read does not show. */
static inline void dump_prompt(struct rows_of_text *rows,
			       const struct ccfc_index *index,
			       const struct ccfc_prompt *p)
{
	const struct ccfc_source *source = index->sources.items;
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_printf(&out, "prompt %s %llx %lld",
			ccfc_index_session_id(index, p->session).ptr,
			(unsigned long long)p->uuid, (long long)p->time);
	if (p->place.source != CCFC_ID_NONE)
		ccfc_buf_printf(
			&out, " %s:%llu+%u",
			ccfc_index_str(index, source[p->place.source].path).ptr,
			(unsigned long long)p->place.offset, p->place.len);
	add_row(rows, &out);
}

static inline void put_shell(struct ccfc_buf *out,
			     const struct ccfc_index *index,
			     const struct ccfc_change *c)
{
	const struct ccfc_change *command = ccfc_index_command(index, c);
	struct ccfc_ids rivals = { 0 };
	struct rows_of_text names = { 0 };

	if (!c->shell)
		return;
	ccfc_buf_printf(
		out, " shell%u %s %s [%s] %lld", c->shell,
		ccfc_op_text((int)ccfc_index_op(c)),
		ccfc_index_file_path(index, c->other_file).ptr,
		ccfc_index_str(index, command ? command->text : c->text).ptr,
		(long long)c->shell_time);
	if (!command) {
		ccfc_buf_printf(out, " unknown%d", ccfc_index_is_unknown(c));
		return;
	}
	ccfc_buf_printf(
		out, " %s:", ccfc_proof_text((int)ccfc_query_proof(index, c)));
	ccfc_query_rivals(&rivals, index, c);
	for (uint32_t i = 0; i < rivals.n; i++) {
		const struct ccfc_change *r =
			&index->changes.items[rivals.items[i]];
		struct ccfc_buf name = CCFC_BUF_INIT;

		ccfc_buf_append(&name, r->id, r->id_len);
		CCFC_VEC_PUSH(names, ccfc_buf_detach(&name, NULL));
	}
	if (names.n)
		qsort(names.items, names.n, sizeof(char *), compare_text);
	for (uint32_t i = 0; i < names.n; i++) {
		ccfc_buf_printf(out, " %s", names.items[i]);
		free(names.items[i]);
	}
	free(names.items);
	free(rivals.items);
}

static inline void dump_change(struct rows_of_text *rows,
			       const struct ccfc_index *index,
			       const struct ccfc_change *c)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	int32_t added, removed;
	char uuid[64];
	struct ccfc_slice u = ccfc_index_uuid(index, &c->call, uuid);
	const struct ccfc_prompt *why = ccfc_query_prompt(index, c);

	if (!c->settled) {
		ccfc_buf_printf(&out, "hidden %.*s %d", c->id_len, c->id,
				c->shell);
		add_row(rows, &out);
		return;
	}
	ccfc_index_lines(c, &added, &removed);
	ccfc_buf_printf(
		&out, "change %.*s %s %s %s %s %s t%lld +%d -%d %.*s %s %s v%s",
		c->id_len, c->id, ccfc_index_file_path(index, c->file).ptr,
		ccfc_state_text(c->state),
		ccfc_index_session_id(index, c->session).ptr,
		ccfc_index_str(index, ccfc_index_agent(c)).ptr,
		ccfc_index_tool(index, c).ptr, (long long)ccfc_index_time(c),
		added, removed, (int)u.len, u.ptr ? u.ptr : "",
		ccfc_op_text(c->result.op),
		ccfc_index_str(index, c->call.model).ptr,
		ccfc_index_str(index, c->call.version).ptr);
	ccfc_buf_printf(&out, " part%u %d %d %s for %llx", c->part, c->several,
			c->call.sidechain, ccfc_conflict_text(c->conflict),
			why ? (unsigned long long)why->uuid : 0);
	put_shell(&out, index, c);
	add_row(rows, &out);
}

static inline void put_names(struct ccfc_buf *out,
			     const struct ccfc_index *index,
			     const struct ccfc_ids *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		ccfc_buf_printf(out, " %s",
				ccfc_index_str(index, names->items[i]).ptr);
}

/* The changes of groups, in the order of an answer. */
static inline void put_groups(struct ccfc_buf *out,
			      const struct ccfc_index *index,
			      const struct ccfc_groups *groups)
{
	for (uint32_t g = 0; g < groups->n; g++) {
		ccfc_buf_puts(out, " |");
		for (uint32_t i = 0; i < groups->items[g].nchanges; i++) {
			const struct ccfc_change *c =
				&index->changes
					 .items[groups->items[g].changes[i]];

			ccfc_buf_printf(out, " %.*s", c->id_len, c->id);
		}
	}
}

static inline void dump_session(struct rows_of_text *rows,
				const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_session *s = &index->sessions.items[id];
	const struct ccfc_filter all = { 0 };
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_groups groups;
	struct ccfc_arena arena;

	ccfc_buf_printf(&out, "session %s %d %lld %lld %lld %s %s %s %u;",
			ccfc_index_session_id(index, id).ptr, s->seen,
			(long long)s->start, (long long)s->end,
			(long long)s->born,
			ccfc_index_str(index, s->project).ptr,
			ccfc_index_str(index, s->branch).ptr,
			ccfc_index_str(index, s->model).ptr, s->sources.n);
	ccfc_buf_printf(&out, " conflicts %u;", s->conflicts);
	put_names(&out, index, &s->branches);
	put_names(&out, index, &s->models);
	put_names(&out, index, &s->roots);
	ccfc_arena_init(&arena);
	ccfc_query_session_files(&groups, index, id, &all, &arena);
	put_groups(&out, index, &groups);
	ccfc_arena_release(&arena);
	add_row(rows, &out);
}

static inline void dump_file(struct rows_of_text *rows,
			     const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_filter all = { 0 };
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_groups groups;
	struct ccfc_arena arena;

	ccfc_arena_init(&arena);
	ccfc_query_file_sessions(&groups, index, id, &all, &arena);
	ccfc_buf_printf(&out, "file %s", ccfc_index_file_path(index, id).ptr);
	put_groups(&out, index, &groups);
	ccfc_arena_release(&arena);
	add_row(rows, &out);
}

static inline void dump_backup(struct rows_of_text *rows,
			       const struct ccfc_index *index,
			       const struct ccfc_backup_ref *b)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_printf(&out, "backup %s %s %s %lld %lld %lld %lld",
			ccfc_index_session_id(index, b->session).ptr,
			ccfc_index_str(index, b->key).ptr,
			ccfc_index_str(index, b->name).ptr,
			(long long)b->version, (long long)b->made,
			(long long)b->first, (long long)b->last);
	add_row(rows, &out);
}

/* The backups of a session's file, as they are asked for. */
static inline void dump_backups(struct rows_of_text *rows,
				const struct ccfc_index *index,
				uint32_t session, uint32_t file)
{
	const struct ccfc_backup_ref *last =
		ccfc_query_backup(index, session, file);
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_backup_refs refs;
	struct ccfc_arena arena;

	ccfc_arena_init(&arena);
	ccfc_query_backups(&refs, index, session, file, &arena);
	ccfc_buf_printf(&out, "backups %s %s: last v%lld",
			ccfc_index_session_id(index, session).ptr,
			ccfc_index_file_path(index, file).ptr,
			last ? (long long)last->version : -1);
	for (uint32_t i = 0; i < refs.n; i++)
		ccfc_buf_printf(&out, ", v%lld %s",
				(long long)refs.items[i]->version,
				ccfc_index_str(index, refs.items[i]->name).ptr);
	ccfc_arena_release(&arena);
	add_row(rows, &out);
}

/* Conflicts, also those that wait for a line; running costs; shown files. */
static inline void dump_conflicts(struct rows_of_text *rows,
				  const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->conflicts.n; i++) {
		const struct ccfc_conflict *c = &index->conflicts.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		if (!c->kind)
			continue;
		ccfc_buf_printf(
			&out, "conflict %s %d %s %s %s %s %s",
			ccfc_conflict_text(c->kind), c->is_pair,
			ccfc_index_file_path(index, c->file).ptr,
			index->changes.items[c->change].id,
			index->changes.items[c->other].id,
			ccfc_index_session_id(index, c->session[0]).ptr,
			ccfc_index_session_id(index, c->session[1]).ptr);
		add_row(rows, &out);
	}
	for (uint32_t i = 0; i < index->running_costs.n; i++) {
		const struct ccfc_running_cost *c =
			&index->running_costs.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "cost %s %lld %lld '%s' %llu %llu %d",
				ccfc_index_session_id(index, c->session).ptr,
				(long long)c->since, (long long)c->time,
				ccfc_index_str(index, c->model).ptr,
				(unsigned long long)c->cost,
				(unsigned long long)c->tokens, c->unsure);
		add_row(rows, &out);
	}
	for (uint32_t i = 0; i < index->shown.n; i++) {
		const struct ccfc_shown *s = &index->shown.items[i];
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_printf(&out, "shown %s %s %lld",
				ccfc_index_session_id(index, s->session).ptr,
				ccfc_index_file_path(index, s->file).ptr,
				(long long)s->time);
		add_row(rows, &out);
	}
}

/* Sorted lines; `deep` adds what only a later batch would show. */
static inline char *dump(const struct ccfc_index *index, bool deep)
{
	struct rows_of_text rows = { 0 };
	struct ccfc_buf out = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < index->changes.n; i++)
		dump_change(&rows, index, &index->changes.items[i]);
	for (uint32_t i = 1; i < index->sessions.n; i++)
		dump_session(&rows, index, i);
	for (uint32_t i = 1; i < index->files.n; i++)
		if (index->files.items[i].n)
			dump_file(&rows, index, i);
	for (uint32_t i = 0; i < index->prompts.n; i++)
		dump_prompt(&rows, index, &index->prompts.items[i]);
	for (uint32_t i = 0; i < index->backups.n; i++)
		dump_backup(&rows, index, &index->backups.items[i]);
	for (uint32_t s = 1; s < index->sessions.n; s++)
		for (uint32_t f = 1; f < index->files.n; f++)
			if (index->files.items[f].n)
				dump_backups(&rows, index, s, f);
	dump_tallies(&rows, index);
	dump_conflicts(&rows, index);
	if (deep)
		dump_deep(&rows, index);
	qsort(rows.items, rows.n, sizeof(*rows.items), compare_text);
	for (int k = 0; k < CCFC_STATE_COUNT; k++)
		ccfc_buf_printf(&out, "%llu ",
				(unsigned long long)index->by_state[k]);
	for (uint32_t i = 0; i < rows.n; i++) {
		ccfc_buf_puts(&out, rows.items[i]);
		free(rows.items[i]);
	}
	free(rows.items);
	return ccfc_buf_detach(&out, NULL);
}

#endif

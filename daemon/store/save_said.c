/*
 * Writing what was said and spent: see save.c. Chains are not written; they
 * follow from the rows (load_messages.c). `copy` is for users' SQL: the first
 * row of a message is its owner's.
 */
#include "index/index_internal.h"
#include "store/db.h"

static void save_part(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_session_source *p = &b->index->parts.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_PART);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_int(&row, p->source);
	ccfc_row_put_int(&row, p->session);
	ccfc_row_put_int(&row, p->gen);
	for (int k = 0; k < 2; k++) {
		ccfc_row_put_int(&row, p->user[k]);
		ccfc_row_put_int(&row, p->assistant[k]);
	}
	ccfc_row_put_time(&row, p->time);
	ccfc_row_put_int(&row, p->asks);
	ccfc_row_put_time(&row, p->result_time);
	ccfc_row_put_int(&row, p->results);
	ccfc_row_put_int(&row, p->error);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, p->custom));
	ccfc_row_put_str(&row, ccfc_index_str(b->index, p->ai));
	ccfc_batch_end(b, &row);
}

static void save_say(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_model_message *s = &b->index->says.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_SAY);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_int(&row, (int64_t)s->id);
	ccfc_row_put_int(&row, s->copy);
	ccfc_row_put_int(&row, s->part);
	ccfc_row_put_int(&row, s->gen);
	ccfc_row_put_time(&row, s->time);
	ccfc_row_put_int(&row, s->agent);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, s->model));
	ccfc_row_put_int(&row, s->input);
	ccfc_row_put_int(&row, s->output);
	ccfc_row_put_int(&row, s->cache_write);
	ccfc_row_put_int(&row, s->cache_read);
	ccfc_batch_end(b, &row);
}

static void save_use(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_tool_call *u = &b->index->uses.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_USE);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_int(&row, (int64_t)u->id);
	ccfc_row_put_int(&row, u->say);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, u->tool));
	ccfc_row_put_int(&row, u->called | u->writes << 1 | u->other << 2 |
				       u->ok << 3 | u->error << 4);
	ccfc_batch_end(b, &row);
}

static void save_look(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_read_ref *l = &b->index->looks.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_LOOK);

	ccfc_row_put_int(&row, l->use);
	ccfc_row_put_int(&row, l->file);
	ccfc_row_put_time(&row, l->time);
	ccfc_batch_end(b, &row);
}

static void save_leaf(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_leaf *l = &b->index->leaves.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_LEAF);

	ccfc_row_put_int(&row, l->session);
	ccfc_row_put_int(&row, (int64_t)l->uuid);
	ccfc_row_put_time(&row, l->time);
	ccfc_batch_end(b, &row);
}

static void save_summary(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_summary *s = &b->index->summaries.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_SUMMARY);

	ccfc_row_put_int(&row, (int64_t)s->leaf);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, s->text));
	ccfc_batch_end(b, &row);
}

void ccfc_batch_said(struct ccfc_batch *b)
{
	ccfc_batch_each(b, &b->index->dirty.parts, save_part);
	ccfc_batch_each(b, &b->index->dirty.says, save_say);
	ccfc_batch_each(b, &b->index->dirty.uses, save_use);
	ccfc_batch_each(b, &b->index->dirty.looks, save_look);
	ccfc_batch_each(b, &b->index->dirty.leaves, save_leaf);
	ccfc_batch_each(b, &b->index->dirty.summaries, save_summary);
}

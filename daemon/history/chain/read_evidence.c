/*
 * Reads before changes; see read_evidence.h.
 *
 * A result with a toolUseResult is enough. Otherwise the call has the path and
 * the result has the text. The search runs backwards, so it usually meets the
 * result before the call, but not always. The last few calls and results are
 * remembered by id until the other half is found; only then is the text read.
 *
 * A Read counts only if it came after the previous change of the file. Within
 * one transcript the search ends at that change, so no byte is searched for two
 * changes. Between transcripts, times decide.
 */
#include "history/chain/read_evidence.h"

#include "base/hash.h"
#include "base/time.h"
#include "history/chain/lines.h"
#include "history/file/lines_back.h"
#include "transcript/content/read_result.h"

#define CALL_MAX  ((uint64_t)16 << 20)
#define CHAIN_MAX ((uint64_t)256 << 20)
/* Changes searched for an earlier one of the same transcript. */
#define FLOOR_MAX 4096u

/*
 * WAITING: calls or results remembered at once. PER_LINE: blocks of one line.
 */
#define WAITING	 64u
#define PER_LINE 64u

/* A call or a result whose other half has not been found. */
struct half {
	uint64_t id; /* 0: free */
	struct ccfc_place place;
};

struct halves {
	struct half items[WAITING];
	uint32_t next; /* the entry to overwrite next */
};

struct search {
	struct ccfc_chain *chain;
	struct ccfc_buf *text;
	uint32_t i;
	struct ccfc_place place; /* of the current line */
	struct halves calls, results;
	struct ccfc_lines_back back;
	uint64_t reread; /* bytes of lines read a second time */
	bool over;	 /* a Read older than the previous change was met */
};

static void remember_half(struct halves *list, uint64_t id,
			  struct ccfc_place place)
{
	list->items[list->next] = (struct half){ id, place };
	list->next = (list->next + 1) % WAITING;
}

static bool take_remembered(struct ccfc_place *place, const struct halves *list,
			    uint64_t id)
{
	for (uint32_t k = 0; k < WAITING; k++) {
		if (list->items[k].id != id)
			continue;
		*place = list->items[k].place;
		return true;
	}
	return false;
}

static bool is_read_of_file(const struct ccfc_chain *chain,
			    const struct ccfc_read_result *reading)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool ours =
		ccfc_index_path(&path, chain->history->env.index, reading->path,
				reading->cwd, reading->version) &&
		ccfc_slice_is(ccfc_buf_view(&path), ccfc_chain_path(chain));

	ccfc_buf_release(&path);
	return ours;
}

/* Was it before the previous change? */
static bool is_before_previous_change(const struct search *s, int64_t time)
{
	const struct ccfc_node *node = &s->chain->nodes[s->i];

	return s->i && time != CCFC_TIME_NONE &&
	       node[-1].time != CCFC_TIME_NONE && time < node[-1].time;
}

static bool use_read_result(struct search *s,
			    const struct ccfc_read_result *reading,
			    struct ccfc_place place)
{
	struct ccfc_node *node = &s->chain->nodes[s->i];
	struct ccfc_form form;

	s->over = is_before_previous_change(s, reading->time);
	if (s->over)
		return false;
	node->read = place;
	node->read.source = ccfc_home_of(CCFC_HOMES(s->chain->history, sources),
					 place.source);
	node->read_id = reading->id;
	ccfc_form_decode(s->text, &form, reading->text);
	return true;
}

static bool try_tool_use_result(struct search *s, struct ccfc_slice line)
{
	struct ccfc_history *h = s->chain->history;
	struct ccfc_read_result reading;

	ccfc_arena_clear(&h->scratch);
	return ccfc_read_result_detail(h->env.parser, &reading, line,
				       &h->scratch) &&
	       is_read_of_file(s->chain, &reading) &&
	       use_read_result(s, &reading, s->place);
}

static bool try_results(struct search *s, struct ccfc_slice line)
{
	struct ccfc_history *h = s->chain->history;
	struct ccfc_read_result reading;
	struct ccfc_place call;
	uint64_t ids[PER_LINE];
	uint32_t n =
		ccfc_read_result_results(h->env.parser, ids, PER_LINE, line);

	for (uint32_t k = 0; k < n && !s->over; k++) {
		if (!take_remembered(&call, &s->calls, ids[k])) {
			remember_half(&s->results, ids[k], s->place);
			continue;
		}
		ccfc_arena_clear(&h->scratch);
		if (ccfc_read_result_result(h->env.parser, &reading, line,
					    ids[k], &h->scratch) &&
		    use_read_result(s, &reading, s->place))
			return true;
	}
	return false;
}

/* The result `id` (0: the toolUseResult) of the line at `place`. */
static bool read_result_at(struct ccfc_read_result *out,
			   const struct ccfc_chain *chain, uint64_t id,
			   const struct ccfc_place *place)
{
	struct ccfc_history *h = chain->history;
	struct ccfc_slice line = ccfc_history_line(&h->env, place, &h->scratch);

	if (!line.len)
		return false;
	return id ? ccfc_read_result_result(h->env.parser, out, line, id,
					    &h->scratch)
		  : ccfc_read_result_detail(h->env.parser, out, line,
					    &h->scratch);
}

/* Tries the result `id`, met earlier: its call has now been found. */
static bool try_remembered_result(struct search *s, uint64_t id,
				  struct ccfc_place place)
{
	struct ccfc_read_result reading;

	s->reread += place.len;
	return read_result_at(&reading, s->chain, id, &place) &&
	       use_read_result(s, &reading, place);
}

static bool try_calls(struct search *s, struct ccfc_slice line)
{
	struct ccfc_history *h = s->chain->history;
	struct ccfc_read_result calls[PER_LINE];
	struct ccfc_place place;
	uint32_t n;

	ccfc_arena_clear(&h->scratch);
	n = ccfc_read_result_calls(h->env.parser, calls, PER_LINE, line,
				   &h->scratch);
	/* The last call first, as the lines are read. */
	while (n-- > 0 && !s->over) {
		if (!is_read_of_file(s->chain, &calls[n]))
			continue;
		if (!take_remembered(&place, &s->results, calls[n].id))
			remember_half(&s->calls, calls[n].id, s->place);
		else if (try_remembered_result(s, calls[n].id, place))
			return true;
	}
	return false;
}

/* Few lines contain these words; only such lines are parsed. */
static bool try_line(struct search *s, struct ccfc_slice line)
{
	if (ccfc_slice_contains(line, "\"totalLines\""))
		return try_tool_use_result(s, line);
	if (ccfc_slice_contains(line, "\"tool_result\"") &&
	    !ccfc_slice_contains(line, "\"toolUseResult\""))
		return try_results(s, line);
	return ccfc_slice_contains(line, "\"Read\"") && try_calls(s, line);
}

static bool search_back(struct search *s)
{
	struct ccfc_slice line;
	bool found = false;

	while (!found && !s->over &&
	       s->chain->searched + s->back.read + s->reread < CHAIN_MAX &&
	       ccfc_lines_back_next(&s->back, &line, &s->place.offset)) {
		s->place.len = (uint32_t)line.len;
		found = try_line(s, line);
	}
	s->chain->searched += s->back.read + s->reread;
	return found;
}

static uint64_t end_of_place(const struct ccfc_place *place)
{
	return place->offset + place->len + 1;
}

/* The end of the previous change's lines in the same transcript, or 0. */
static uint64_t floor_of_search(const struct ccfc_chain *chain, uint32_t i,
				const struct ccfc_place *call)
{
	const struct ccfc_index *index = chain->history->env.index;

	/* Times decide too, so a change far back may be missed. */
	for (uint32_t left = FLOOR_MAX; left && i-- > 0; left--) {
		const struct ccfc_change *c =
			&index->changes.items[chain->nodes[i].change];

		if (c->result.known && c->result.place.source == call->source &&
		    c->result.place.gen == call->gen)
			return end_of_place(&c->result.place);
		if (c->call.known && c->call.place.source == call->source &&
		    c->call.place.gen == call->gen)
			return end_of_place(&c->call.place);
	}
	return 0;
}

/* Has any call in that transcript read the file? */
static bool transcript_has_reads(const struct ccfc_chain *chain,
				 uint32_t source)
{
	const struct ccfc_excerpt *excerpt = chain->history->env.excerpt;

	return !excerpt || ccfc_excerpt_looked(excerpt, chain->file, source);
}

bool ccfc_read_evidence_find(struct ccfc_buf *text, struct ccfc_chain *chain,
			     uint32_t i)
{
	const struct ccfc_history_env *env = &chain->history->env;
	const struct ccfc_index *index = env->index;
	const struct ccfc_change *change =
		&index->changes.items[chain->nodes[i].change];
	const struct ccfc_place *call = &change->call.place;
	struct search s = {
		.chain = chain, .text = text, .i = i, .place = *call
	};
	uint64_t floor;
	bool cut, found;

	if (!change->call.known || chain->searched >= CHAIN_MAX ||
	    ccfc_index_place_where(index, call) == CCFC_WHERE_GONE ||
	    !transcript_has_reads(chain, call->source))
		return false;
	floor = floor_of_search(chain, i, call);
	cut = call->offset > CALL_MAX && floor < call->offset - CALL_MAX;
	if (cut)
		floor = call->offset - CALL_MAX;
	if (floor >= call->offset)
		return false;
	ccfc_lines_back_init(
		&s.back, env->tail,
		ccfc_index_str(index, index->sources.items[call->source].path)
			.ptr,
		call->offset, floor, cut);
	s.back.gen = ccfc_index_place_gen(index, call);
	found = search_back(&s);
	ccfc_lines_back_release(&s.back);
	return found;
}

bool ccfc_read_evidence_again(struct ccfc_buf *text, struct ccfc_chain *chain,
			      uint32_t i)
{
	const struct ccfc_node *node = &chain->nodes[i];
	struct ccfc_place place = node->read;
	struct ccfc_read_result reading;
	struct ccfc_form form;

	place.source =
		ccfc_own_of(CCFC_HOMES(chain->history, sources), place.source);
	ccfc_arena_clear(&chain->history->scratch);
	if (!read_result_at(&reading, chain, node->read_id, &place))
		return false;
	ccfc_form_decode(text, &form, reading.text);
	return ccfc_hash_slice(ccfc_buf_view(text)) == node->before.hash;
}

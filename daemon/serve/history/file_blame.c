/*
 * file.blame: who wrote each line. The fields of an owner are packed once,
 * however many lines it has: a line of the reply is its number, those bytes,
 * and its content.
 */
#include "history/blame/agent_type.h"
#include "history/blame/blame.h"
#include "history/blame/prompt.h"
#include "serve/rpc/content_reply.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

/* Further lines need a second question. */
#define REPLY_MAX ((size_t)256 << 20)

/* Packed keys and values, and how many of both there are. */
struct packed {
	struct ccfc_slice bytes;
	uint32_t items;
};

struct owner {
	uint32_t number;
	bool known; /* the other fields are set */
	struct packed line, block;
};

/* The type of the agent whose transcript is `source`. */
struct agent {
	uint32_t source;
	struct ccfc_slice type;
};

struct blaming {
	struct ccfc_request *rq;
	struct ccfc_chain *chain;
	struct ccfc_blame blame;
	uint32_t first, last; /* lines asked for: [first, last) */
	bool blocks;	      /* without the lines */
	struct owner *owners; /* hashed by their numbers */
	uint32_t mask;
	struct {
		struct agent *items;
		uint32_t n, cap;
	} agents;
};

/* --- owners --- */

static struct ccfc_slice agent_type(struct blaming *b,
				    const struct ccfc_change *c)
{
	uint32_t source =
		c->call.known ? c->call.place.source : c->result.place.source;
	struct agent agent = { source, CCFC_SLICE_NONE };

	for (uint32_t i = 0; i < b->agents.n; i++)
		if (b->agents.items[i].source == source)
			return b->agents.items[i].type;
	agent.type = ccfc_agent_type(b->rq->history, source, b->rq->arena);
	CCFC_VEC_PUSH(b->agents, agent);
	return agent.type;
}

static const char *kind_text(enum ccfc_blame_kind kind)
{
	static const char *const text[] = {
		[CCFC_BLAME_UNKNOWN] = "unknown",
		[CCFC_BLAME_OUTSIDE] = "outside",
		[CCFC_BLAME_SESSION] = "session",
	};

	return text[kind];
}

/* The commands of which one made the gap. */
static void pack_commands(struct ccfc_pack *p, const struct blaming *b,
			  uint32_t gap)
{
	const struct ccfc_index *index = b->rq->index;
	uint32_t n = ccfc_chain_commands(b->chain, gap);

	ccfc_pack_cstr(p, "candidates");
	ccfc_pack_array(p);
	for (uint32_t k = 0; k < n; k++)
		ccfc_reply_candidate(
			p, index,
			&index->changes
				 .items[ccfc_chain_command(b->chain, gap, k)]);
	ccfc_pack_end(p);
}

/* What both lines and blocks have. */
static void pack_owner(struct ccfc_pack *p, struct blaming *b,
		       const struct ccfc_blame_owner *owner,
		       const struct ccfc_change *c, struct ccfc_slice prompt)
{
	const struct ccfc_index *index = b->rq->index;

	ccfc_pack_kv_cstr(p, "kind", kind_text(owner->kind));
	ccfc_reply_str(p, "changeId",
		       c ? ccfc_slice(c->id, c->id_len) : CCFC_SLICE_NONE);
	ccfc_reply_str(p, "sessionId",
		       c ? ccfc_index_session_id(index, c->session)
			 : CCFC_SLICE_NONE);
	ccfc_reply_id(p, "agentId", index, c ? ccfc_index_agent(c) : 0);
	ccfc_reply_id(p, "model", index, c ? c->call.model : 0);
	ccfc_pack_kv_time(p, "timestamp",
			  c ? ccfc_index_time(c) : CCFC_TIME_NONE);
	if (owner->hook)
		ccfc_pack_kv_bool(p, "hook", true);
	if (owner->gap)
		pack_commands(p, b, owner->gap);
	ccfc_reply_str(p, "prompt", prompt);
	ccfc_pack_kv_time(p, "from", c ? CCFC_TIME_NONE : owner->from);
	ccfc_pack_kv_time(p, "to", c ? CCFC_TIME_NONE : owner->to);
}

/* What only lines have. */
static void pack_line_owner_fields(struct ccfc_pack *p, struct blaming *b,
				   const struct ccfc_change *c, bool doubtful)
{
	const struct ccfc_index *index = b->rq->index;
	char uuid[64];

	ccfc_reply_str(p, "agentType",
		       c && ccfc_index_agent(c) ? agent_type(b, c)
						: CCFC_SLICE_NONE);
	ccfc_reply_id(p, "version", index, c ? c->call.version : 0);
	ccfc_reply_str(p, "tool",
		       c ? ccfc_index_tool(index, c) : CCFC_SLICE_NONE);
	if (doubtful) {
		ccfc_pack_kv_cstr(p, "evidence",
				  ccfc_proof_text(CCFC_PROOF_AMBIGUOUS));
		ccfc_reply_str(p, "command", CCFC_SLICE_NONE);
	} else {
		ccfc_reply_evidence(p, index, c);
	}
	ccfc_reply_str(p, "messageUuid",
		       c && c->call.known
			       ? ccfc_index_uuid(index, &c->call, uuid)
			       : CCFC_SLICE_NONE);
}

/* The bytes of an array without its head. */
static struct packed finish_packed_fields(struct ccfc_pack *p,
					  struct ccfc_arena *arena)
{
	struct packed out = { .items = p->open[0].items };

	out.bytes = ccfc_arena_copy(
		arena, ccfc_slice(p->buf->ptr + 1, p->buf->len - 1));
	return out;
}

static void resolve_owner(struct blaming *b, struct owner *owner)
{
	struct ccfc_blame_owner is = ccfc_blame_owner(b->chain, owner->number);
	struct ccfc_slice prompt = CCFC_SLICE_NONE;
	const struct ccfc_change *c = NULL;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack p;

	if (is.kind == CCFC_BLAME_SESSION) {
		c = &b->rq->index->changes.items[is.change];
		prompt = ccfc_reply_prompt_text(b->rq, c);
	}
	ccfc_pack_init(&p, &buf);
	ccfc_pack_array(&p);
	pack_owner(&p, b, &is, c, prompt);
	owner->block = finish_packed_fields(&p, b->rq->arena);
	pack_line_owner_fields(&p, b, c, is.gap);
	owner->line = finish_packed_fields(&p, b->rq->arena);
	owner->known = true;
	ccfc_buf_release(&buf);
}

static struct owner *find_owner(struct blaming *b, uint32_t number)
{
	uint32_t i = number * 2654435761u >> 7 & b->mask;

	while (b->owners[i].known && b->owners[i].number != number)
		i = (i + 1) & b->mask;
	if (!b->owners[i].known) {
		b->owners[i].number = number;
		resolve_owner(b, &b->owners[i]);
	}
	return &b->owners[i];
}

/* Room for as many owners as there can be: two a change, and hidden gaps. */
static void make_owner_table(struct blaming *b)
{
	uint32_t n = ccfc_chain_len(b->chain) * 3 + 3, size = 16;

	if (n > b->last - b->first + 1)
		n = b->last - b->first + 1;
	while (size < 2 * n)
		size *= 2;
	b->mask = size - 1;
	b->owners = ccfc_calloc(size, sizeof(*b->owners));
}

/* --- the reply --- */

/* Without its line ending. */
static struct ccfc_slice line_content(const struct ccfc_blame *blame,
				      uint32_t i)
{
	size_t from = blame->lines[i].at;
	size_t to = i + 1 < blame->n ? blame->lines[i + 1].at : blame->text.len;

	if (to > from && blame->text.ptr[to - 1] == '\n') {
		to--;
		if (to > from && blame->text.ptr[to - 1] == '\r')
			to--;
	}
	return ccfc_slice(blame->text.ptr + from, to - from);
}

static void pack_line(struct blaming *b, uint32_t i)
{
	const struct owner *owner = find_owner(b, b->blame.lines[i].owner);
	struct ccfc_pack *p = b->rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "line", i + 1);
	ccfc_pack_kv_uint(p, "origLine", b->blame.lines[i].origin);
	ccfc_pack_raws(p, owner->line.bytes, owner->line.items);
	if (b->rq->opt.content)
		ccfc_pack_kv_bin(p, "content", line_content(&b->blame, i));
	ccfc_pack_end(p);
}

/* If the reply is full, `last` is lowered. */
static bool pack_lines(struct blaming *b)
{
	struct ccfc_pack *p = b->rq->pack;
	uint32_t i = b->first, end = b->last;

	ccfc_pack_cstr(p, "lines");
	ccfc_pack_array(p);
	for (; !b->blocks && i < end && p->buf->len < REPLY_MAX; i++)
		pack_line(b, i);
	ccfc_pack_end(p);
	if (b->blocks)
		return false;
	b->last = i;
	return i < end;
}

static void pack_blocks(struct blaming *b)
{
	const struct ccfc_owned *lines = b->blame.lines;
	struct ccfc_pack *p = b->rq->pack;

	ccfc_pack_cstr(p, "blocks");
	ccfc_pack_array(p);
	for (uint32_t i = b->first, end; i < b->last; i = end) {
		const struct owner *owner = find_owner(b, lines[i].owner);

		end = i + 1;
		while (end < b->last && lines[end].owner == lines[i].owner)
			end++;
		ccfc_pack_map(p);
		ccfc_pack_kv_uint(p, "start", i + 1);
		ccfc_pack_kv_uint(p, "end", end);
		ccfc_pack_raws(p, owner->block.bytes, owner->block.items);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

static void pack_blame(struct blaming *b, struct ccfc_slice path)
{
	struct ccfc_request *rq = b->rq;
	struct ccfc_pack *p = rq->pack;
	bool cut;

	make_owner_table(b);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", path);
	ccfc_reply_str(p, "at", rq->opt.at);
	ccfc_pack_kv_uint(p, "totalLines", b->blame.n);
	ccfc_pack_kv_cstr(p, "fidelity", ccfc_fidelity_text(b->blame.fidelity));
	ccfc_reply_str(p, "why", ccfc_slice_str(b->blame.why));
	cut = pack_lines(b);
	pack_blocks(b);
	ccfc_pack_kv_bool(p, "truncated", cut);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	free(b->owners);
	free(b->agents.items);
}

/* --- the question --- */

static int find_range(struct blaming *b, struct ccfc_slice path,
		      struct ccfc_err *err)
{
	const struct ccfc_options *opt = &b->rq->opt;
	uint32_t n = b->blame.n;

	b->first = 0;
	b->last = n;
	if (opt->given & CCFC_OPT(TO) && opt->to_line < n)
		b->last = (uint32_t)opt->to_line;
	if (!(opt->given & CCFC_OPT(FROM)))
		return 0;
	if (opt->from_line > n)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "%.*s: line %lld: it has only %u lines",
				    (int)path.len, path.ptr,
				    (long long)opt->from_line, n);
	b->first = (uint32_t)opt->from_line - 1;
	return 0;
}

/* `by`: "line", or "block" if the caller does not want the lines. */
static int choose_rows(struct blaming *b, struct ccfc_err *err)
{
	static const char *const names[] = { "line", "block", NULL };
	int by = 0, r = ccfc_args_choice(&by, b->rq, CCFC_OPT_BY, b->rq->opt.by,
					 names, err);

	b->blocks = by == 1;
	return r;
}

static int answer_blame(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct blaming b = { .rq = rq };
	struct ccfc_blame_options options = {
		.disk = !rq->opt.at.len,
		.space = rq->opt.ignore_space,
	};
	int r = choose_rows(&b, err);

	if (!r)
		r = ccfc_states_open(&b.chain, rq, job, err);
	if (!r && !options.disk)
		r = ccfc_at_find(&options.point, &job->at, b.chain, rq->index,
				 err);
	if (!r)
		r = ccfc_blame(&b.blame, b.chain, &options, rq->arena, err);
	if (!r)
		r = find_range(&b, job->path, err);
	if (!r)
		pack_blame(&b, job->path);
	return r;
}

int ccfc_method_file_blame(struct ccfc_request *rq, struct ccfc_err *err)
{
	return ccfc_history_job_file(rq,
				     CCFC_EXCERPT_CHAINS |
					     CCFC_EXCERPT_PROMPTS |
					     CCFC_EXCERPT_SOURCES,
				     answer_blame, err);
}

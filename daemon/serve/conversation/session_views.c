/* The timeline and the tree of a session, packed on the worker's thread. */
#include "serve/conversation/session_messages.h"

#include "base/path.h"
#include "base/time.h"

static const char *const event_names[] = {
	[CCFC_CONVERSATION_PROMPT] = "prompt",
	[CCFC_CONVERSATION_TEXT] = "text",
	[CCFC_CONVERSATION_THINKING] = "thinking",
	[CCFC_CONVERSATION_CALL] = "tool_call",
	[CCFC_CONVERSATION_RESULT] = "tool_result",
	[CCFC_CONVERSATION_NOTE] = "system",
	[CCFC_CONVERSATION_COMPACTION] = "compaction",
	[CCFC_CONVERSATION_AGENT] = "agent",
};

/* --- events --- */

/* Which file the call reads or modifies, as in the index. */
static void pack_access(struct ccfc_conversation_job *job,
			const struct ccfc_conversation_events *e)
{
	struct ccfc_parser *parser = job->reader.parser;
	struct ccfc_slice cwd = ccfc_parser_name(
		parser, e->record->fields[CCFC_FIELD_CWD], CCFC_PATH_MAX);
	struct ccfc_buf full = CCFC_BUF_INIT;
	const struct ccfc_call *call;

	parser->calls.n = 0;
	parser->budget = 0; /* lines are not counted here */
	ccfc_call_read(parser, e->block);
	call = parser->calls.items;
	if (!parser->calls.n || !call->path.len ||
	    (!call->reads && !call->writes))
		return;
	if (!ccfc_path_normalise(&full, call->path, cwd, CCFC_SLICE_NONE))
		ccfc_buf_slice(&full, call->path);
	ccfc_pack_kv_str(&job->pack, "filePath", ccfc_buf_view(&full));
	ccfc_pack_kv_cstr(&job->pack, "access",
			  call->writes ? "modified" : "read");
	ccfc_buf_release(&full);
}

static void pack_call(struct ccfc_conversation_job *job,
		      const struct ccfc_conversation_events *e, bool *cut)
{
	struct ccfc_conversation_reader *reader = &job->reader;
	struct ccfc_slice name =
		ccfc_conversation_name(reader, e->block[CCFC_BLOCK_NAME]);

	ccfc_conversation_put_name(job, "toolName", name);
	ccfc_conversation_put_name(
		job, "toolUseId",
		ccfc_conversation_name(reader, e->block[CCFC_BLOCK_ID]));
	pack_access(job, e);
	ccfc_conversation_put(
		job, "content",
		ccfc_conversation_value(
			&reader->parser->json, e->block[CCFC_BLOCK_INPUT],
			ccfc_conversation_room(job), cut, &job->scratch));
}

static void pack_result(struct ccfc_conversation_job *job,
			const struct ccfc_conversation_events *e, bool *cut)
{
	const struct ccfc_json *json = &job->reader.parser->json;
	uint32_t error = e->block[CCFC_BLOCK_IS_ERROR];

	ccfc_conversation_put_name(
		job, "toolUseId",
		ccfc_conversation_name(&job->reader,
				       e->block[CCFC_BLOCK_CALL_ID]));
	ccfc_pack_kv_bool(&job->pack, "isError",
			  error && ccfc_json_is_true(json, error));
	ccfc_conversation_put(
		job, "content",
		ccfc_conversation_value(json, e->block[CCFC_BLOCK_CONTENT],
					ccfc_conversation_room(job), cut,
					&job->scratch));
}

static void pack_what(struct ccfc_conversation_job *job,
		      const struct ccfc_conversation_events *e, bool *cut)
{
	if (e->whole)
		ccfc_conversation_put(
			job, "content",
			ccfc_conversation_text(&job->reader, e->record,
					       ccfc_conversation_room(job), cut,
					       &job->scratch));
	else if (e->type == CCFC_CONVERSATION_CALL)
		pack_call(job, e, cut);
	else if (e->type == CCFC_CONVERSATION_RESULT)
		pack_result(job, e, cut);
	else
		ccfc_conversation_put(
			job, "content",
			ccfc_conversation_value(&job->reader.parser->json,
						e->text,
						ccfc_conversation_room(job),
						cut, &job->scratch));
}

static void pack_event(struct ccfc_conversation_job *job,
		       const struct ccfc_conversation_events *e, uint32_t line)
{
	const struct ccfc_conversation_record *r = e->record;
	struct ccfc_pack *p = &job->pack;
	bool cut = false;

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "type", event_names[e->type]);
	ccfc_pack_kv_cstr(p, "role", ccfc_conversation_role_name(r->kind));
	ccfc_conversation_put_name(
		job, "id",
		ccfc_conversation_name(&job->reader,
				       r->fields[CCFC_FIELD_UUID]));
	ccfc_conversation_put_time(
		job, ccfc_parser_time(job->reader.parser,
				      r->fields[CCFC_FIELD_TIME]));
	ccfc_conversation_put_name(
		job, "subtype",
		ccfc_conversation_name(&job->reader,
				       r->more[CCFC_CONVERSATION_SUBTYPE]));
	pack_what(job, e, &cut);
	ccfc_conversation_put_agent(job, line);
	if (cut)
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

/* Packs the events of a line but the first `skip`, at most `left`. */
static uint64_t pack_line(struct ccfc_conversation_job *job, uint32_t line,
			  uint32_t skip, uint64_t left)
{
	const struct ccfc_conversation_line *l = &job->conv->lines.items[line];
	bool thinking = job->d.opt.thinking;
	uint32_t most = l->events + (thinking ? l->thoughts : 0);
	struct ccfc_conversation_record r;
	struct ccfc_conversation_events e = { .record = &r };

	ccfc_arena_clear(&job->scratch);
	if (!ccfc_conversation_open(&job->reader, &r, job->conv, line)) {
		job->truncated = true;
		return left - (most - skip < left ? most - skip : left);
	}
	while (left && most &&
	       ccfc_conversation_events_next(&job->reader, &e)) {
		if (e.type == CCFC_CONVERSATION_THINKING && !thinking)
			continue;
		most--;
		if (skip) {
			skip--;
			continue;
		}
		pack_event(job, &e, line);
		left--;
	}
	ccfc_parser_done(job->reader.parser, r.line);
	return left;
}

int ccfc_conversation_answer_timeline(struct ccfc_conversation_job *job,
				      struct ccfc_err *err)
{
	const struct ccfc_conversation *conv = job->conv;
	uint64_t offset = (uint64_t)job->d.opt.offset;
	uint64_t left = (uint64_t)job->d.opt.limit;
	struct ccfc_conversation_moment at;
	uint32_t i;

	ccfc_conversation_seek(&at, conv, job->d.opt.thinking, offset);
	if (offset && offset >= at.total)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "there are only %llu events",
				    (unsigned long long)at.total);
	ccfc_pack_uint(ccfc_conversation_key(job, "totalEvents"), at.total);
	ccfc_pack_array(ccfc_conversation_key(job, "events"));
	for (i = at.at; i < conv->lines.n && left; i++) {
		const struct ccfc_conversation_line *l =
			&conv->lines.items[conv->order[i]];

		if (!l->repeated && l->events + l->thoughts)
			left = pack_line(job, conv->order[i],
					 i == at.at ? at.skip : 0, left);
	}
	ccfc_pack_end(&job->pack);
	return 0;
}

/* --- the tree --- */

/* The names of its calls. */
static void pack_tools(struct ccfc_conversation_job *job,
		       const struct ccfc_conversation_record *r)
{
	struct ccfc_conversation_events e = { .record = r, .counting = true };
	struct ccfc_buf names = CCFC_BUF_INIT;

	while (ccfc_conversation_events_next(&job->reader, &e)) {
		if (e.whole || e.type != CCFC_CONVERSATION_CALL)
			continue;
		if (names.len)
			ccfc_buf_puts(&names, ", ");
		if (names.len < CCFC_NAME_MAX)
			ccfc_buf_slice(&names,
				       ccfc_conversation_name(
					       &job->reader,
					       e.block[CCFC_BLOCK_NAME]));
	}
	ccfc_conversation_put_name(job, "tool", ccfc_buf_view(&names));
	ccfc_buf_release(&names);
}

/* The uuid of another line: of the call, for an agent's first. */
static void pack_parent(struct ccfc_conversation_job *job, uint32_t parent,
			struct ccfc_conversation_record *r)
{
	if (parent != CCFC_CONVERSATION_NONE &&
	    ccfc_conversation_open(&job->reader, r, job->conv, parent))
		ccfc_conversation_put_name(
			job, "parent",
			ccfc_conversation_name(&job->reader,
					       r->fields[CCFC_FIELD_UUID]));
}

/* Does the node name its parent itself? Then no other line is read for it. */
static bool named_parent(struct ccfc_conversation_job *job,
			 const struct ccfc_conversation_node *n,
			 const struct ccfc_conversation_record *r)
{
	const struct ccfc_conversation_line *lines = job->conv->lines.items;
	uint32_t tok =
		r->more[lines[n->line].boundary ? CCFC_CONVERSATION_LOGICAL
						: CCFC_CONVERSATION_PARENT];

	if (!tok)
		tok = r->more[CCFC_CONVERSATION_PARENT];
	if (n->parent == CCFC_CONVERSATION_NONE ||
	    lines[n->parent].uuid != lines[n->line].parent)
		return n->parent == CCFC_CONVERSATION_NONE;
	ccfc_conversation_put_name(job, "parent",
				   ccfc_conversation_name(&job->reader, tok));
	return true;
}

static bool pack_record(struct ccfc_conversation_job *job,
			const struct ccfc_conversation_node *n)
{
	struct ccfc_conversation_reader *reader = &job->reader;
	struct ccfc_conversation_record r;
	bool cut = false;

	ccfc_arena_clear(&job->scratch);
	if (!ccfc_conversation_open(reader, &r, job->conv, n->line)) {
		job->truncated = true;
		return true;
	}
	ccfc_conversation_put_name(
		job, "id",
		ccfc_conversation_name(reader, r.fields[CCFC_FIELD_UUID]));
	ccfc_conversation_put_name(
		job, "type",
		ccfc_conversation_name(reader, r.fields[CCFC_FIELD_TYPE]));
	ccfc_conversation_put_time(
		job,
		ccfc_parser_time(reader->parser, r.fields[CCFC_FIELD_TIME]));
	ccfc_conversation_put(
		job, "content",
		ccfc_conversation_text(reader, &r, ccfc_conversation_room(job),
				       &cut, &job->scratch));
	pack_tools(job, &r);
	if (r.fields[CCFC_FIELD_SIDECHAIN] &&
	    ccfc_json_is_true(&reader->parser->json,
			      r.fields[CCFC_FIELD_SIDECHAIN]))
		ccfc_pack_kv_bool(&job->pack, "isSidechain", true);
	if (!named_parent(job, n, &r))
		pack_parent(job, n->parent, &r);
	ccfc_parser_done(reader->parser, r.line);
	return cut;
}

static void pack_node(struct ccfc_conversation_job *job,
		      const struct ccfc_conversation_node *n)
{
	const struct ccfc_conversation_line *l =
		&job->conv->lines.items[n->line];
	struct ccfc_pack *p = &job->pack;

	ccfc_pack_map(p);
	if (l->kind != CCFC_CONVERSATION_OTHER)
		ccfc_pack_kv_cstr(p, "role",
				  ccfc_conversation_role_name(l->kind));
	ccfc_pack_kv_uint(p, "depth", n->depth);
	ccfc_pack_kv_uint(p, "children", n->children);
	if (n->ways > 1)
		ccfc_pack_kv_uint(p, "ways", n->ways);
	if (n->branch)
		ccfc_pack_kv_uint(p, "branch", n->branch);
	if (n->hangs)
		ccfc_pack_kv_uint(p, "after", n->after);
	if (l->boundary)
		ccfc_pack_kv_bool(p, "boundary", true);
	if (pack_record(job, n))
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_conversation_put_agent(job, n->line);
	ccfc_pack_end(p);
}

int ccfc_conversation_answer_tree(struct ccfc_conversation_job *job,
				  struct ccfc_err *err)
{
	struct ccfc_conversation_tree tree;
	int r = ccfc_conversation_tree(&tree, job->conv,
				       (uint64_t)job->d.opt.offset,
				       (uint64_t)job->d.opt.limit, err);

	if (r)
		return r;
	ccfc_pack_uint(ccfc_conversation_key(job, "totalNodes"), tree.total);
	ccfc_pack_uint(ccfc_conversation_key(job, "branches"), tree.branches);
	ccfc_pack_array(ccfc_conversation_key(job, "nodes"));
	for (uint32_t i = 0; i < tree.n; i++)
		pack_node(job, &tree.nodes[i]);
	ccfc_pack_end(&job->pack);
	return 0;
}

/*
 * One line as a record. The fields of the object are looked up in one pass, in
 * any order; then the record's type decides what they mean.
 *
 * Some records carry copies of messages with calls: api-request-blob,
 * attachments. They are ignored. But the progress of an agent is a copy of the
 * agent's record, and the only one if the agent's transcript is missing: it is
 * read.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "base/utf8.h"
#include "transcript/json/unescape.h"
#include "transcript/line_count.h"
#include "transcript/record_internal.h"

#include <stdlib.h>

#define HUGE_LINE    (4u << 20)
#define KEEP_BACKUPS 4096u

static const char *const other_types[] = {
	"progress",	    "attachment",  "queue-operation",
	"system",	    "summary",	   "last-prompt",
	"custom-title",	    "agent-name",  "permission-mode",
	"ai-title",	    "mode",	   "relocated",
	"worktree-state",   "atis-latch",  "cost-state",
	"tools-used",	    "api-request", "api-request-shape",
	"api-request-blob", "init",	   "pr-link",
	"bridge-session",   "frame-link",  "fork-context-ref",
};

struct ccfc_parser *ccfc_parser_new(const struct ccfc_tools *tools)
{
	struct ccfc_parser *parser = ccfc_calloc(1, sizeof(*parser));

	if (!tools)
		ccfc_tools_init(&parser->own_tools);
	parser->tools = tools ? tools : &parser->own_tools;
	ccfc_json_init(&parser->json);
	ccfc_arena_init(&parser->arena);
	ccfc_parser_init_keys(parser);
	return parser;
}

void ccfc_parser_free(struct ccfc_parser *parser)
{
	if (!parser)
		return;
	ccfc_json_release(&parser->json);
	ccfc_arena_release(&parser->arena);
	ccfc_buf_release(&parser->repaired);
	ccfc_tools_release(&parser->own_tools);
	free(parser->calls.items);
	free(parser->results.items);
	free(parser->run_files.items);
	free(parser->backups.items);
	free(parser->spoken.items);
	free(parser->added.items);
	free(parser);
}

struct ccfc_slice ccfc_parser_name(struct ccfc_parser *parser, uint32_t tok,
				   size_t max)
{
	return ccfc_unescape_name(&parser->arena,
				  ccfc_json_string(&parser->json, tok), max);
}

int64_t ccfc_parser_time(const struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_string(&parser->json, tok);

	return raw.len ? ccfc_time_parse(raw) : CCFC_TIME_NONE;
}

/* The agent's record inside a progress record; 0: it is not one. */
static uint32_t find_relayed(const struct ccfc_parser *parser, uint32_t *agent)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_LAUNCH_COUNT];

	ccfc_json_root_fields(json, &parser->launch_keys, f);
	ccfc_json_fields(json, f[CCFC_LAUNCH_DATA], &parser->launch_keys, f);
	*agent = f[CCFC_LAUNCH_AGENT];
	if (!*agent ||
	    !ccfc_slice_is(ccfc_json_string(json, f[CCFC_LAUNCH_DATA_TYPE]),
			   "agent_progress"))
		return 0;
	return f[CCFC_LAUNCH_MESSAGE];
}

/*
 * If the line is an agent's progress, replaces the fields by those of the
 * agent's record. The directory and the session stay the line's, because the
 * copy lacks them.
 */
static void read_relayed(struct ccfc_parser *parser, uint32_t *fields)
{
	static const enum ccfc_field lines_own[] = {
		CCFC_FIELD_SESSION, CCFC_FIELD_SESSION_ALIAS, CCFC_FIELD_CWD,
		CCFC_FIELD_BRANCH, CCFC_FIELD_VERSION
	};
	const struct ccfc_json *json = &parser->json;
	uint32_t inner[CCFC_FIELD_COUNT], agent;
	struct ccfc_slice type;

	ccfc_json_fields(json, find_relayed(parser, &agent),
			 &parser->record_keys, inner);
	type = ccfc_json_string(json, inner[CCFC_FIELD_TYPE]);
	parser->relayed =
		ccfc_slice_is(type, "user") || ccfc_slice_is(type, "assistant");
	if (!parser->relayed)
		return;
	for (size_t i = 0; i < sizeof(lines_own) / sizeof(*lines_own); i++)
		inner[lines_own[i]] = fields[lines_own[i]];
	inner[CCFC_FIELD_AGENT] = agent;
	memcpy(fields, inner, sizeof(inner));
}

bool ccfc_parser_open(struct ccfc_parser *parser, struct ccfc_slice line,
		      uint32_t *fields)
{
	ccfc_arena_clear(&parser->arena);
	parser->relayed = false;
	if (!ccfc_json_parse(&parser->json, line))
		return false;
	ccfc_json_root_fields(&parser->json, &parser->record_keys, fields);
	if (ccfc_slice_is(
		    ccfc_json_string(&parser->json, fields[CCFC_FIELD_TYPE]),
		    "progress"))
		read_relayed(parser, fields);
	return true;
}

bool ccfc_parser_open_damaged(struct ccfc_parser *parser,
			      struct ccfc_slice line, uint32_t *fields)
{
	struct ccfc_buf *copy = &parser->repaired;

	ccfc_buf_clear(copy);
	if (ccfc_parser_open(parser, line, fields))
		return true;
	if (ccfc_utf8_append(copy, line) ||
	    ccfc_slice_eq(ccfc_buf_view(copy), line))
		return false;
	memset(ccfc_buf_reserve(copy, CCFC_JSON_PADDING), 0, CCFC_JSON_PADDING);
	return ccfc_parser_open(parser, ccfc_buf_view(copy), fields);
}

void ccfc_parser_done(struct ccfc_parser *parser, struct ccfc_slice line)
{
	if (line.len <= HUGE_LINE)
		return;
	ccfc_json_trim(&parser->json);
	ccfc_buf_release(&parser->repaired);
}

static enum ccfc_record_kind kind_of_type(struct ccfc_slice type)
{
	if (ccfc_slice_is(type, "assistant") || ccfc_slice_is(type, "tool_use"))
		return CCFC_RECORD_ASSISTANT;
	if (ccfc_slice_is(type, "user") || ccfc_slice_is(type, "tool_result"))
		return CCFC_RECORD_USER;
	if (ccfc_slice_is(type, "file-history-snapshot") ||
	    ccfc_slice_is(type, "file-history-delta"))
		return CCFC_RECORD_SNAPSHOT;
	for (size_t i = 0; i < sizeof(other_types) / sizeof(*other_types); i++)
		if (ccfc_slice_is(type, other_types[i]))
			return CCFC_RECORD_OTHER;
	return CCFC_RECORD_UNKNOWN;
}

enum ccfc_record_kind ccfc_parser_kind(struct ccfc_parser *parser,
				       const uint32_t *fields)
{
	struct ccfc_slice role;

	if (fields[CCFC_FIELD_TYPE])
		return kind_of_type(ccfc_parser_name(
			parser, fields[CCFC_FIELD_TYPE], CCFC_NAME_MAX));
	role = ccfc_json_string(&parser->json, fields[CCFC_FIELD_ROLE]);
	if (ccfc_slice_is(role, "assistant"))
		return CCFC_RECORD_ASSISTANT;
	return ccfc_slice_is(role, "user") ? CCFC_RECORD_USER
					   : CCFC_RECORD_UNKNOWN;
}

uint32_t ccfc_parser_content(const struct ccfc_parser *parser,
			     const uint32_t *fields)
{
	uint32_t f[CCFC_MESSAGE_COUNT];

	ccfc_json_fields(&parser->json, fields[CCFC_FIELD_MESSAGE],
			 &parser->message_keys, f);
	return f[CCFC_MESSAGE_CONTENT] ? f[CCFC_MESSAGE_CONTENT]
				       : fields[CCFC_FIELD_CONTENT];
}

uint32_t ccfc_parser_first_block(const struct ccfc_parser *parser,
				 const uint32_t *fields, uint32_t content)
{
	struct ccfc_slice type =
		ccfc_json_string(&parser->json, fields[CCFC_FIELD_TYPE]);

	if (ccfc_slice_starts(type, "tool_"))
		return CCFC_BLOCK_ROOT;
	if (!ccfc_json_is_array(&parser->json, content))
		return 0;
	return ccfc_json_child(&parser->json, content);
}

uint32_t ccfc_parser_next_block(const struct ccfc_parser *parser,
				uint32_t block)
{
	if (block == CCFC_BLOCK_ROOT)
		return 0;
	return ccfc_json_next(&parser->json, block);
}

void ccfc_parser_block(const struct ccfc_parser *parser, uint32_t block,
		       uint32_t *fields)
{
	if (block == CCFC_BLOCK_ROOT)
		ccfc_json_root_fields(&parser->json, &parser->block_keys,
				      fields);
	else
		ccfc_json_fields(&parser->json, block, &parser->block_keys,
				 fields);
}

static void read_common(struct ccfc_parser *parser, struct ccfc_record *out,
			const uint32_t *f)
{
	uint32_t session = f[CCFC_FIELD_SESSION];

	if (!session)
		session = f[CCFC_FIELD_SESSION_ALIAS];
	out->type = ccfc_parser_name(parser, f[CCFC_FIELD_TYPE], CCFC_NAME_MAX);
	out->session = ccfc_parser_name(parser, session, CCFC_NAME_MAX);
	out->agent =
		ccfc_parser_name(parser, f[CCFC_FIELD_AGENT], CCFC_NAME_MAX);
	out->uuid = ccfc_parser_name(parser, f[CCFC_FIELD_UUID], CCFC_NAME_MAX);
	out->cwd = ccfc_parser_name(parser, f[CCFC_FIELD_CWD], CCFC_PATH_MAX);
	out->branch =
		ccfc_parser_name(parser, f[CCFC_FIELD_BRANCH], CCFC_NAME_MAX);
	out->version =
		ccfc_parser_name(parser, f[CCFC_FIELD_VERSION], CCFC_NAME_MAX);
	out->time = ccfc_parser_time(parser, f[CCFC_FIELD_TIME]);
	out->relayed = parser->relayed;
	out->sidechain =
		out->relayed ||
		ccfc_json_is_true(&parser->json, f[CCFC_FIELD_SIDECHAIN]);
	out->meta = ccfc_json_is_true(&parser->json, f[CCFC_FIELD_META]);
	out->summary = ccfc_json_is_true(&parser->json, f[CCFC_FIELD_SUMMARY]);
}

/* A text with a call of another tool waits for that call, not for the user. */
static bool asks_user(const struct ccfc_parser *parser, uint32_t text)
{
	for (uint32_t i = 0; i < parser->calls.n; i++)
		if (ccfc_message_asking_tool(parser->calls.items[i].tool))
			return true;
	return !parser->calls.n &&
	       ccfc_message_asks(ccfc_json_string(&parser->json, text));
}

/* "msg_20260213060303" is not an id but a time. */
static bool is_time_id(struct ccfc_slice id)
{
	size_t i = 4;

	if (id.len != 18 || !ccfc_slice_starts(id, "msg_"))
		return false;
	while (i < id.len && id.ptr[i] >= '0' && id.ptr[i] <= '9')
		i++;
	return i == id.len;
}

/*
 * Agents that run at the same time differ in their requests, or in their ids.
 */
static struct ccfc_slice request_or_agent(struct ccfc_parser *parser,
					  const struct ccfc_record *r,
					  const uint32_t *fields)
{
	struct ccfc_slice request = CCFC_SLICE_NONE;

	if (!is_time_id(r->message_id))
		return request;
	request = ccfc_parser_name(parser, fields[CCFC_FIELD_REQUEST],
				   CCFC_NAME_MAX);
	return request.len ? request : r->agent;
}

static void read_assistant(struct ccfc_parser *parser, struct ccfc_record *out,
			   const uint32_t *fields)
{
	struct ccfc_json *json = &parser->json;
	uint32_t m[CCFC_MESSAGE_COUNT];
	uint32_t block[CCFC_BLOCK_COUNT];
	uint32_t at, text, n = 0;

	ccfc_json_fields(json, fields[CCFC_FIELD_MESSAGE],
			 &parser->message_keys, m);
	out->message_id =
		ccfc_parser_name(parser, m[CCFC_MESSAGE_ID], CCFC_NAME_MAX);
	out->apart = request_or_agent(parser, out, fields);
	out->model =
		ccfc_parser_name(parser, m[CCFC_MESSAGE_MODEL], CCFC_NAME_MAX);
	if (ccfc_slice_is(out->model, "<synthetic>"))
		out->model = CCFC_SLICE_NONE;
	if (!m[CCFC_MESSAGE_CONTENT])
		m[CCFC_MESSAGE_CONTENT] = fields[CCFC_FIELD_CONTENT];
	ccfc_message_usage(parser, out, m[CCFC_MESSAGE_USAGE]);
	if (fields[CCFC_FIELD_COST])
		out->cost =
			ccfc_cost_of_message(parser, fields[CCFC_FIELD_COST]);
	text = m[CCFC_MESSAGE_CONTENT];
	at = ccfc_parser_first_block(parser, fields, text);
	if (!at)
		ccfc_message_text_string(parser, text);
	for (; at; at = ccfc_parser_next_block(parser, at), n++) {
		struct ccfc_slice type;

		ccfc_parser_block(parser, at, block);
		ccfc_message_text_block(parser, at, n, block);
		type = ccfc_json_string(json, block[CCFC_BLOCK_TYPE]);
		if (ccfc_slice_is(type, "tool_use"))
			ccfc_call_read(parser, block);
		else if (ccfc_slice_is(type, "text"))
			text = block[CCFC_BLOCK_TEXT];
	}
	out->calls = parser->calls.items;
	out->ncalls = parser->calls.n;
	out->asks = asks_user(parser, text);
}

/* Reads a note of the client for the model. */
static void read_ended(struct ccfc_parser *parser, struct ccfc_record *out,
		       uint32_t text)
{
	out->ended =
		ccfc_run_ended(parser, ccfc_json_string(&parser->json, text));
}

static void read_user(struct ccfc_parser *parser, struct ccfc_record *out,
		      const uint32_t *fields)
{
	bool text;
	uint32_t n = ccfc_result_read(parser, fields, out->uuid, &text);

	out->results = parser->results.items;
	out->nresults = parser->results.n;
	out->prompt = text && !n && !out->nresults && !out->meta;
	out->asked =
		out->prompt && ccfc_prompt_text_is(parser, fields, &out->typed);
	if (out->prompt && !out->asked)
		read_ended(parser, out, ccfc_parser_content(parser, fields));
}

static void read_body(struct ccfc_parser *parser, struct ccfc_record *out,
		      const uint32_t *fields)
{
	switch (out->kind) {
	case CCFC_RECORD_ASSISTANT:
		read_assistant(parser, out, fields);
		break;
	case CCFC_RECORD_USER:
		read_user(parser, out, fields);
		break;
	case CCFC_RECORD_SNAPSHOT:
		ccfc_backup_read_all(parser, fields, out->time);
		out->backups = parser->backups.items;
		out->nbackups = parser->backups.n;
		break;
	case CCFC_RECORD_OTHER:
		ccfc_message_naming(parser, out);
		if (ccfc_slice_is(out->type, "cost-state"))
			ccfc_cost_read(parser, out);
		if (ccfc_slice_is(out->type, "queue-operation"))
			read_ended(parser, out, fields[CCFC_FIELD_CONTENT]);
		if (ccfc_slice_is(out->type, "progress") ||
		    ccfc_slice_is(out->type, "attachment"))
			ccfc_hook_read(parser);
		out->results = parser->results.items;
		out->nresults = parser->results.n;
		break;
	default:
		break;
	}
	ccfc_added_read(parser, out, fields);
	out->spoken = parser->spoken.items;
	out->nspoken = parser->spoken.n;
}

/* Clears the lists of the last record, and frees the memory of a huge one. */
static void clear_lists(struct ccfc_parser *parser)
{
	parser->calls.n = parser->results.n = parser->backups.n = 0;
	parser->spoken.n = parser->added.n = parser->run_files.n = 0;
	parser->budget = CCFC_LINES_BUDGET;
	if (parser->backups.cap > KEEP_BACKUPS) {
		free(parser->backups.items);
		parser->backups.items = NULL;
		parser->backups.cap = 0;
	}
}

size_t ccfc_record_end(struct ccfc_slice line)
{
	bool quoted = false;
	size_t depth = 0, i = 0;

	while (i < line.len && ccfc_json_is_space(line.ptr[i]))
		i++;
	if (i == line.len || line.ptr[i] != '{')
		return 0;
	for (; i < line.len; i++) {
		char c = line.ptr[i];

		if (c == '"')
			quoted = !quoted;
		else if (quoted)
			i += c == '\\';
		else if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && !--depth)
			return i + 1;
	}
	return 0;
}

size_t ccfc_record_split(struct ccfc_slice line)
{
	size_t n;

	while (line.len && ccfc_json_is_space(line.ptr[line.len - 1]))
		line.len--;
	n = ccfc_record_end(line);
	return n < line.len ? n : 0;
}

static bool is_blank(struct ccfc_slice line)
{
	size_t i = 0;

	while (i < line.len && ccfc_json_is_space(line.ptr[i]))
		i++;
	return i == line.len;
}

void ccfc_record_parse(struct ccfc_parser *parser, struct ccfc_record *out,
		       struct ccfc_slice line)
{
	uint32_t fields[CCFC_FIELD_COUNT];

	*out = (struct ccfc_record){ .kind = CCFC_RECORD_MALFORMED,
				     .time = CCFC_TIME_NONE };
	clear_lists(parser);
	if (is_blank(line)) {
		out->kind = CCFC_RECORD_BLANK;
	} else if (ccfc_parser_open_damaged(parser, line, fields)) {
		out->kind = ccfc_parser_kind(parser, fields);
		out->damaged = parser->repaired.len;
		read_common(parser, out, fields);
		read_body(parser, out, fields);
	}
	ccfc_parser_done(parser, line);
}

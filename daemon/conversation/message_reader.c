/*
 * Reads one line of a transcript: its kind, texts and numbers. Used for every
 * line of the skeleton, and again for the lines of a page.
 */
#include "conversation/conversation_internal.h"

#include "base/buf.h"
#include "base/hash.h"
#include "transcript/json/unescape.h"

static const char *const more_names[CCFC_CONVERSATION_FIELDS] = {
	[CCFC_CONVERSATION_PARENT] = "parentUuid",
	[CCFC_CONVERSATION_LOGICAL] = "logicalParentUuid",
	[CCFC_CONVERSATION_SUBTYPE] = "subtype",
	[CCFC_CONVERSATION_SUMMARY_TEXT] = "summary",
	[CCFC_CONVERSATION_ATTACHMENT] = "attachment",
	[CCFC_CONVERSATION_DATA] = "data",
	[CCFC_CONVERSATION_AGENT_NAME] = "agentName",
	[CCFC_CONVERSATION_AGENT_TYPE] = "attributionAgent",
};

static const char *const thinking_key[] = { "thinking" };
static const char *const task_names[] = { "task", "success" };

void ccfc_conversation_reader_init(struct ccfc_conversation_reader *reader,
				   uint64_t left)
{
	memset(reader, 0, sizeof(*reader));
	reader->tail = ccfc_tail_new(CCFC_TAIL_DEFAULT_MAX_LINE);
	reader->parser = ccfc_parser_new(NULL);
	reader->left = left;
	ccfc_json_keys_init(&reader->more_keys, more_names,
			    CCFC_CONVERSATION_FIELDS);
	ccfc_json_keys_init(&reader->block_keys, thinking_key, 1);
	ccfc_json_keys_init(&reader->task_keys, task_names, 2);
}

void ccfc_conversation_reader_release(struct ccfc_conversation_reader *reader)
{
	ccfc_tail_free(reader->tail);
	ccfc_parser_free(reader->parser);
	memset(reader, 0, sizeof(*reader));
}

struct ccfc_slice
ccfc_conversation_name(struct ccfc_conversation_reader *reader, uint32_t tok)
{
	return ccfc_parser_name(reader->parser, tok, CCFC_NAME_MAX);
}

uint64_t ccfc_conversation_hash(struct ccfc_conversation_reader *reader,
				uint32_t tok)
{
	struct ccfc_slice id =
		ccfc_parser_name(reader->parser, tok, CCFC_ID_MAX);

	return id.len ? ccfc_hash_slice(id) : 0;
}

static enum ccfc_conversation_kind
line_kind_of(struct ccfc_conversation_reader *reader, const uint32_t *fields)
{
	struct ccfc_slice type;

	switch (ccfc_parser_kind(reader->parser, fields)) {
	case CCFC_RECORD_USER:
		return CCFC_CONVERSATION_USER;
	case CCFC_RECORD_ASSISTANT:
		return CCFC_CONVERSATION_ASSISTANT;
	default:
		type = ccfc_json_string(&reader->parser->json,
					fields[CCFC_FIELD_TYPE]);
		if (ccfc_slice_is(type, "system"))
			return CCFC_CONVERSATION_SYSTEM;
		return ccfc_slice_is(type, "summary")
			       ? CCFC_CONVERSATION_SUMMARY
			       : CCFC_CONVERSATION_OTHER;
	}
}

bool ccfc_conversation_parse(struct ccfc_conversation_reader *reader,
			     struct ccfc_conversation_record *out,
			     struct ccfc_slice line, bool relayed)
{
	struct ccfc_parser *parser = reader->parser;

	out->line = line;
	if (!ccfc_parser_open_damaged(parser, line, out->fields))
		return false;
	out->relays = parser->relayed;
	if (out->relays && !relayed)
		ccfc_json_root_fields(&parser->json, &parser->record_keys,
				      out->fields);
	ccfc_json_root_fields(&parser->json, &reader->more_keys, out->more);
	out->kind = line_kind_of(reader, out->fields);
	out->content = ccfc_parser_content(parser, out->fields);
	out->first = 0;
	if (out->kind == CCFC_CONVERSATION_USER ||
	    out->kind == CCFC_CONVERSATION_ASSISTANT)
		out->first = ccfc_parser_first_block(parser, out->fields,
						     out->content);
	return true;
}

bool ccfc_conversation_open(struct ccfc_conversation_reader *reader,
			    struct ccfc_conversation_record *out,
			    const struct ccfc_conversation *conv, uint32_t line)
{
	const struct ccfc_conversation_line *l = &conv->lines.items[line];
	struct ccfc_slice bytes;

	if (l->len > reader->left)
		return false;
	reader->left -= l->len;
	reader->bytes += l->len;
	return !ccfc_tail_read_at(
		       reader->tail, &bytes,
		       conv->sources[ccfc_conversation_source_no(l)].path,
		       ccfc_conversation_offset(l), l->len, NULL) &&
	       ccfc_conversation_parse(
		       reader, out, bytes,
		       ccfc_conversation_is_progress(conv, l)) &&
	       ccfc_conversation_hash(reader, out->fields[CCFC_FIELD_UUID]) ==
		       l->uuid;
}

/* --- texts --- */

/*
 * Appends the text of a raw string. An escape has at most six bytes and makes
 * at least one, so only the first 6 * max bytes of a huge string are read.
 */
static void put_raw(struct ccfc_buf *out, struct ccfc_slice raw, size_t max,
		    bool *cut, struct ccfc_arena *arena)
{
	size_t room = max > out->len ? max - out->len : 0;
	struct ccfc_slice text;

	if (raw.len / 6 > room + 4)
		raw.len = 6 * (room + 4);
	text = ccfc_unescape(arena, raw, NULL);
	if (text.len > room) {
		*cut = true;
		text = ccfc_slice_cut(text, room);
	}
	ccfc_buf_slice(out, text);
}

static struct ccfc_slice move_buf_to_arena(struct ccfc_buf *buf,
					   struct ccfc_arena *arena)
{
	struct ccfc_slice s = ccfc_arena_copy(arena, ccfc_buf_view(buf));

	ccfc_buf_release(buf);
	return s;
}

/* The text or the thought of a block; 0: it has neither. */
static uint32_t message_text_of(struct ccfc_conversation_reader *reader,
				uint32_t at, bool thinking)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t block[CCFC_BLOCK_COUNT], thought = 0;
	struct ccfc_slice type;

	ccfc_parser_block(parser, at, block);
	type = ccfc_json_string(&parser->json, block[CCFC_BLOCK_TYPE]);
	if (!thinking)
		return ccfc_slice_is(type, "text") ? block[CCFC_BLOCK_TEXT] : 0;
	if (ccfc_slice_is(type, "thinking") && at != CCFC_BLOCK_ROOT)
		ccfc_json_fields(&parser->json, at, &reader->block_keys,
				 &thought);
	return thought;
}

static void put_blocks(struct ccfc_buf *out,
		       struct ccfc_conversation_reader *reader,
		       const struct ccfc_conversation_record *record,
		       bool thinking, size_t max, bool *cut,
		       struct ccfc_arena *arena)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t at = record->first;
	bool any = false, full = false;

	for (; at && !full; at = ccfc_parser_next_block(parser, at)) {
		uint32_t text = message_text_of(reader, at, thinking);

		if (!text)
			continue;
		if (any && out->len < max)
			ccfc_buf_putc(out, '\n');
		any = true;
		put_raw(out, ccfc_json_string(&parser->json, text), max, &full,
			arena);
	}
	*cut |= full;
}

/* The placeholder for a text. */
static struct ccfc_slice
other_text(struct ccfc_conversation_reader *reader,
	   const struct ccfc_conversation_record *record)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t inside = record->more[CCFC_CONVERSATION_ATTACHMENT];
	uint32_t block[CCFC_BLOCK_COUNT];

	if (!inside)
		inside = record->more[CCFC_CONVERSATION_DATA];
	ccfc_json_fields(&parser->json, inside, &parser->block_keys, block);
	return ccfc_json_string(&parser->json, block[CCFC_BLOCK_TYPE]);
}

struct ccfc_slice
ccfc_conversation_text(struct ccfc_conversation_reader *reader,
		       const struct ccfc_conversation_record *record,
		       size_t max, bool *cut, struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &reader->parser->json;
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_slice raw = ccfc_json_string(json, record->content);

	if (record->kind == CCFC_CONVERSATION_SUMMARY)
		raw = ccfc_json_string(
			json, record->more[CCFC_CONVERSATION_SUMMARY_TEXT]);
	else if (record->kind == CCFC_CONVERSATION_OTHER)
		raw = other_text(reader, record);
	if (record->first)
		put_blocks(&out, reader, record, false, max, cut, arena);
	else
		put_raw(&out, raw, max, cut, arena);
	return move_buf_to_arena(&out, arena);
}

struct ccfc_slice
ccfc_conversation_thinking(struct ccfc_conversation_reader *reader,
			   const struct ccfc_conversation_record *record,
			   size_t max, bool *cut, struct ccfc_arena *arena)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	put_blocks(&out, reader, record, true, max, cut, arena);
	return move_buf_to_arena(&out, arena);
}

/* --- any value --- */

/* The end of the token that starts at p: a string, a scalar or a bracket. */
static const char *token_end(const struct ccfc_json *json, uint32_t tok)
{
	const char *p = json->text + json->at[tok];

	if (*p == '"')
		return ccfc_json_key(json, tok).ptr +
		       ccfc_json_key(json, tok).len + 1;
	if (strchr("{}[]:,", *p))
		return p + 1;
	while (!ccfc_json_is_space(*p) && *p != ',' && *p != '}' && *p != ']')
		p++;
	return p;
}

struct ccfc_slice ccfc_conversation_value(const struct ccfc_json *json,
					  uint32_t tok, size_t max, bool *cut,
					  struct ccfc_arena *arena)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char c = ccfc_json_first(json, tok);
	uint32_t last = tok;
	struct ccfc_slice all;

	if (!tok)
		return ccfc_slice("", 0);
	if (c == '"') {
		put_raw(&out, ccfc_json_string(json, tok), max, cut, arena);
		return move_buf_to_arena(&out, arena);
	}
	if (c == '{' || c == '[')
		last = json->jump[tok];
	for (; tok <= last && out.len <= max; tok++) {
		const char *p = json->text + json->at[tok];
		size_t n = (size_t)(token_end(json, tok) - p);

		/* One byte beyond the limit shows that the text is cut. */
		ccfc_buf_append(&out, p,
				n > max + 1 - out.len ? max + 1 - out.len : n);
	}
	all = move_buf_to_arena(&out, arena);
	*cut |= all.len > max;
	return ccfc_slice_cut(all, max);
}

/* --- numbers and names of a message --- */

bool ccfc_conversation_usage(struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation_record *record,
			     struct ccfc_record *out)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t m[CCFC_MESSAGE_COUNT];

	ccfc_json_fields(&parser->json, record->fields[CCFC_FIELD_MESSAGE],
			 &parser->message_keys, m);
	out->has_usage = false;
	ccfc_message_usage(parser, out, m[CCFC_MESSAGE_USAGE]);
	return out->has_usage;
}

void ccfc_conversation_model(struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation_record *record,
			     struct ccfc_slice *model, struct ccfc_slice *id)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t m[CCFC_MESSAGE_COUNT];

	ccfc_json_fields(&parser->json, record->fields[CCFC_FIELD_MESSAGE],
			 &parser->message_keys, m);
	*model = ccfc_conversation_name(reader, m[CCFC_MESSAGE_MODEL]);
	*id = ccfc_conversation_name(reader, m[CCFC_MESSAGE_ID]);
}

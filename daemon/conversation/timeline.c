/*
 * The events of a record, and their places in the timeline. The skeleton has
 * the number of events of each line, counted by the same walk that later
 * returns them, so that a page is found without reading earlier lines.
 */
#include "conversation/conversation_internal.h"

static struct ccfc_slice block_type(const struct ccfc_json *json,
				    const uint32_t *block)
{
	return ccfc_json_string(json, block[CCFC_BLOCK_TYPE]);
}

/* Does the record have a text, or a picture in its place? */
static bool has_text(struct ccfc_conversation_reader *reader,
		     const struct ccfc_conversation_record *record)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t block[CCFC_BLOCK_COUNT], at = record->first;
	bool other = false, results = false;

	if (!at)
		return ccfc_json_string(&parser->json, record->content).len;
	for (; at; at = ccfc_parser_next_block(parser, at)) {
		struct ccfc_slice type;

		ccfc_parser_block(parser, at, block);
		type = block_type(&parser->json, block);
		if (ccfc_slice_is(type, "text"))
			return true;
		if (ccfc_slice_is(type, "tool_result"))
			results = true;
		else
			other = true;
	}
	return other && !results;
}

static enum ccfc_conversation_event_type
user_type(struct ccfc_conversation_reader *reader,
	  const struct ccfc_conversation_record *r)
{
	struct ccfc_json *json = &reader->parser->json;
	bool aside = ccfc_json_is_true(json, r->fields[CCFC_FIELD_SIDECHAIN]);
	struct ccfc_slice typed;

	if (aside)
		return ccfc_json_is_string(json,
					   r->more[CCFC_CONVERSATION_PARENT])
			       ? CCFC_CONVERSATION_TEXT
			       : CCFC_CONVERSATION_AGENT;
	if (ccfc_json_is_true(json, r->fields[CCFC_FIELD_META]) ||
	    !ccfc_prompt_text_is(reader->parser, r->fields, &typed))
		return CCFC_CONVERSATION_TEXT;
	return CCFC_CONVERSATION_PROMPT;
}

/* Makes the event of the whole record's text, if it has one. */
static bool whole_record(struct ccfc_conversation_reader *reader,
			 struct ccfc_conversation_events *e)
{
	const struct ccfc_conversation_record *r = e->record;

	e->whole = true;
	e->text = 0;
	switch (r->kind) {
	case CCFC_CONVERSATION_USER:
		if (!has_text(reader, r))
			return false;
		e->type = e->counting ? CCFC_CONVERSATION_TEXT
				      : user_type(reader, r);
		return true;
	case CCFC_CONVERSATION_ASSISTANT:
		e->type = CCFC_CONVERSATION_TEXT;
		return !r->first &&
		       ccfc_json_string(&reader->parser->json, r->content).len;
	case CCFC_CONVERSATION_SYSTEM:
		e->type = ccfc_slice_is(
				  ccfc_json_string(
					  &reader->parser->json,
					  r->more[CCFC_CONVERSATION_SUBTYPE]),
				  "compact_boundary")
				  ? CCFC_CONVERSATION_COMPACTION
				  : CCFC_CONVERSATION_NOTE;
		return true;
	case CCFC_CONVERSATION_SUMMARY:
		e->type = CCFC_CONVERSATION_NOTE;
		return true;
	default:
		return false;
	}
}

/* Is the current block an event of its own? */
static bool is_event(struct ccfc_conversation_reader *reader,
		     struct ccfc_conversation_events *e, uint32_t at)
{
	struct ccfc_json *json = &reader->parser->json;
	struct ccfc_slice type = block_type(json, e->block);

	if (e->record->kind == CCFC_CONVERSATION_USER) {
		e->type = CCFC_CONVERSATION_RESULT;
		return ccfc_slice_is(type, "tool_result");
	}
	e->text = 0;
	if (ccfc_slice_is(type, "text")) {
		e->type = CCFC_CONVERSATION_TEXT;
		e->text = e->block[CCFC_BLOCK_TEXT];
	} else if (ccfc_slice_is(type, "thinking") && at != CCFC_BLOCK_ROOT) {
		e->type = CCFC_CONVERSATION_THINKING;
		ccfc_json_fields(json, at, &reader->block_keys, &e->text);
	} else {
		e->type = CCFC_CONVERSATION_CALL;
		return ccfc_slice_is(type, "tool_use");
	}
	return true;
}

bool ccfc_conversation_events_next(struct ccfc_conversation_reader *reader,
				   struct ccfc_conversation_events *e)
{
	if (!e->begun) {
		e->begun = true;
		e->at = e->record->first;
		if (whole_record(reader, e))
			return true;
	}
	e->whole = false;
	while (e->at) {
		uint32_t at = e->at;

		ccfc_parser_block(reader->parser, at, e->block);
		e->at = ccfc_parser_next_block(reader->parser, at);
		if (is_event(reader, e, at))
			return true;
	}
	return false;
}

void ccfc_conversation_seek(struct ccfc_conversation_moment *out,
			    const struct ccfc_conversation *conv, bool thinking,
			    uint64_t offset)
{
	*out = (struct ccfc_conversation_moment){ .at = conv->lines.n };
	for (uint32_t i = 0; i < conv->lines.n; i++) {
		const struct ccfc_conversation_line *l =
			&conv->lines.items[conv->order[i]];
		uint32_t n = l->events + (thinking ? l->thoughts : 0);

		if (l->repeated || !n)
			continue;
		if (offset >= out->total && offset < out->total + n) {
			out->at = i;
			out->skip = (uint32_t)(offset - out->total);
		}
		out->total += n;
	}
}

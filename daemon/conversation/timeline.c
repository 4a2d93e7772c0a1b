/*
 * The events of a record, and where in the timeline they are. The skeleton
 * has the number of each line's events, counted by the same walk that gives
 * them later, so that a page is found without looking at any line before it.
 */
#include "conversation/conversation_internal.h"

static struct ccfc_slice type_of(const struct ccfc_json *json,
				 const uint32_t *block)
{
	return ccfc_json_string(json, block[CCFC_BLOCK_TYPE]);
}

/* Has the record a text, or in place of it a picture? */
static bool has_text(struct ccfc_talk_reader *reader,
		     const struct ccfc_talk_record *record)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t block[CCFC_BLOCK_COUNT], at = record->first;
	bool other = false, results = false;

	if (!at)
		return ccfc_json_string(&parser->json, record->content).len;
	for (; at; at = ccfc_parser_next_block(parser, at)) {
		struct ccfc_slice type;

		ccfc_parser_block(parser, at, block);
		type = type_of(&parser->json, block);
		if (ccfc_slice_is(type, "text"))
			return true;
		if (ccfc_slice_is(type, "tool_result"))
			results = true;
		else
			other = true;
	}
	return other && !results;
}

static enum ccfc_talk_event_type user_type(struct ccfc_talk_reader *reader,
					   const struct ccfc_talk_record *r)
{
	struct ccfc_json *json = &reader->parser->json;
	bool aside = ccfc_json_is_true(json, r->fields[CCFC_FIELD_SIDECHAIN]);
	struct ccfc_slice typed;

	if (aside)
		return ccfc_json_is_string(json, r->more[CCFC_TALK_PARENT])
			       ? CCFC_TALK_TEXT
			       : CCFC_TALK_AGENT;
	if (ccfc_json_is_true(json, r->fields[CCFC_FIELD_META]) ||
	    !ccfc_asked_is(reader->parser, r->fields, &typed))
		return CCFC_TALK_TEXT;
	return CCFC_TALK_PROMPT;
}

/* The event that is the record's text as a whole, if it has one. */
static bool whole(struct ccfc_talk_reader *reader, struct ccfc_talk_events *e)
{
	const struct ccfc_talk_record *r = e->record;

	e->whole = true;
	e->text = 0;
	switch (r->kind) {
	case CCFC_TALK_USER:
		if (!has_text(reader, r))
			return false;
		e->type = e->counting ? CCFC_TALK_TEXT : user_type(reader, r);
		return true;
	case CCFC_TALK_ASSISTANT:
		e->type = CCFC_TALK_TEXT;
		return !r->first &&
		       ccfc_json_string(&reader->parser->json, r->content).len;
	case CCFC_TALK_SYSTEM:
		e->type = ccfc_slice_is(
				  ccfc_json_string(&reader->parser->json,
						   r->more[CCFC_TALK_SUBTYPE]),
				  "compact_boundary")
				  ? CCFC_TALK_COMPACTION
				  : CCFC_TALK_NOTE;
		return true;
	case CCFC_TALK_SUMMARY:
		e->type = CCFC_TALK_NOTE;
		return true;
	default:
		return false;
	}
}

/* Is the block at hand an event of its own? */
static bool is_event(struct ccfc_talk_reader *reader,
		     struct ccfc_talk_events *e, uint32_t at)
{
	struct ccfc_json *json = &reader->parser->json;
	struct ccfc_slice type = type_of(json, e->block);

	if (e->record->kind == CCFC_TALK_USER) {
		e->type = CCFC_TALK_RESULT;
		return ccfc_slice_is(type, "tool_result");
	}
	e->text = 0;
	if (ccfc_slice_is(type, "text")) {
		e->type = CCFC_TALK_TEXT;
		e->text = e->block[CCFC_BLOCK_TEXT];
	} else if (ccfc_slice_is(type, "thinking") && at != CCFC_BLOCK_ROOT) {
		e->type = CCFC_TALK_THINKING;
		ccfc_json_fields(json, at, &reader->block_keys, &e->text);
	} else {
		e->type = CCFC_TALK_CALL;
		return ccfc_slice_is(type, "tool_use");
	}
	return true;
}

bool ccfc_talk_events_next(struct ccfc_talk_reader *reader,
			   struct ccfc_talk_events *e)
{
	if (!e->begun) {
		e->begun = true;
		e->at = e->record->first;
		if (whole(reader, e))
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

void ccfc_talk_seek(struct ccfc_talk_moment *out, const struct ccfc_talk *talk,
		    bool thinking, uint64_t offset)
{
	*out = (struct ccfc_talk_moment){ .at = talk->lines.n };
	for (uint32_t i = 0; i < talk->lines.n; i++) {
		const struct ccfc_talk_line *l =
			&talk->lines.items[talk->order[i]];
		uint32_t n = l->events + (thinking ? l->thoughts : 0);

		if (l->again || !n)
			continue;
		if (offset >= out->total && offset < out->total + n) {
			out->at = i;
			out->skip = (uint32_t)(offset - out->total);
		}
		out->total += n;
	}
}

/*
 * Fuzzes the reading of one line: as a record, and as the lines that the
 * content of each of its changes is read from.
 */
#include "fuzz.h"
#include "transcript/content/change_text.h"
#include "transcript/record.h"

#define PADDING 64u

static void read_content(struct ccfc_parser *parser, struct ccfc_slice id,
			 uint32_t part, struct ccfc_slice line)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_change_text content;

	if (ccfc_content_read(parser, &content, id, part, line, line, &arena))
		FUZZ_REQUIRE(!content.nedits || content.edits);
	ccfc_arena_release(&arena);
}

/* Ids are copied: reading content ends the record that they are from. */
static void read_contents(struct ccfc_parser *parser, struct ccfc_slice line)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_record record;
	struct ccfc_slice id = CCFC_SLICE_NONE;

	ccfc_record_parse(parser, &record, line);
	FUZZ_REQUIRE(record.title.len <= CCFC_TITLE_MAX);
	FUZZ_REQUIRE(record.typed.len <= CCFC_TYPED_MAX);
	for (uint32_t i = 0; i < record.ncalls; i++)
		FUZZ_REQUIRE(record.calls[i].part < record.calls[i].nparts ||
			     !record.calls[i].nparts);
	if (record.ncalls)
		id = ccfc_arena_copy(&arena, record.calls[0].id);
	else if (record.nresults)
		id = ccfc_arena_copy(&arena, record.results[0].id);
	read_content(parser, id, 0, line);
	read_content(parser, id, 1, line);
	ccfc_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_parser *parser;
	char *copy;

	if (size > FUZZ_MAX)
		return 0;
	parser = ccfc_parser_new(NULL);
	copy = fuzz_copy(data, size, PADDING, '}');
	read_contents(parser, ccfc_slice(copy, size));
	free(copy);
	ccfc_parser_free(parser);
	return 0;
}

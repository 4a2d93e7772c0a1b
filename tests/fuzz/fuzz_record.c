/*
 * Fuzzes the reading of one line: as a record, and as the lines that the
 * content of each of its changes is read from. Built with CCFC_FUZZ_MAIN it
 * replays the files that are named on its command line instead.
 */
#include "base/alloc.h"
#include "transcript/content/change_text.h"
#include "transcript/record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PADDING	  64u
#define MAX_INPUT (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_content(struct ccfc_parser *parser, struct ccfc_slice id,
			 uint32_t part, struct ccfc_slice line)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_change_text content;

	ccfc_content_read(parser, &content, id, part, line, line, &arena);
	ccfc_arena_release(&arena);
}

/* The id is copied: reading content ends the record that it is from. */
static struct ccfc_slice first_id(struct ccfc_arena *arena,
				  const struct ccfc_record *record)
{
	if (record->ncalls)
		return ccfc_arena_copy(arena, record->calls[0].id);
	if (record->nresults)
		return ccfc_arena_copy(arena, record->results[0].id);
	return CCFC_SLICE_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ccfc_parser *parser;
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_record record;
	struct ccfc_slice line;
	char *copy;

	if (!parser)
		parser = ccfc_parser_new(NULL);
	if (size > MAX_INPUT)
		return 0;
	copy = ccfc_malloc(size + PADDING);
	if (size)
		memcpy(copy, data, size);
	memset(copy + size, '}', PADDING);
	line = ccfc_slice(copy, size);
	ccfc_record_parse(parser, &record, line);
	read_content(parser, first_id(&arena, &record), 0, line);
	ccfc_arena_release(&arena);
	free(copy);
	return 0;
}

#ifdef CCFC_FUZZ_MAIN
static void replay(const char *name)
{
	uint8_t *data = ccfc_malloc(MAX_INPUT);
	FILE *file = fopen(name, "rb");

	if (file) {
		LLVMFuzzerTestOneInput(data, fread(data, 1, MAX_INPUT, file));
		fclose(file);
	}
	free(data);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
#endif

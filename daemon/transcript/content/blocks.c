/* Blocks of a record; see blocks.h. */
#include "transcript/content/blocks.h"

bool ccfc_blocks_open(struct ccfc_blocks *b, struct ccfc_parser *parser,
		      struct ccfc_slice line, enum ccfc_record_kind kind,
		      const char *type)
{
	b->parser = parser;
	b->type = type;
	b->at = 0;
	if (!ccfc_parser_open(parser, line, b->fields))
		return false;
	b->kind = ccfc_parser_kind(parser, b->fields);
	if (kind != CCFC_RECORD_KINDS && b->kind != kind)
		return false;
	b->at = ccfc_parser_first_block(parser, b->fields,
					ccfc_parser_content(parser, b->fields));
	return true;
}

bool ccfc_blocks_next(struct ccfc_blocks *b)
{
	while (b->at) {
		ccfc_parser_block(b->parser, b->at, b->block);
		b->at = ccfc_parser_next_block(b->parser, b->at);
		if (ccfc_slice_is(ccfc_json_string(&b->parser->json,
						   b->block[CCFC_BLOCK_TYPE]),
				  b->type))
			return true;
	}
	return false;
}

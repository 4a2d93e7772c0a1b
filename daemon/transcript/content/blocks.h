/* The blocks of one type in a record of one kind, one after another. */
#ifndef CCFC_TRANSCRIPT_CONTENT_BLOCKS_H
#define CCFC_TRANSCRIPT_CONTENT_BLOCKS_H

#include "transcript/record_internal.h"

struct ccfc_blocks {
	struct ccfc_parser *parser;
	const char *type;		   /* may be set anew at the start */
	enum ccfc_record_kind kind;	   /* of the record */
	uint32_t fields[CCFC_FIELD_COUNT]; /* of the record */
	uint32_t block[CCFC_BLOCK_COUNT];  /* of the block at hand */
	uint32_t at;			   /* the next one */
};

/*
 * Reads `line`; false when it is no record of that kind (CCFC_RECORD_KINDS:
 * of any), and then there are no blocks. `type` is a literal. The caller ends
 * with ccfc_parser_done.
 */
bool ccfc_blocks_open(struct ccfc_blocks *b, struct ccfc_parser *parser,
		      struct ccfc_slice line, enum ccfc_record_kind kind,
		      const char *type);

/* The next block, in b->block. */
bool ccfc_blocks_next(struct ccfc_blocks *b);

#endif

/* The blocks of one type in a record of one kind, one after another. */
#ifndef CCFC_TRANSCRIPT_CONTENT_BLOCKS_H
#define CCFC_TRANSCRIPT_CONTENT_BLOCKS_H

#include "transcript/record_internal.h"

struct ccfc_blocks {
	struct ccfc_parser *parser;
	/* may be changed before the first block */
	const char *type;
	enum ccfc_record_kind kind;	   /* of the record */
	uint32_t fields[CCFC_FIELD_COUNT]; /* of the record */
	uint32_t block[CCFC_BLOCK_COUNT];  /* of the current block */
	uint32_t at;			   /* the next block */
};

/*
 * Reads `line`. False if it is not a record of that kind (CCFC_RECORD_KINDS: of
 * any kind); then there are no blocks. `type` is a literal. The caller calls
 * ccfc_parser_done at the end.
 */
bool ccfc_blocks_open(struct ccfc_blocks *b, struct ccfc_parser *parser,
		      struct ccfc_slice line, enum ccfc_record_kind kind,
		      const char *type);

/* The next block, in b->block. */
bool ccfc_blocks_next(struct ccfc_blocks *b);

#endif

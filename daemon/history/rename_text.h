/*
 * Files that commands of a shell moved or copied: what "mv a b" and "cp a b"
 * left in b is what a was at that moment, by a's own chain.
 */
#ifndef CCFC_HISTORY_RENAME_TEXT_H
#define CCFC_HISTORY_RENAME_TEXT_H

#include "history/chain/chain.h"

/*
 * The texts that were moved or copied to the file, and a number that differs
 * when they do. Opens the chains of the files that they came from, with `depth`
 * + 1. The caller releases the texts, or moves them into a chain.
 */
void ccfc_rename_find(struct ccfc_rename_texts *out,
		      struct ccfc_history *history, uint32_t file,
		      uint32_t depth);
size_t ccfc_rename_bytes(const struct ccfc_rename_texts *moved);
void ccfc_rename_release(struct ccfc_rename_texts *moved);

#endif

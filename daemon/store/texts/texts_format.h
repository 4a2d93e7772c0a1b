/* The format of a text in the file; within store/ only. See texts.h. */
#ifndef CCFC_STORE_TEXTS_TEXTS_FORMAT_H
#define CCFC_STORE_TEXTS_TEXTS_FORMAT_H

#include "base/hash.h"
#include "store/texts/texts.h"

/* The file begins with this; the first head follows. */
struct ccfc_texts_begin {
	char magic[16];
	uint64_t id;
	uint64_t none; /* zero */
};

#define CCFC_TEXTS_MAGIC "ccfc texts 1\n\n\n" /* with its NUL 16 bytes */
#define CCFC_TEXTS_START sizeof(struct ccfc_texts_begin)

/* Up to so many wrong bits of 256, the file still counts as this store's. */
#define CCFC_TEXTS_WRONG_BITS 8

enum ccfc_texts_whose {
	CCFC_TEXTS_OURS,
	CCFC_TEXTS_MENDED, /* ours, once its damaged beginning is repaired */
	CCFC_TEXTS_OTHERS,
};

/* texts_write.c: is it the file of this id? */
enum ccfc_texts_whose ccfc_texts_is_of(const struct ccfc_texts_begin *begin,
				       uint64_t id);

/* Cannot occur in valid UTF-8. */
#define CCFC_TEXT_MAGIC 0xfe7ec0ffu

#define CCFC_TEXTS_HEAD sizeof(struct ccfc_text_head)
/* The start of the bytes that the checksum covers, up to the text's end. */
#define CCFC_TEXTS_CHECKED offsetof(struct ccfc_text_head, time)

/* Bytes of a head, its text and the zeros behind it. */
static inline uint64_t ccfc_texts_room(uint64_t len)
{
	return (CCFC_TEXTS_HEAD + len + 7) & ~(uint64_t)7;
}

/* The checksum of the head at `at`, which its text of `len` bytes follows. */
static inline uint64_t ccfc_texts_check(const char *at, size_t len)
{
	return ccfc_hash(at + CCFC_TEXTS_CHECKED,
			 CCFC_TEXTS_HEAD - CCFC_TEXTS_CHECKED + len);
}

#endif

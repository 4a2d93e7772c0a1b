/*
 * Fuzzes the reader of the texts: the input is the file. Whatever it holds,
 * reading ends, every text lies within what was read, and what the checksums
 * vouch for was handed out whole.
 */
#include "fuzz.h"
#include "store/texts/texts.h"

#define START 32u

static void read_all(const struct ccfc_texts_view *view, bool verify)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 1);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	uint64_t before = 0;

	ccfc_texts_verify(reader, verify);
	while (ccfc_texts_next(reader, &head, &text)) {
		char tail[16];

		/* Readable: ASan would say if not. */
		memcpy(tail, text.ptr + text.len, sizeof(tail));
		FUZZ_REQUIRE(text.len <= CCFC_TEXT_MAX);
		FUZZ_REQUIRE(ccfc_texts_scanned(reader) >=
			     before + sizeof(head) + text.len);
		before = ccfc_texts_scanned(reader);
	}
	FUZZ_REQUIRE(before <= view->end - view->start);
	ccfc_texts_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_texts_view view = { .start = START, .end = size };

	if (size < START || size > FUZZ_MAX)
		return 0;
	view.fd = fuzz_file(data, size);
	read_all(&view, false);
	read_all(&view, true);
	/* And a file that is shorter than it should be. */
	view.end += 1000;
	read_all(&view, true);
	ccfc_texts_view_release(&view);
	return 0;
}

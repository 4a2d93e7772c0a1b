/*
 * Fuzzes the reader of the texts: the input is the file. Whatever it holds,
 * reading ends, every text lies within what was read, and what the checksums
 * vouch for was handed out whole. Built with CCFC_FUZZ_MAIN it replays the
 * files that are named on its command line instead.
 */
#include "base/alloc.h"
#include "store/texts/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_INPUT (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const struct ccfc_texts_view *view, bool verify)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 1);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	uint64_t before = 0;

	ccfc_texts_verify(reader, verify);
	while (ccfc_texts_next(reader, &head, &text)) {
		char tail[16];

		memcpy(tail, text.ptr + text.len, sizeof(tail));
		if (ccfc_texts_scanned(reader) < before + 72 + text.len)
			abort();
		before = ccfc_texts_scanned(reader);
	}
	if (before > view->end - view->start)
		abort();
	ccfc_texts_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_texts_view view = { .start = 32, .end = size };

	if (size < 32 || size > MAX_INPUT)
		return 0;
	view.fd = memfd_create("texts", MFD_CLOEXEC);
	if (view.fd < 0 || write(view.fd, data, size) != (ssize_t)size)
		abort();
	read_all(&view, false);
	read_all(&view, true);
	/* And a file that is shorter than it should be. */
	view.end += 1000;
	read_all(&view, true);
	ccfc_texts_view_release(&view);
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

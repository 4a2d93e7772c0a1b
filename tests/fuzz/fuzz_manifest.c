/*
 * Fuzzes the manifest of an undo entry, by which files are deleted and put
 * back. One that is accepted names absolute paths and temporary files of our
 * own only, and is the same after it was written and read again.
 */
#include "base/buf.h"
#include "cli/undo/manifest.h"
#include "fuzz.h"

static void check_file(const struct ccfc_undo_file *file)
{
	FUZZ_REQUIRE(file->path[0] == '/');
	FUZZ_REQUIRE(!strncmp(file->temp, ".ccfc-", 6));
	FUZZ_REQUIRE(!strchr(file->temp, '/'));
	FUZZ_REQUIRE(file->attr.mode <= 07777);
}

/* Writes it, and reads that: the same text comes of it. */
static void check_again(const struct ccfc_manifest *m)
{
	struct ccfc_buf text = CCFC_BUF_INIT, again = CCFC_BUF_INIT;
	struct ccfc_manifest copy;

	ccfc_manifest_write(&text, m);
	ccfc_manifest_init(&copy, "");
	FUZZ_REQUIRE(!ccfc_manifest_read(&copy, ccfc_buf_view(&text), NULL));
	FUZZ_REQUIRE(copy.files.n == m->files.n);
	ccfc_manifest_write(&again, &copy);
	FUZZ_REQUIRE(
		ccfc_slice_eq(ccfc_buf_view(&text), ccfc_buf_view(&again)));
	ccfc_manifest_release(&copy);
	ccfc_buf_release(&text);
	ccfc_buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_manifest m;
	char *copy;

	if (size > FUZZ_MAX)
		return 0;
	copy = fuzz_copy(data, size, 0, 0);
	ccfc_manifest_init(&m, "");
	if (!ccfc_manifest_read(&m, ccfc_slice(copy, size), NULL)) {
		FUZZ_REQUIRE(m.files.n <= CCFC_MANIFEST_FILES);
		for (uint32_t i = 0; i < m.files.n; i++)
			check_file(&m.files.items[i]);
		check_again(&m);
	}
	ccfc_manifest_release(&m);
	free(copy);
	return 0;
}

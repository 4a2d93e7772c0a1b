/*
 * Fuzzes the reader of JSON that peers of `ccfc mcp` and `ccfc lsp` send. What
 * it takes can be written, and what was written reads as the same.
 */
#include "fuzz.h"
#include "wire/from_json.h"
#include "wire/obj.h"
#include "wire/to_json.h"

/* False: the text is no JSON. */
static bool through(struct ccfc_buf *out, struct ccfc_slice text)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_err err;
	int code = ccfc_json_read(&packed, text, &err);

	if (!code) {
		code = ccfc_doc_parse(&doc, ccfc_buf_view(&packed), &err);
		FUZZ_REQUIRE(!code);
		ccfc_json_write(out, ccfc_doc_root(doc), 0);
	} else {
		FUZZ_REQUIRE(err.what[0] != '\0');
	}
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	return !code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_buf once = CCFC_BUF_INIT, twice = CCFC_BUF_INIT;

	if (size > FUZZ_MAX)
		return 0;
	if (through(&once, ccfc_slice((const char *)data, size))) {
		FUZZ_REQUIRE(through(&twice, ccfc_buf_view(&once)));
		FUZZ_REQUIRE(ccfc_slice_eq(ccfc_buf_view(&once),
					   ccfc_buf_view(&twice)));
	}
	ccfc_buf_release(&once);
	ccfc_buf_release(&twice);
	return 0;
}

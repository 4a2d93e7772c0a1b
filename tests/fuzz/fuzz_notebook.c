/*
 * Fuzzes the reading of JSON as JavaScript sees it, which notebooks are
 * written with: what was printed is printed the same when it is read again.
 */
#include "fuzz.h"
#include "history/step/js_json.h"

static bool print(struct ccfc_buf *out, struct ccfc_slice text)
{
	struct ccfc_js_doc doc;
	bool ok;

	ccfc_js_doc_init(&doc);
	ok = ccfc_js_doc_read(&doc, text) && ccfc_js_put(out, &doc, 0, 0);
	ccfc_js_doc_release(&doc);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_buf once = CCFC_BUF_INIT, twice = CCFC_BUF_INIT;
	char *copy;

	if (size > 65536)
		return 0;
	copy = fuzz_copy(data, size, 0, 0);
	if (print(&once, ccfc_slice(copy, size))) {
		FUZZ_REQUIRE(print(&twice, ccfc_buf_view(&once)));
		FUZZ_REQUIRE(ccfc_slice_eq(ccfc_buf_view(&once),
					   ccfc_buf_view(&twice)));
	}
	free(copy);
	ccfc_buf_release(&once);
	ccfc_buf_release(&twice);
	return 0;
}

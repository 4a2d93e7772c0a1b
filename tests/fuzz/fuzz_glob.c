/*
 * Fuzzes path patterns: a base, a pattern and paths, a line each. Whatever
 * they are, matching ends within the steps that it was granted and says the
 * same each time; and a base and a name that are put into a pattern stand for
 * themselves.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "index/query/glob.h"

#define STEPS	  100000u
#define INPUT_MAX 16384u

/* Does `pattern` from `base` match? -1: there is no such pattern. */
static int matches(struct ccfc_slice pattern, struct ccfc_slice base,
		   struct ccfc_slice path)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_glob *glob = NULL;
	int found = -1;

	if (!ccfc_glob_anchor(&text, pattern, base, NULL) &&
	    !ccfc_glob_new(&glob, ccfc_buf_view(&text), NULL)) {
		ccfc_glob_grant(glob, STEPS);
		found = ccfc_glob_match(glob, path);
		if (!ccfc_glob_is_spent(glob))
			FUZZ_REQUIRE(ccfc_glob_match(glob, path) == found ||
				     ccfc_glob_is_spent(glob));
		ccfc_glob_free(glob);
	}
	ccfc_buf_release(&text);
	return found;
}

/* The base is no pattern: what is directly below it is found with "*". */
static void check_base(struct ccfc_slice base)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int found;

	ccfc_buf_slice(&path, base);
	ccfc_buf_puts(&path, "/x");
	found = matches(ccfc_slice_str("*"), base, ccfc_buf_view(&path));
	FUZZ_REQUIRE(found != 0);
	ccfc_buf_release(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_slice rest, base, pattern;
	char *copy;

	if (size > INPUT_MAX)
		return 0;
	copy = fuzz_copy(data, size, 0, 0);
	rest = ccfc_slice(copy, size);
	base = fuzz_line(&rest);
	pattern = fuzz_line(&rest);
	while (rest.len)
		matches(pattern, base, fuzz_line(&rest));
	/* Normal bases only, as requests have them (serve/rpc/args.c). */
	if (base.len > 1 && base.len < 1000 && base.ptr[0] == '/' &&
	    base.ptr[base.len - 1] != '/' &&
	    !memmem(base.ptr, base.len, "//", 2) &&
	    !memmem(base.ptr, base.len, "/.", 2))
		check_base(base);
	free(copy);
	return 0;
}

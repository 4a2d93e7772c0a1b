/*
 * Fuzzes what a connection sends: frames, messages, options, and the JSON that
 * a client makes of a value. The first byte says in how large pieces the rest
 * arrives (0: at once); that makes no difference.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "serve/rpc/options.h"
#include "wire/frame.h"
#include "wire/rpc.h"
#include "wire/to_json.h"

static bool bounded(const struct ccfc_slices *list)
{
	return list->n <= 1024;
}

static void read_options(struct ccfc_obj params)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_options o = { .limit = 1 };
	struct ccfc_err err;

	if (!ccfc_options_read(&o, "fuzz", params, ~(uint64_t)0, 0, &arena,
			       &err)) {
		FUZZ_REQUIRE(o.limit >= 1 && o.limit <= 100000);
		FUZZ_REQUIRE(o.offset >= 0);
		FUZZ_REQUIRE(o.max_content >= 0 &&
			     o.max_content <= CCFC_MAX_CONTENT_MAX);
		FUZZ_REQUIRE(o.context >= 0 && o.context <= 100000);
		FUZZ_REQUIRE(o.alternatives.n <= 8);
		FUZZ_REQUIRE(bounded(&o.directories) && bounded(&o.tools) &&
			     bounded(&o.extensions) && bounded(&o.paths) &&
			     bounded(&o.keywords) && bounded(&o.in));
	}
	ccfc_arena_release(&arena);
}

/* One whole value. */
static void read_value(struct ccfc_slice bytes)
{
	struct ccfc_buf json = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_rpc rpc;
	struct ccfc_err err;

	if (ccfc_doc_parse(&doc, bytes, &err))
		return;
	if (!ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), &err) &&
	    rpc.type == CCFC_MSG_REQUEST)
		read_options(rpc.params);
	ccfc_json_write(&json, ccfc_doc_root(doc), 0);
	FUZZ_REQUIRE(json.len > 0);
	ccfc_buf_release(&json);
	ccfc_doc_free(doc);
}

struct outcome {
	uint64_t values;
	size_t taken; /* bytes of them */
	int end;      /* 0: more is needed; else the error */
};

/* Each piece is a copy of its own: what is behind it has not come yet. */
static struct outcome receive(struct ccfc_slice in, size_t piece, bool read)
{
	struct outcome o = { 0 };
	struct ccfc_framer framer;
	size_t have = piece < in.len ? piece : in.len, len = 0;

	ccfc_framer_init(&framer, &ccfc_frame_request);
	for (;;) {
		size_t n = have - o.taken;
		char *copy = fuzz_copy(in.ptr + o.taken, n, 0, 0);

		o.end = ccfc_framer_next(&framer, &len, ccfc_slice(copy, n),
					 NULL);
		if (o.end == 1) {
			FUZZ_REQUIRE(len > 0 && len <= n);
			if (read)
				read_value(ccfc_slice(copy, len));
			o.values++;
			o.taken += len;
		}
		free(copy);
		if (o.end < 0 || (!o.end && have == in.len))
			return o;
		if (!o.end)
			have += piece < in.len - have ? piece : in.len - have;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, pieces;
	struct ccfc_slice in;

	if (!size || size > 65536)
		return 0;
	in = ccfc_slice((const char *)data + 1, size - 1);
	whole = receive(in, in.len + 1, true);
	if (!data[0])
		return 0;
	pieces = receive(in, data[0], false);
	FUZZ_REQUIRE(whole.values == pieces.values);
	FUZZ_REQUIRE(whole.taken == pieces.taken);
	FUZZ_REQUIRE(whole.end == pieces.end);
	return 0;
}

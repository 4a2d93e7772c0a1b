/* A file's state in history; see old_content.h. */
#include "cli/write/old_content.h"

#include "base/sha256.h"

static enum ccfc_old_content_how read_how(struct ccfc_slice fidelity)
{
	if (ccfc_slice_is(fidelity, "exact"))
		return CCFC_OLD_CONTENT_EXACT;
	if (ccfc_slice_is(fidelity, "reconstructed"))
		return CCFC_OLD_CONTENT_RECONSTRUCTED;
	if (ccfc_slice_is(fidelity, "partial"))
		return CCFC_OLD_CONTENT_PARTIAL;
	return CCFC_OLD_CONTENT_NOTHING;
}

static void set_unknown(struct ccfc_old_content *past, struct ccfc_slice why)
{
	past->how = CCFC_OLD_CONTENT_NOTHING;
	past->fidelity = CCFC_SLICE_LIT("unknown");
	past->why = why;
}

static bool has_hash(struct ccfc_slice content, struct ccfc_slice sha256)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_sha256_hex(hex, content);
	return ccfc_slice_is(sha256, hex);
}

/* Known content must be complete, with the right hash. */
static void check_content(struct ccfc_old_content *past, struct ccfc_obj reply)
{
	struct ccfc_obj s = ccfc_obj_get(reply, "state");
	struct ccfc_obj content = ccfc_obj_get(s, "content");
	enum ccfc_obj_type type = ccfc_obj_type(content);

	past->content = ccfc_obj_str(content);
	if (ccfc_obj_get_bool(reply, "truncated", false) ||
	    ccfc_obj_get_bool(s, "truncated", false))
		set_unknown(past, CCFC_SLICE_LIT("the content is too long to "
						 "be sent"));
	else if (type != CCFC_OBJ_STR && type != CCFC_OBJ_BIN)
		set_unknown(past, CCFC_SLICE_LIT("the daemon sent no content"));
	else if (past->sha256.len && !has_hash(past->content, past->sha256))
		set_unknown(past, CCFC_SLICE_LIT("the content does not match "
						 "its SHA-256"));
}

void ccfc_old_content_read(struct ccfc_old_content *past, struct ccfc_obj reply)
{
	struct ccfc_obj s = ccfc_obj_get(reply, "state");

	*past = (struct ccfc_old_content){
		.fidelity = ccfc_obj_get_str(s, "fidelity"),
		.source = ccfc_obj_get_str(s, "source"),
		.why = ccfc_obj_get_str(s, "why"),
		.sha256 = ccfc_obj_get_str(s, "sha256"),
		.parts = ccfc_obj_get(s, "known"),
	};
	past->how = read_how(past->fidelity);
	if (!past->fidelity.len)
		past->fidelity = CCFC_SLICE_LIT("unknown");
	if (!ccfc_obj_get_bool(s, "exists", true))
		past->how = CCFC_OLD_CONTENT_ABSENT;
	if (past->how == CCFC_OLD_CONTENT_EXACT ||
	    past->how == CCFC_OLD_CONTENT_RECONSTRUCTED)
		check_content(past, reply);
}

void ccfc_old_content_words(struct ccfc_buf *out,
			    const struct ccfc_old_content *past)
{
	ccfc_buf_slice(out, past->fidelity);
	if (!past->why.len)
		return;
	ccfc_buf_puts(out, ": ");
	ccfc_buf_slice(out, past->why);
}

bool ccfc_old_content_is_binary(struct ccfc_slice content)
{
	return content.len && memchr(content.ptr, '\0', content.len);
}

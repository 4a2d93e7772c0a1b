/*
 * The rest of a transcript, after its segments. A manifest has the rest in it,
 * stored like a segment (line_order.h), but with the session's id.
 */
#include "archive/archive_internal.h"
#include "archive/cut.h"
#include "archive/line_order.h"

int ccfc_archive_pack_rest(struct ccfc_archive_version *v,
			   struct ccfc_archive *archive,
			   struct ccfc_slice bytes, struct ccfc_err *err)
{
	struct ccfc_buf ordered = CCFC_BUF_INIT, packed = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts;
	uint32_t runs = 0;
	int r = 0;

	if (bytes.len) {
		runs = ccfc_order_lines(&ordered, &parts, bytes);
		if (runs > CCFC_REST_RUNS_MAX) {
			ccfc_buf_clear(&ordered);
			ccfc_buf_slice(&ordered, bytes);
			runs = 0;
			parts.n = 1;
		}
		r = ccfc_blob_pack(&packed, archive->blobs,
				   ccfc_buf_view(&ordered), &parts, err);
	}
	ccfc_buf_release(&ordered);
	if (r) {
		ccfc_buf_release(&packed);
		return r;
	}
	ccfc_buf_release(&v->rest);
	v->rest = packed;
	v->rest_runs = runs;
	v->rest_no_note = ccfc_lines_have_no_note(bytes);
	return 0;
}

int ccfc_archive_unpack_rest(struct ccfc_buf *out, struct ccfc_archive *archive,
			     const struct ccfc_archive_version *v)
{
	struct ccfc_buf stored = CCFC_BUF_INIT;
	struct ccfc_ordered ordered = {
		.len = (size_t)(v->end - ccfc_archive_version_cut(v)),
		.runs = v->rest_runs,
	};
	int r = ccfc_blob_unpack(
		&stored, archive->blobs, ccfc_buf_view(&v->rest),
		ccfc_ordered_max(ordered.len, ordered.runs), NULL);

	ordered.bytes = stored.ptr;
	if (!r && (!ccfc_ordered_measure(&ordered, stored.len) ||
		   !ccfc_ordered_is_valid(&ordered)))
		r = CCFC_ECORRUPT;
	if (!r) {
		ccfc_ordered_undo(ccfc_buf_reserve(out, ordered.len), &ordered);
		out->len += ordered.len;
	}
	ccfc_buf_release(&stored);
	return r;
}

/*
 * Pages as JSON: the daemon's replies, with the items of all pages in one list,
 * written as they arrive. See show.h.
 */
#include "cli/conversation/show.h"

#include "cli/out/render.h"
#include "wire/to_json.h"

/* The fields of a reply, without the list and `truncated`, which come last. */
static void put_fields(struct ccfc_buf *buf, struct ccfc_obj root,
		       const char *list)
{
	for (uint32_t i = 0; i < ccfc_obj_len(root); i++) {
		struct ccfc_slice key = ccfc_obj_str(ccfc_obj_key_at(root, i));

		if (ccfc_slice_is(key, list) || ccfc_slice_is(key, "truncated"))
			continue;
		ccfc_json_string(buf, key);
		ccfc_buf_puts(buf, ": ");
		ccfc_json_write(buf, ccfc_obj_value_at(root, i), 0);
		ccfc_buf_puts(buf, ",\n");
	}
	ccfc_json_string(buf, ccfc_slice_str(list));
	ccfc_buf_puts(buf, ": [");
}

int64_t ccfc_show_json(struct ccfc_out *out, struct ccfc_pages *pages,
		       struct ccfc_err *err)
{
	struct ccfc_obj root;
	int64_t n = 0;
	bool begun = false;
	int code = 0;

	while (!out->error && (code = ccfc_pages_next(pages, &root, err)) > 0) {
		struct ccfc_obj list = ccfc_obj_get(root, pages->list);

		if (!begun) {
			ccfc_buf_puts(&out->buf, "{\n");
			put_fields(&out->buf, root, pages->list);
			begun = true;
		}
		for (uint32_t i = 0; i < pages->n; i++, n++) {
			ccfc_buf_puts(&out->buf, n ? ",\n" : "\n");
			ccfc_json_write(&out->buf, ccfc_obj_at(list, i), 0);
			ccfc_out_check(out);
		}
	}
	if (code < 0)
		return code;
	ccfc_buf_printf(&out->buf, "\n],\n\"truncated\": %s\n}",
			pages->truncated ? "true" : "false");
	return n;
}

int64_t ccfc_show_jsonl(struct ccfc_out *out, struct ccfc_pages *pages,
			struct ccfc_err *err)
{
	struct ccfc_obj root;
	int64_t n = 0;
	int code = 0;

	while (!out->error && (code = ccfc_pages_next(pages, &root, err)) > 0) {
		struct ccfc_obj list = ccfc_obj_get(root, pages->list);

		for (uint32_t i = 0; i < pages->n; i++, n++)
			ccfc_render_json(out, ccfc_obj_at(list, i), 0);
	}
	return code < 0 ? code : n;
}

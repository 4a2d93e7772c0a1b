/* The documents that are open in the editor; see lsp.h. */
#include "base/alloc.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "cli/lsp/lsp.h"
#include "cli/out/safe.h"

#include <stdlib.h>

#define DOCS_MAX     1000
#define PATH_MAX_URI 4096

char *ccfc_lsp_path(struct ccfc_slice uri)
{
	static const char scheme[] = "file://";
	struct ccfc_buf path = CCFC_BUF_INIT;

	if (!ccfc_slice_starts(uri, scheme) || uri.len > 3 * PATH_MAX_URI)
		return NULL;
	uri = ccfc_slice_from(uri, sizeof(scheme) - 1);
	if (ccfc_slice_starts(uri, "localhost/"))
		uri = ccfc_slice_from(uri, sizeof("localhost") - 1);
	ccfc_hex_unpercent(&path, uri);
	if (path.len && *path.ptr == '/' && path.len <= PATH_MAX_URI &&
	    !memchr(path.ptr, '\0', path.len))
		return ccfc_buf_detach(&path, NULL);
	ccfc_buf_release(&path);
	return NULL;
}

static struct ccfc_lsp_doc *find_doc(struct ccfc_lsp *lsp,
				     struct ccfc_slice uri)
{
	for (uint32_t i = 0; i < lsp->docs.n; i++)
		if (ccfc_slice_is(uri, lsp->docs.items[i].uri))
			return &lsp->docs.items[i];
	return NULL;
}

struct ccfc_lsp_doc *ccfc_lsp_doc(struct ccfc_lsp *lsp, struct ccfc_obj params)
{
	struct ccfc_obj doc = ccfc_obj_get(params, "textDocument");

	return find_doc(lsp, ccfc_obj_get_str(doc, "uri"));
}

static void release_doc(struct ccfc_lsp_doc *doc)
{
	free(doc->uri);
	free(doc->path);
	ccfc_buf_release(&doc->text);
}

/* The text with "\n" after each line, as the daemon has lines. */
static void set_text(struct ccfc_lsp_doc *doc, struct ccfc_obj text)
{
	struct ccfc_slice s = ccfc_obj_str(text);

	ccfc_buf_clear(&doc->text);
	doc->known = ccfc_obj_is_str(text);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\r' && i + 1 < s.len && s.ptr[i + 1] == '\n')
			continue;
		ccfc_buf_putc(&doc->text, s.ptr[i] == '\r' ? '\n' : s.ptr[i]);
	}
}

void ccfc_lsp_did_open(struct ccfc_lsp *lsp, struct ccfc_obj params)
{
	struct ccfc_obj given = ccfc_obj_get(params, "textDocument");
	struct ccfc_slice uri = ccfc_obj_get_str(given, "uri");
	struct ccfc_lsp_doc doc = { .current = -1 };

	ccfc_lsp_did_close(lsp, params);
	doc.path = ccfc_lsp_path(uri);
	if (!doc.path || lsp->docs.n >= DOCS_MAX ||
	    memchr(uri.ptr, '\0', uri.len)) {
		free(doc.path);
		return;
	}
	doc.uri = ccfc_malloc(uri.len + 1);
	memcpy(doc.uri, uri.ptr, uri.len);
	doc.uri[uri.len] = '\0';
	ccfc_buf_init(&doc.text);
	set_text(&doc, ccfc_obj_get(given, "text"));
	CCFC_VEC_PUSH(lsp->docs, doc);
}

/* The server asks for whole texts; a partial change is ignored. */
void ccfc_lsp_did_change(struct ccfc_lsp *lsp, struct ccfc_obj params)
{
	struct ccfc_obj changes = ccfc_obj_get(params, "contentChanges");
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);
	uint32_t n = ccfc_obj_len(changes);

	for (uint32_t i = 0; doc && i < n; i++) {
		struct ccfc_obj change = ccfc_obj_at(changes, i);

		if (ccfc_obj_type(ccfc_obj_get(change, "range")) ==
		    CCFC_OBJ_MAP)
			doc->known = false;
		else
			set_text(doc, ccfc_obj_get(change, "text"));
	}
}

void ccfc_lsp_did_close(struct ccfc_lsp *lsp, struct ccfc_obj params)
{
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);

	if (!doc)
		return;
	release_doc(doc);
	*doc = lsp->docs.items[--lsp->docs.n];
}

void ccfc_lsp_release_docs(struct ccfc_lsp *lsp)
{
	for (uint32_t i = 0; i < lsp->docs.n; i++)
		release_doc(&lsp->docs.items[i]);
	free(lsp->docs.items);
}

uint32_t ccfc_lsp_lines(const struct ccfc_lsp_doc *doc)
{
	uint32_t n = 0;

	for (size_t i = 0; i < doc->text.len; i++)
		n += doc->text.ptr[i] == '\n';
	return n;
}

uint32_t ccfc_lsp_line_length(const struct ccfc_lsp_doc *doc, int64_t line)
{
	const char *p = doc->text.ptr,
		   *end = ccfc_slice_end(ccfc_buf_view(&doc->text));
	uint32_t units = 0;

	for (; line > 0 && p < end; p++)
		line -= *p == '\n';
	while (p < end && *p != '\n')
		/* A character beyond 16 bits has two units. */
		units += ccfc_utf8_next(&p, end) > 0xffff ? 2 : 1;
	return units;
}

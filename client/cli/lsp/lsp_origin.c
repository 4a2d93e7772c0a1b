/*
 * The owners of the lines of a document; see lsp.h. The reply has the text of
 * each line, so the document is compared with exactly the text that the reply
 * describes.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "cli/frame/connect.h"
#include "cli/lsp/lsp.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "diff/diff.h"
#include "wire/pack.h"

#include <stdlib.h>

#define PROMPT_BRIEF  60
#define SESSION_SHOWN 8

int ccfc_lsp_ask(struct ccfc_reply **reply, struct ccfc_lsp *lsp,
		 const char *method, const char *path, const char *key,
		 const char *value, struct ccfc_err *err)
{
	struct ccfc_buf params = CCFC_BUF_INIT;
	struct ccfc_pack pack;
	char *real = path ? realpath(path, NULL) : NULL;
	int code;

	ccfc_pack_init(&pack, &params);
	ccfc_pack_map(&pack);
	if (path)
		ccfc_pack_kv_cstr(&pack, "path", path);
	if (real && strcmp(real, path) != 0) {
		ccfc_pack_cstr(&pack, "alternatives");
		ccfc_pack_array(&pack);
		ccfc_pack_cstr(&pack, real);
		ccfc_pack_end(&pack);
	}
	if (key)
		ccfc_pack_kv_cstr(&pack, key, value);
	ccfc_pack_end(&pack);
	code = ccfc_cli_call(reply, lsp->cli, method, ccfc_buf_view(&params),
			     err);
	ccfc_buf_release(&params);
	free(real);
	return code;
}

/* Joins the file's lines, with "\n" after each. */
static void join_lines(struct ccfc_buf *out, struct ccfc_obj lines)
{
	for (uint32_t i = 0; i < ccfc_obj_len(lines); i++) {
		ccfc_buf_slice(out, ccfc_obj_get_str(ccfc_obj_at(lines, i),
						     "content"));
		ccfc_buf_putc(out, '\n');
	}
}

/* Lines between two differences are the same lines. */
static void map_lines(struct ccfc_lsp_origin *o, const struct ccfc_diff *diff,
		      uint32_t old_lines)
{
	uint32_t a = 0, b = 0;

	for (uint32_t i = 0; i <= diff->n; i++) {
		uint32_t end = i < diff->n ? diff->blocks[i].b : o->n;

		for (; b < end && a < old_lines; a++, b++)
			o->map[b] = a + 1;
		if (i == diff->n)
			break;
		a = diff->blocks[i].a + diff->blocks[i].an;
		b = diff->blocks[i].b + diff->blocks[i].bn;
	}
}

static void compare_with_disk(struct ccfc_lsp_origin *o,
			      const struct ccfc_lsp_doc *doc)
{
	struct ccfc_buf disk = CCFC_BUF_INIT, buffer = CCFC_BUF_INIT;
	struct ccfc_split old_text, new_text;
	struct ccfc_diff diff;

	join_lines(&disk, o->lines);
	ccfc_buf_slice(&buffer, ccfc_buf_view(&doc->text));
	/* A last line without its newline is the same line. */
	if (buffer.len && buffer.ptr[buffer.len - 1] != '\n')
		ccfc_buf_putc(&buffer, '\n');
	ccfc_split(&old_text, ccfc_buf_view(&disk), &o->arena);
	ccfc_split(&new_text, ccfc_buf_view(&buffer), &o->arena);
	ccfc_diff(&diff, &old_text, &new_text, &o->arena);
	o->n = new_text.n;
	o->map = ccfc_arena_alloc(&o->arena, (o->n + 1) * sizeof(*o->map));
	memset(o->map, 0, (o->n + 1) * sizeof(*o->map));
	map_lines(o, &diff, old_text.n);
	ccfc_buf_release(&disk);
	ccfc_buf_release(&buffer);
}

int ccfc_lsp_origin(struct ccfc_lsp_origin *out, struct ccfc_lsp *lsp,
		    const struct ccfc_lsp_doc *doc, struct ccfc_err *err)
{
	int code;

	*out = (struct ccfc_lsp_origin){ 0 };
	ccfc_arena_init(&out->arena);
	code = ccfc_lsp_ask(&out->reply, lsp, CCFC_M_FILE_BLAME, doc->path,
			    NULL, NULL, err);
	if (code < 0)
		return code;
	out->root = ccfc_cli_value(out->reply);
	out->lines = ccfc_obj_get(out->root, "lines");
	if (doc->known)
		compare_with_disk(out, doc);
	return 0;
}

void ccfc_lsp_origin_release(struct ccfc_lsp_origin *origin)
{
	ccfc_reply_free(origin->reply);
	ccfc_arena_release(&origin->arena);
}

struct ccfc_obj ccfc_lsp_origin_at(const struct ccfc_lsp_origin *origin,
				   int64_t line)
{
	if (line < 0 || line >= origin->n || !origin->map[line])
		return (struct ccfc_obj){ 0 };
	return ccfc_obj_at(origin->lines, origin->map[line] - 1);
}

static void put_time(struct ccfc_buf *out, struct ccfc_obj line,
		     const char *key)
{
	ccfc_render_time(out, ccfc_obj_get(line, key), CCFC_RENDER_MINUTE);
}

static void put_safe(struct ccfc_buf *out, const char *before,
		     struct ccfc_slice text)
{
	if (!text.len)
		return;
	ccfc_buf_puts(out, before);
	ccfc_safe_append(out, text, false);
}

/* A change by a session: who, when, with what, and for which prompt. */
static void put_session(struct ccfc_buf *out, struct ccfc_obj line, bool brief)
{
	struct ccfc_slice session = ccfc_obj_get_str(line, "sessionId");
	struct ccfc_slice prompt = ccfc_obj_get_str(line, "prompt");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (brief) {
		put_safe(out, "", ccfc_slice_cut(session, SESSION_SHOWN));
		ccfc_buf_putc(out, ' ');
		put_time(out, line, "timestamp");
		ccfc_utf8_append_line(&text, prompt, PROMPT_BRIEF);
		put_safe(out, " ", ccfc_buf_view(&text));
	} else {
		put_safe(out, "session ", session);
		put_safe(out, ", ", ccfc_obj_get_str(line, "model"));
		ccfc_buf_puts(out, ", ");
		put_time(out, line, "timestamp");
		put_safe(out, "\nchange ", ccfc_obj_get_str(line, "changeId"));
		put_safe(out, ", ", ccfc_obj_get_str(line, "tool"));
		put_safe(out, "\ncommand: ", ccfc_obj_get_str(line, "command"));
		put_safe(out, "\nprompt: ", prompt);
	}
	ccfc_buf_release(&text);
}

void ccfc_lsp_tell(struct ccfc_buf *out, struct ccfc_obj line, bool brief)
{
	struct ccfc_slice kind = ccfc_obj_get_str(line, "kind");

	if (ccfc_slice_is(kind, "session")) {
		put_session(out, line, brief);
	} else if (ccfc_slice_is(kind, "outside")) {
		ccfc_buf_puts(out, "not by a session");
		if (brief)
			return;
		ccfc_buf_puts(out, ": written outside of Claude Code, from ");
		put_time(out, line, "from");
		ccfc_buf_puts(out, " to ");
		put_time(out, line, "to");
	} else if (ccfc_obj_type(line) == CCFC_OBJ_NONE) {
		ccfc_buf_puts(out, brief ? "not saved"
					 : "not known: this line was changed "
					   "since the file was saved");
	} else {
		ccfc_buf_puts(out, brief ? "not known"
					 : "nothing tells who wrote this line");
	}
}

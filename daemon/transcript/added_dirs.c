/*
 * Directories added to a session. New clients list them in an attachment about
 * the environment, older ones in the output of /add-dir: "Added /dir as a
 * working directory for this session", with the directory in bold. Without
 * either the directory is not known.
 *
 * Other attachments name a file that the model was shown: one that the user or
 * a compaction put in, or one that has changed since the model saw it.
 */
#include "transcript/json/unescape.h"
#include "transcript/record_internal.h"

#include "base/alloc.h"

#define ADDED_MAX 256u /* for one record */
#define BOLD	  "\033[1m"
#define NORMAL	  "\033[22m"

static const char printed[] = "<local-command-stdout>Added ";
static const char as_one[] = " as a working directory";

static void add_dir(struct ccfc_parser *parser, struct ccfc_slice dir)
{
	if (dir.len && dir.len <= CCFC_PATH_MAX && dir.ptr[0] == '/' &&
	    !memchr(dir.ptr, '\0', dir.len) && parser->added.n < ADDED_MAX)
		CCFC_VEC_PUSH(parser->added, dir);
}

static struct ccfc_slice strip_start(struct ccfc_slice s, const char *start)
{
	size_t n = strlen(start);

	return ccfc_slice_starts(s, start) ? ccfc_slice(s.ptr + n, s.len - n)
					   : s;
}

/* Reads the output of a command; `raw` is still escaped. */
static void read_printed(struct ccfc_parser *parser, struct ccfc_slice raw)
{
	struct ccfc_slice text;
	const char *end;

	if (!ccfc_slice_starts(raw, printed))
		return;
	text = strip_start(ccfc_unescape(&parser->arena, raw, NULL), printed);
	text = strip_start(text, BOLD);
	end = text.len ? memmem(text.ptr, text.len, as_one, strlen(as_one))
		       : NULL;
	if (!end)
		return;
	text.len = (size_t)(end - text.ptr);
	if (ccfc_slice_ends(text, NORMAL))
		text.len -= strlen(NORMAL);
	add_dir(parser, text);
}

static void read_attachment(struct ccfc_parser *parser, struct ccfc_record *out)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_ADDED_COUNT], at;
	struct ccfc_slice type;

	ccfc_json_root_fields(json, &parser->added_keys, f);
	ccfc_json_fields(json, f[CCFC_ADDED_ATTACHMENT], &parser->added_keys,
			 f);
	type = ccfc_json_string(json, f[CCFC_ADDED_TYPE]);
	if (ccfc_slice_is(type, "file") ||
	    ccfc_slice_is(type, "edited_text_file"))
		out->shown = ccfc_parser_name(parser, f[CCFC_ADDED_FILE],
					      CCFC_PATH_MAX);
	if (!ccfc_slice_is(type, "environment"))
		return;
	ccfc_json_fields(json, f[CCFC_ADDED_SNAPSHOT], &parser->added_keys, f);
	if (!ccfc_json_is_array(json, f[CCFC_ADDED_DIRS]))
		return;
	for (at = ccfc_json_child(json, f[CCFC_ADDED_DIRS]); at;
	     at = ccfc_json_next(json, at))
		add_dir(parser, ccfc_parser_name(parser, at, CCFC_PATH_MAX));
}

void ccfc_added_read(struct ccfc_parser *parser, struct ccfc_record *out,
		     const uint32_t *fields)
{
	const struct ccfc_json *json = &parser->json;

	if (ccfc_slice_is(out->type, "attachment"))
		read_attachment(parser, out);
	else if (out->kind == CCFC_RECORD_USER ||
		 ccfc_slice_is(out->type, "system"))
		read_printed(parser,
			     ccfc_json_string(json, ccfc_parser_content(
							    parser, fields)));
	out->added = parser->added.items;
	out->nadded = parser->added.n;
}

/*
 * A JSON text as JavaScript sees it: objects whose keys stand once each, in
 * JavaScript's order, and the whole printed as JSON.stringify(value, null, 1)
 * does. Objects can be changed on the way, or made up.
 */
#ifndef CCFC_HISTORY_STEP_JS_JSON_H
#define CCFC_HISTORY_STEP_JS_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "transcript/json/json.h"

struct ccfc_js_doc {
	struct ccfc_json json;
	struct ccfc_arena arena; /* the text, and keys that had escapes */
	struct ccfc_arena scratch;
};

struct ccfc_js_member {
	struct ccfc_slice key;	/* printed, with its quotes */
	uint32_t value;		/* a token of the document's json */
	struct ccfc_slice text; /* printed; instead of `value` unless NULL */
};

/* The members of one object. Start with all zeros. */
struct ccfc_js_members {
	struct ccfc_js_member *items;
	uint32_t n, cap;
};

void ccfc_js_doc_init(struct ccfc_js_doc *doc);
void ccfc_js_doc_release(struct ccfc_js_doc *doc);

/* Reads `text`, which is copied. False: not one JSON object. */
bool ccfc_js_doc_read(struct ccfc_js_doc *doc, struct ccfc_slice text);

/*
 * Replaces `out` by the members of the object `tok` (0: the outermost). A key
 * that stands twice has its last value in its first place; keys that are array
 * indexes come first. False when `tok` is no object or a key has a bad escape.
 */
bool ccfc_js_members_read(struct ccfc_js_members *out, struct ccfc_js_doc *doc,
			  uint32_t tok);
void ccfc_js_members_release(struct ccfc_js_members *members);

/* Keys are given as they are printed, with quotes. NULL: there is none. */
struct ccfc_js_member *ccfc_js_find(const struct ccfc_js_members *members,
				    const char *key);
/* Sets a member to a printed value; a new one comes last. */
void ccfc_js_set(struct ccfc_js_members *members, const char *key,
		 struct ccfc_slice text);
/* Removes a member if it is there. */
void ccfc_js_drop(struct ccfc_js_members *members, const char *key);

/*
 * Appends a value at that depth (0: the outermost). False: its printed form is
 * not certain (js_json_print.h), it is deeper than CCFC_JS_DEPTH, or `out`
 * would exceed the largest readable file.
 */
bool ccfc_js_put(struct ccfc_buf *out, struct ccfc_js_doc *doc, uint32_t tok,
		 unsigned depth);
bool ccfc_js_put_members(struct ccfc_buf *out, struct ccfc_js_doc *doc,
			 const struct ccfc_js_members *members, unsigned depth);
/* A line's end and the start of the next. */
void ccfc_js_newline(struct ccfc_buf *out, unsigned depth);

#define CCFC_JS_DEPTH 200u

#endif

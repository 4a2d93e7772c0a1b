/*
 * A JSON text as JavaScript sees it: each key of an object occurs once, in
 * JavaScript's order, and the text is printed as JSON.stringify(value, null, 1)
 * prints it. Objects can be changed or created before they are printed.
 */
#ifndef CCFC_HISTORY_STEP_JS_JSON_H
#define CCFC_HISTORY_STEP_JS_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "transcript/json/json.h"

struct ccfc_js_doc {
	struct ccfc_json json;
	struct ccfc_arena arena; /* the text, and keys that contained escapes */
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
 * Replaces `out` by the members of the object `tok` (0: the outermost). A
 * repeated key has its last value at its first position; keys that are array
 * indexes come first. False when `tok` is not an object or a key has a bad
 * escape.
 */
bool ccfc_js_members_read(struct ccfc_js_members *out, struct ccfc_js_doc *doc,
			  uint32_t tok);
void ccfc_js_members_release(struct ccfc_js_members *members);

/* The member with that key, which is given as printed, with quotes; or NULL. */
struct ccfc_js_member *ccfc_js_find(const struct ccfc_js_members *members,
				    const char *key);
/* Sets a member to a printed value; a new one comes last. */
void ccfc_js_set(struct ccfc_js_members *members, const char *key,
		 struct ccfc_slice text);
/* Removes a member, if there is one. */
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
/* Appends a newline and the indentation of the next line. */
void ccfc_js_newline(struct ccfc_buf *out, unsigned depth);

#define CCFC_JS_DEPTH 200u

#endif

/*
 * `ccfc lsp`: a language server on standard input and output that knows no
 * language, but who wrote each line. It writes no file: a restore is an edit
 * that the editor makes in its buffer.
 *
 * The daemon knows the file on disk. Lines of a buffer are mapped to lines of
 * the file; a line that was changed since is reported as unknown.
 */
#ifndef CCFC_CLI_LSP_LSP_H
#define CCFC_CLI_LSP_LSP_H

#include "base/arena.h"
#include "cli/frame/cli.h"
#include "cli/jsonrpc/jsonrpc.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/* A document that is open in the editor. */
struct ccfc_lsp_doc {
	char *uri, *path;
	struct ccfc_buf text;
	bool known;	 /* false: the text was not sent whole */
	int64_t current; /* the cursor's line, if known; or -1 */
};

struct ccfc_lsp {
	struct ccfc_cli *cli;
	struct ccfc_jsonrpc rpc;
	struct {
		struct ccfc_lsp_doc *items;
		uint32_t n, cap;
	} docs;
	enum { CCFC_LSP_NEW, CCFC_LSP_RUNNING, CCFC_LSP_ENDING } state;
	bool refreshes; /* the editor takes requests to refresh its hints */
	int requests;	/* number of our own requests so far */
};

/* ---- documents (lsp_docs.c) ---- */

/* The document of a request's `textDocument`; NULL: it is not open. */
struct ccfc_lsp_doc *ccfc_lsp_doc(struct ccfc_lsp *lsp, struct ccfc_obj params);

void ccfc_lsp_did_open(struct ccfc_lsp *lsp, struct ccfc_obj params);
void ccfc_lsp_did_change(struct ccfc_lsp *lsp, struct ccfc_obj params);
void ccfc_lsp_did_close(struct ccfc_lsp *lsp, struct ccfc_obj params);
void ccfc_lsp_release_docs(struct ccfc_lsp *lsp);

/* The path in a "file://" URI, or NULL. The caller frees it. */
char *ccfc_lsp_path(struct ccfc_slice uri);

/* Its lines, and the length of a line in units of UTF-16. */
uint32_t ccfc_lsp_lines(const struct ccfc_lsp_doc *doc);
uint32_t ccfc_lsp_line_length(const struct ccfc_lsp_doc *doc, int64_t line);

/* ---- who wrote which line (lsp_origin.c) ---- */

struct ccfc_lsp_origin {
	struct ccfc_reply *reply;
	struct ccfc_obj root, lines;
	struct ccfc_arena arena;
	uint32_t *map; /* line of the document → of the file, plus one */
	uint32_t n;
};

/*
 * Asks for all lines of the document. CCFC_ENOTFOUND: no session changed the
 * file. Release it in either case.
 */
int ccfc_lsp_origin(struct ccfc_lsp_origin *out, struct ccfc_lsp *lsp,
		    const struct ccfc_lsp_doc *doc, struct ccfc_err *err);
void ccfc_lsp_origin_release(struct ccfc_lsp_origin *origin);

/* A line from 0; CCFC_OBJ_NONE: it was changed in the editor. */
struct ccfc_obj ccfc_lsp_origin_at(const struct ccfc_lsp_origin *origin,
				   int64_t line);

/*
 * Describes the owner in one line, or in several with the prompt. All text is
 * safe.
 */
void ccfc_lsp_tell(struct ccfc_buf *out, struct ccfc_obj line, bool brief);

/* ---- answers (lsp_answers.c, lsp_commands.c) ---- */

/* Each appends the JSON of its result; params are checked there. */
typedef void (*ccfc_lsp_fn)(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			    struct ccfc_obj params);

void ccfc_lsp_hover(struct ccfc_buf *out, struct ccfc_lsp *lsp,
		    struct ccfc_obj params);
void ccfc_lsp_code_lens(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			struct ccfc_obj params);
void ccfc_lsp_code_action(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			  struct ccfc_obj params);
void ccfc_lsp_inlay_hint(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			 struct ccfc_obj params);
void ccfc_lsp_execute(struct ccfc_buf *out, struct ccfc_lsp *lsp,
		      struct ccfc_obj params);

/* Names of commands. */
#define CCFC_LSP_DIFF	 "ccfc.diff"
#define CCFC_LSP_RESTORE "ccfc.restore"
#define CCFC_LSP_LOG	 "ccfc.log"

/* Shows a text to the user; 1: an error, 3: information. */
void ccfc_lsp_show(struct ccfc_lsp *lsp, int type, struct ccfc_slice text);

/* Calls a method with the path, and with `key` if that is not NULL. */
int ccfc_lsp_ask(struct ccfc_reply **reply, struct ccfc_lsp *lsp,
		 const char *method, const char *path, const char *key,
		 const char *value, struct ccfc_err *err);

/* ---- the server ---- */

/*
 * Runs until the end of the input or an exit request; returns the exit status.
 */
int ccfc_lsp_serve(struct ccfc_cli *cli, int in, int out);

#endif

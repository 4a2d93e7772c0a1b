/*
 * `ccfc mcp`: the Model Context Protocol on standard input and output. The
 * tools only read. A tool is a row of a table: its arguments are options of the
 * protocol, its result has fields of the protocol's types, so both JSON Schemas
 * come from the tables of proto/schema.
 *
 * The list of tools is answered without the daemon, since clients ask for it at
 * every start. The first call of a tool connects.
 */
#ifndef CCFC_CLI_MCP_MCP_H
#define CCFC_CLI_MCP_MCP_H

#include "cli/frame/answer.h"
#include "cli/jsonrpc/jsonrpc.h"
#include "cli/mcp/mcp_tables.h"
#include "wire/pack.h"

/* Bytes of the JSON of a result, and of the same as text. */
#define CCFC_MCP_RESULT_MAX 8000
/* Room that is kept for the end of a result. */
#define CCFC_MCP_END 64
/* Rows that are asked for at once; a page has what fits. */
#define CCFC_MCP_ROWS 50

#define CCFC_MCP_ARGS	10
#define CCFC_MCP_GROUPS 7 /* the last one is empty */

struct ccfc_mcp_call;

/* A part of a result: fields of a type of the protocol, by their names. */
struct ccfc_mcp_group {
	const char *name; /* NULL: the fields are the result's own */
	const char *type;
	const char *fields; /* separated by blanks */
	bool many;	    /* an array of values */
	bool always;	    /* there is no result without it */
};

struct ccfc_mcp_tool {
	const char *name, *title, *about;
	struct {
		const char *name; /* of an option; NULL ends them */
		bool required;
	} args[CCFC_MCP_ARGS];
	struct ccfc_mcp_group groups[CCFC_MCP_GROUPS];
	bool paged;  /* takes `cursor`, may answer `nextCursor` */
	bool scoped; /* about the project here, unless `allProjects` */
	bool warns;  /* has `warnings` */
	/* Appends the fields of the result to call->out. */
	int (*run)(struct ccfc_mcp_call *call, struct ccfc_err *err);
};

extern const struct ccfc_mcp_tool ccfc_mcp_tools[];
extern const unsigned ccfc_mcp_tool_count;

/* One call of a tool. */
struct ccfc_mcp_call {
	struct ccfc_cli *cli;
	const struct ccfc_mcp_tool *tool;
	struct ccfc_obj args;
	struct ccfc_question q; /* for its texts, the path and the session */
	char *here;		/* the project here; NULL: everywhere */
	int64_t offset;		/* of the cursor */
	struct ccfc_buf out;	/* the JSON of the result, still open */
	struct ccfc_buf params;
	struct ccfc_pack pack;
	const char *method;
};

/* ---- the table as JSON (mcp_schema.c) ---- */

/* The array of tools. */
void ccfc_mcp_list(struct ccfc_buf *out);

/* ---- arguments and questions (mcp_args.c) ---- */

/* Checks the arguments against the table. CCFC_EINVAL names the first. */
int ccfc_mcp_check(struct ccfc_mcp_call *call, struct ccfc_err *err);

/* The argument, or CCFC_OBJ_NONE. */
struct ccfc_obj ccfc_mcp_arg(const struct ccfc_mcp_call *call,
			     const char *name);

/*
 * Begins a question: all arguments that the method (CCFC_M_…) takes, but for
 * `without`, which may be NULL. The caller may add options to call->pack, then
 * asks. A connection that was lost is made once more.
 */
void ccfc_mcp_begin(struct ccfc_mcp_call *call, const char *method,
		    const char *without);
int ccfc_mcp_ask(struct ccfc_reply **reply, struct ccfc_mcp_call *call,
		 struct ccfc_err *err);

/* ---- results (mcp_result.c) ---- */

/* The group of that name; NULL: the result's own fields. */
const struct ccfc_mcp_group *ccfc_mcp_group(const struct ccfc_mcp_call *call,
					    const char *name);

/* The result's own fields, from `o`. */
void ccfc_mcp_put_own(struct ccfc_mcp_call *call, struct ccfc_obj o);

/* Adds a field of the result that no reply has; a long text is cut. */
void ccfc_mcp_put_text(struct ccfc_mcp_call *call, const char *key,
		       const char *text);

/*
 * One row in the open array of a group; `path` is the value of the field of
 * that name, unless empty. False: it does not fit, and nothing was appended.
 */
bool ccfc_mcp_put_row(struct ccfc_mcp_call *call,
		      const struct ccfc_mcp_group *group, struct ccfc_obj o,
		      struct ccfc_slice path);

/* A group that is one object. */
void ccfc_mcp_put_one(struct ccfc_mcp_call *call, const char *name,
		      struct ccfc_obj o);

/* A group that is an array, as many rows as fit, but at most `most`. */
uint32_t ccfc_mcp_put_many(struct ccfc_mcp_call *call, const char *name,
			   struct ccfc_obj rows, uint32_t most);

/* The cursor, if more than `shown` rows follow the call's offset. */
void ccfc_mcp_put_next(struct ccfc_mcp_call *call, int64_t shown,
		       int64_t total);

/* ---- tools that need more than one question ---- */

int ccfc_mcp_before_you_edit(struct ccfc_mcp_call *call, struct ccfc_err *err);
int ccfc_mcp_what_happened(struct ccfc_mcp_call *call, struct ccfc_err *err);

/* ---- the server ---- */

/*
 * A call of a tool; appends the result's own fields ("content":…) to `out`.
 * CCFC_EINVAL: there is no such tool, or the request is not well-formed. What
 * fails later is a result with `isError`.
 */
int ccfc_mcp_call_tool(struct ccfc_buf *out, struct ccfc_cli *cli,
		       struct ccfc_obj params, struct ccfc_err *err);

/* Talks until the input ends; returns the exit status. */
int ccfc_mcp_serve(struct ccfc_cli *cli, int in, int out);

#endif

/*
 * Arguments of a tool, checked by the tables of the protocol, and the questions
 * that are made from them; see mcp.h. Paths, sessions and dates mean what they
 * mean on the command line.
 */
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/mcp/mcp.h"
#include "cli/words/dates.h"

#include <inttypes.h>
#include <stdlib.h>

#define TEXT_MAX 4096

struct ccfc_obj ccfc_mcp_arg(const struct ccfc_mcp_call *call, const char *name)
{
	return ccfc_obj_get(call->args, name);
}

/* ---- checking ---- */

static bool is_text(struct ccfc_obj value)
{
	struct ccfc_slice text = ccfc_obj_str(value);

	return ccfc_obj_type(value) == CCFC_OBJ_STR && text.len &&
	       text.len <= TEXT_MAX && !memchr(text.ptr, '\0', text.len);
}

static bool is_list(struct ccfc_obj value, int64_t most)
{
	bool ok = ccfc_obj_type(value) == CCFC_OBJ_ARRAY &&
		  ccfc_obj_len(value) <= most;

	for (uint32_t i = 0; ok && i < ccfc_obj_len(value); i++)
		ok = is_text(ccfc_obj_at(value, i));
	return ok;
}

static int fail_bad_argument(struct ccfc_err *err, const char *name,
			     const char *what)
{
	return ccfc_err_set(err, CCFC_EINVAL, "%s: %s", name, what);
}

static int check_value(const char *name, struct ccfc_obj value,
		       struct ccfc_err *err)
{
	struct ccfc_mcp_option option = ccfc_mcp_option(name);
	int64_t n = ccfc_obj_int(value, 0);

	switch (option.kind) {
	case CCFC_MCP_FLAG:
		return ccfc_obj_type(value) == CCFC_OBJ_BOOL
			       ? 0
			       : fail_bad_argument(err, name, "true or false");
	case CCFC_MCP_NUMBER:
		if (ccfc_obj_type(value) != CCFC_OBJ_INT)
			return fail_bad_argument(err, name, "a whole number");
		return n >= option.least && n <= option.most
			       ? 0
			       : ccfc_err_set(err, CCFC_EINVAL,
					      "%s: from %" PRId64
					      " to %" PRId64,
					      name, option.least, option.most);
	case CCFC_MCP_LIST:
		return is_list(value, option.most)
			       ? 0
			       : fail_bad_argument(err, name,
						   "an array of strings");
	default:
		return is_text(value) ? 0
				      : fail_bad_argument(
						err, name,
						"a string of 1 to 4096 bytes");
	}
}

static int read_cursor(struct ccfc_mcp_call *call, struct ccfc_obj value,
		       struct ccfc_err *err)
{
	struct ccfc_slice text = ccfc_obj_str(value);
	int64_t n = 0;

	for (size_t i = 0; i < text.len && n <= INT32_MAX; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			text.len = 0;
		else
			n = n * 10 + text.ptr[i] - '0';
	}
	if (ccfc_obj_type(value) != CCFC_OBJ_STR || !text.len || n > INT32_MAX)
		return fail_bad_argument(err, "cursor",
					 "the nextCursor of a result");
	call->offset = n;
	return 0;
}

/* One argument; those that are no options of the protocol come first. */
static int check_argument(struct ccfc_mcp_call *call, struct ccfc_slice name,
			  struct ccfc_obj value, struct ccfc_err *err)
{
	const struct ccfc_mcp_tool *tool = call->tool;

	if (tool->paged && ccfc_slice_is(name, "cursor"))
		return read_cursor(call, value, err);
	if (tool->scoped && ccfc_slice_is(name, "allProjects"))
		return ccfc_obj_type(value) == CCFC_OBJ_BOOL
			       ? 0
			       : fail_bad_argument(err, "allProjects",
						   "true or false");
	for (int i = 0; tool->args[i].name; i++)
		if (ccfc_slice_is(name, tool->args[i].name))
			return check_value(tool->args[i].name, value, err);
	return ccfc_err_set(err, CCFC_EINVAL, "%.*s: %s has no such argument",
			    (int)(name.len < 64 ? name.len : 64), name.ptr,
			    tool->name);
}

/* Path, session and project as the daemon is asked for them. */
static int arguments_to_query(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_arena *texts = &call->q.texts;
	struct ccfc_obj path = ccfc_mcp_arg(call, "path");
	struct ccfc_obj session = ccfc_mcp_arg(call, "session");
	struct ccfc_obj project = ccfc_mcp_arg(call, "projectPath");
	bool everywhere = ccfc_obj_get_bool(call->args, "allProjects", false);
	int code = ccfc_question_here(&call->q, err);

	if (!code && ccfc_obj_is_str(path))
		code = ccfc_question_name(
			&call->q,
			ccfc_arena_copy(texts, ccfc_obj_str(path)).ptr, err);
	if (!code && ccfc_obj_is_str(session))
		code = ccfc_question_session(
			&call->q,
			ccfc_arena_copy(texts, ccfc_obj_str(session)).ptr, err);
	if (!code && call->tool->scoped && !everywhere &&
	    !ccfc_obj_is_str(project) && !ccfc_obj_is_str(session))
		call->here = ccfc_cwd_here(&call->q.where);
	return code;
}

int ccfc_mcp_check(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < ccfc_obj_len(call->args); i++)
		code = check_argument(
			call, ccfc_obj_str(ccfc_obj_key_at(call->args, i)),
			ccfc_obj_value_at(call->args, i), err);
	for (int i = 0; !code && call->tool->args[i].name; i++) {
		const char *name = call->tool->args[i].name;

		if (call->tool->args[i].required &&
		    ccfc_obj_type(ccfc_mcp_arg(call, name)) == CCFC_OBJ_NONE)
			code = fail_bad_argument(err, name, "is required");
	}
	return code < 0 ? code : arguments_to_query(call, err);
}

/* ---- asking ---- */

static void pack_texts(struct ccfc_pack *pack, const char *key,
		       const char *const *texts)
{
	if (!texts)
		return;
	ccfc_pack_cstr(pack, key);
	ccfc_pack_array(pack);
	for (; *texts; texts++)
		ccfc_pack_cstr(pack, *texts);
	ccfc_pack_end(pack);
}

static void pack_date(struct ccfc_mcp_call *call, const char *key,
		      struct ccfc_slice text, bool last)
{
	struct ccfc_date_span span;

	if (ccfc_dates_read(&span, text, ccfc_time_now()))
		ccfc_pack_kv_time(&call->pack, key, last ? span.to : span.from);
	else
		ccfc_pack_kv_str(&call->pack, key, text);
}

static void pack_path(struct ccfc_mcp_call *call)
{
	const struct ccfc_query *query = &call->q.query;

	ccfc_pack_kv_cstr(&call->pack, "path", call->q.path);
	if (ccfc_mcp_takes(call->method, "alternatives"))
		pack_texts(&call->pack, "alternatives", query->alternatives);
	if (!ccfc_mcp_takes(call->method, "name") || !query->name)
		return;
	ccfc_pack_kv_cstr(&call->pack, "name", query->name);
	ccfc_pack_kv_cstr(&call->pack, "here", query->here);
}

static void pack_project(struct ccfc_mcp_call *call, struct ccfc_slice given)
{
	const char *name = ccfc_arena_copy(&call->q.texts, given).ptr;
	char *real;

	if (*name == '@') {
		ccfc_pack_kv_cstr(&call->pack, "projectPath", name);
		return;
	}
	real = ccfc_cwd_real(&call->q.where, name);
	ccfc_pack_kv_cstr(&call->pack, "projectPath", real);
	free(real);
}

static void pack_plain(struct ccfc_pack *pack, const char *key,
		       struct ccfc_obj value)
{
	ccfc_pack_cstr(pack, key);
	switch (ccfc_obj_type(value)) {
	case CCFC_OBJ_BOOL:
		ccfc_pack_bool(pack, ccfc_obj_bool(value, false));
		break;
	case CCFC_OBJ_INT:
		ccfc_pack_int(pack, ccfc_obj_int(value, 0));
		break;
	case CCFC_OBJ_ARRAY:
		ccfc_pack_array(pack);
		for (uint32_t i = 0; i < ccfc_obj_len(value); i++)
			ccfc_pack_str(pack,
				      ccfc_obj_str(ccfc_obj_at(value, i)));
		ccfc_pack_end(pack);
		break;
	default:
		ccfc_pack_str(pack, ccfc_obj_str(value));
	}
}

static void pack_argument(struct ccfc_mcp_call *call, const char *name,
			  struct ccfc_obj value)
{
	enum ccfc_mcp_kind kind = ccfc_mcp_option(name).kind;

	if (!strcmp(name, "path"))
		pack_path(call);
	else if (!strcmp(name, "session"))
		ccfc_pack_kv_cstr(&call->pack, name, call->q.session);
	else if (!strcmp(name, "projectPath"))
		pack_project(call, ccfc_obj_str(value));
	else if (kind == CCFC_MCP_FROM || kind == CCFC_MCP_TO)
		pack_date(call, name, ccfc_obj_str(value), kind == CCFC_MCP_TO);
	else
		pack_plain(&call->pack, name, value);
}

/* Is `name` one of the words? */
static bool has_word(const char *words, const char *name)
{
	struct ccfc_slice word;
	const char *p = words;

	while (p && ccfc_opt_next_part(&word, &p, ' '))
		if (ccfc_slice_is(word, name))
			return true;
	return false;
}

void ccfc_mcp_begin(struct ccfc_mcp_call *call, const char *method,
		    const char *without)
{
	call->method = method;
	ccfc_buf_clear(&call->params);
	ccfc_pack_init(&call->pack, &call->params);
	ccfc_pack_map(&call->pack);
	for (int i = 0; call->tool->args[i].name; i++) {
		const char *name = call->tool->args[i].name;
		struct ccfc_obj value = ccfc_mcp_arg(call, name);

		if (ccfc_obj_type(value) != CCFC_OBJ_NONE &&
		    ccfc_mcp_takes(method, name) && !has_word(without, name))
			pack_argument(call, name, value);
	}
	if (call->here && ccfc_mcp_takes(method, "here"))
		ccfc_pack_kv_cstr(&call->pack, "here", call->here);
}

int ccfc_mcp_ask(struct ccfc_reply **reply, struct ccfc_mcp_call *call,
		 struct ccfc_err *err)
{
	ccfc_pack_end(&call->pack);
	return ccfc_cli_call(reply, call->cli, call->method,
			     ccfc_buf_view(&call->params), err);
}

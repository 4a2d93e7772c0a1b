/*
 * The files that service managers read; see service_manager.h. Each has its own
 * quoting, and paths may contain any bytes. Paths that cannot be quoted safely
 * are refused.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "cli/frame/cwd.h"
#include "cli/setup/service_manager.h"
#include "cli/setup/service_text.h"
#include "os/dirs.h"

#include <stdlib.h>

/* Variables that the daemon reads; a default is that of an XDG directory. */
static const struct {
	const char *name;
	const char *usual; /* below HOME; written only if it differs */
	bool is_path;
} variables[] = {
	{ "CLAUDE_CONFIG_DIR", NULL, false }, /* may be several */
	{ "CCFC_STATE_DIR", NULL, true },
	{ "CCFC_SOCKET", NULL, true },
	{ "XDG_STATE_HOME", "/.local/state", false },
	{ "XDG_CONFIG_HOME", "/.config", false },
};
#define VARIABLES (sizeof(variables) / sizeof(*variables))

typedef void (*put_fn)(struct ccfc_buf *out, const char *name,
		       const char *value);

static bool is_utf8(const char *text)
{
	struct ccfc_buf valid = CCFC_BUF_INIT;
	bool same;

	ccfc_utf8_append(&valid, ccfc_slice_str(text));
	same = ccfc_slice_is(ccfc_buf_view(&valid), text);
	ccfc_buf_release(&valid);
	return same;
}

static int check_value(const char *what, const char *text, struct ccfc_err *err)
{
	bool ok = is_utf8(text);

	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		ok = ok && *p >= 0x20 && *p != 0x7f;
	return ok ? 0
		  : ccfc_err_set(err, CCFC_EINVAL,
				 "%s has bytes that a service file cannot have",
				 what);
}

/* Is it the value that the daemon would use by default? */
static bool is_usual(const char *value, const char *tail)
{
	struct ccfc_buf home = CCFC_BUF_INIT;
	bool same;

	/* The specification says to ignore relative paths. */
	if (value[0] != '/')
		return true;
	ccfc_dirs_home(&home, NULL);
	ccfc_buf_puts(&home, tail);
	same = !strcmp(home.ptr, value);
	ccfc_buf_release(&home);
	return same;
}

/* Each variable that is set, as `put` writes it. */
static int put_environment(struct ccfc_buf *out, put_fn put,
			   struct ccfc_err *err)
{
	struct ccfc_cwd where;
	int code = ccfc_cwd_init(&where, err);

	for (size_t i = 0; !code && i < VARIABLES; i++) {
		const char *value = getenv(variables[i].name);
		char *path;

		if (!value || !*value ||
		    (variables[i].usual && is_usual(value, variables[i].usual)))
			continue;
		code = check_value(variables[i].name, value, err);
		if (code)
			break;
		/* A service has another working directory. */
		path = variables[i].is_path ||
				       (value[0] != '/' && !strchr(value, ':'))
			       ? ccfc_cwd_absolute(&where, value)
			       : ccfc_strdup(value);
		put(out, variables[i].name, path);
		free(path);
	}
	ccfc_cwd_release(&where);
	return code;
}

/* ---- systemd ---- */

/* Within double quotes; % is for its own variables. */
static void put_quoted(struct ccfc_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			ccfc_buf_putc(out, '\\');
		else if (*text == '%')
			ccfc_buf_putc(out, '%');
		ccfc_buf_putc(out, *text);
	}
}

static void put_unit_variable(struct ccfc_buf *out, const char *name,
			      const char *value)
{
	ccfc_buf_printf(out, "Environment=\"%s=", name);
	put_quoted(out, value);
	ccfc_buf_puts(out, "\"\n");
}

/* Quoted only if necessary. */
static void put_command(struct ccfc_buf *out, const char *path)
{
	bool quote = strpbrk(path, " ;") != NULL;

	ccfc_buf_puts(out, quote ? "\"" : "");
	put_quoted(out, path);
	ccfc_buf_puts(out, quote ? "\"" : "");
}

int ccfc_service_write_drop_in(struct ccfc_buf *out, struct ccfc_err *err)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;
	int code = put_environment(&lines, put_unit_variable, err);

	if (!code && lines.len) {
		ccfc_buf_puts(out, "# Written by \"ccfc setup\": what was set "
				   "in its environment.\n[Service]\n");
		ccfc_buf_slice(out, ccfc_buf_view(&lines));
	}
	ccfc_buf_release(&lines);
	return code;
}

/* ---- launchd ---- */

static void put_xml(struct ccfc_buf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			ccfc_buf_puts(out, "&amp;");
			break;
		case '<':
			ccfc_buf_puts(out, "&lt;");
			break;
		case '>':
			ccfc_buf_puts(out, "&gt;");
			break;
		default:
			ccfc_buf_putc(out, *text);
		}
	}
}

static void put_plist_variable(struct ccfc_buf *out, const char *name,
			       const char *value)
{
	ccfc_buf_printf(out, "\t\t<key>%s</key>\n\t\t<string>", name);
	put_xml(out, value);
	ccfc_buf_puts(out, "</string>\n");
}

/* ---- both ---- */

/* Copies the text before `mark`, and moves *text behind it. */
static void copy_to(struct ccfc_buf *out, const char **text, const char *mark)
{
	const char *at = strstr(*text, mark);

	/* The texts have each mark, in this order; a test sees to it. */
	if (!at)
		abort();
	ccfc_buf_append(out, *text, (size_t)(at - *text));
	*text = at + strlen(mark);
}

static int write_plist(struct ccfc_buf *out, const char *daemon,
		       struct ccfc_err *err)
{
	const char *text = ccfc_text_launchd;
	struct ccfc_buf log = CCFC_BUF_INIT;
	int code = ccfc_dirs_state(&log, err);

	ccfc_buf_puts(&log, "/ccfcd.log");
	if (!code)
		code = check_value("the state directory", log.ptr, err);
	copy_to(out, &text, CCFC_TEXT_DAEMON);
	put_xml(out, daemon);
	copy_to(out, &text, CCFC_TEXT_ENVIRONMENT);
	if (!code)
		code = put_environment(out, put_plist_variable, err);
	copy_to(out, &text, CCFC_TEXT_LOG);
	put_xml(out, log.ptr);
	ccfc_buf_puts(out, text);
	ccfc_buf_release(&log);
	return code;
}

int ccfc_service_write(struct ccfc_buf *out, enum ccfc_manager manager,
		       const char *daemon, struct ccfc_err *err)
{
	const char *text = ccfc_text_systemd;
	int code = check_value("the daemon's path", daemon, err);

	if (code)
		return code;
	/* systemd takes none of these in the name of a program. */
	if (manager == CCFC_MANAGER_SYSTEMD && strpbrk(daemon, "\"'\\"))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: a unit cannot name a program with "
				    "quotes or backslashes in its path",
				    daemon);
	if (manager == CCFC_MANAGER_LAUNCHD)
		return write_plist(out, daemon, err);
	copy_to(out, &text, CCFC_TEXT_DAEMON);
	put_command(out, daemon);
	ccfc_buf_puts(out, text);
	return 0;
}

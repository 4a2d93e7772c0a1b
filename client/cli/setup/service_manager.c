/* The daemon as a service of the user; see service_manager.h. */
#include "cli/setup/service_manager.h"

#include "base/alloc.h"
#include "cli/system/child.h"
#include "os/dirs.h"

#include <stdlib.h>
#include <unistd.h>

#define NO_BUS                                                                 \
	"log in as this user directly (not with su or sudo); on a machine "    \
	"without logins: loginctl enable-linger. Without a service each ccfc " \
	"command starts the daemon when it needs one"

const char *const ccfc_service_reload[] = { "systemctl", "--user",
					    "daemon-reload", NULL };

enum ccfc_manager ccfc_service_manager(void)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	enum ccfc_manager manager = CCFC_MANAGER_NONE;

	if (ccfc_child_find(&path, "systemctl"))
		manager = CCFC_MANAGER_SYSTEMD;
	else if (ccfc_child_find(&path, "launchctl"))
		manager = CCFC_MANAGER_LAUNCHD;
	ccfc_buf_release(&path);
	return manager;
}

/* Is it that no manager runs for this user? */
static bool is_no_bus(const struct ccfc_child *child)
{
	struct ccfc_slice words = ccfc_buf_view(&child->words);

	return ccfc_slice_contains(words, "connect to bus") ||
	       ccfc_slice_contains(words, "not been booted with systemd") ||
	       ccfc_slice_contains(words, "XDG_RUNTIME_DIR");
}

static int set_child_error(const struct ccfc_child *child, const char *who,
			   struct ccfc_err *err)
{
	struct ccfc_slice says = ccfc_child_says(child);

	if (says.len)
		ccfc_err_set(err, CCFC_EIO, "%s: %.*s", who, (int)says.len,
			     says.ptr);
	else if (child->code == CCFC_CHILD_NOT_FOUND)
		ccfc_err_set(err, CCFC_EIO, "%s: not found in PATH", who);
	else
		ccfc_err_set(err, CCFC_EIO, "%s: ended with %d", who,
			     child->code);
	if (ccfc_slice_starts(ccfc_slice_str(who), "launchctl"))
		ccfc_err_hint(err, "agents need a graphical login, not an "
				   "ssh session");
	else if (is_no_bus(child))
		ccfc_err_hint(err, NO_BUS);
	else
		ccfc_err_hint(err, "systemctl --user status " CCFC_SERVICE_UNIT
				   " says more");
	return CCFC_EIO;
}

int ccfc_service_run(const char *const *argv, struct ccfc_err *err)
{
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_child child;
	int code = ccfc_child_run(&child, argv, NULL, NULL, err);

	for (int i = 0; argv[i]; i++)
		ccfc_buf_printf(&line, "%s%s", i ? " " : "", argv[i]);
	if (!code && child.code)
		code = set_child_error(&child, line.ptr, err);
	ccfc_child_release(&child);
	ccfc_buf_release(&line);
	return code;
}

/* ---- what the manager knows ---- */

/* The value of a line "KEY=value" of what `show` printed. */
static struct ccfc_slice property_value(struct ccfc_slice text, const char *key)
{
	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;
		size_t k = strlen(key);

		if (n > k && !memcmp(text.ptr, key, k) && text.ptr[k] == '=')
			return ccfc_slice(text.ptr + k + 1, n - k - 1);
		n += nl ? 1 : 0;
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
	return CCFC_SLICE_NONE;
}

/* Units without an [Install] section cannot be enabled and need not be. */
static bool is_enabled(struct ccfc_slice state)
{
	return ccfc_slice_starts(state, "enabled") ||
	       ccfc_slice_is(state, "static") ||
	       ccfc_slice_is(state, "generated") ||
	       ccfc_slice_is(state, "transient");
}

static bool is_active(struct ccfc_slice state)
{
	return ccfc_slice_is(state, "active") ||
	       ccfc_slice_is(state, "activating") ||
	       ccfc_slice_is(state, "reloading");
}

static int probe_systemd(struct ccfc_user_service *s, struct ccfc_err *err)
{
	static const char *const argv[] = {
		"systemctl",
		"--user",
		"show",
		"--property=LoadState",
		"--property=UnitFileState",
		"--property=ActiveState",
		"--property=FragmentPath",
		CCFC_SERVICE_UNIT,
		NULL,
	};
	struct ccfc_child child;
	int code = ccfc_child_run(&child, argv, NULL, NULL, err);
	struct ccfc_slice text = ccfc_buf_view(&child.out);
	struct ccfc_slice file = property_value(text, "FragmentPath");

	s->found = ccfc_slice_is(property_value(text, "LoadState"), "loaded");
	s->masked = ccfc_slice_is(property_value(text, "LoadState"), "masked");
	s->enabled = is_enabled(property_value(text, "UnitFileState"));
	s->active = is_active(property_value(text, "ActiveState"));
	if (file.len)
		s->file = ccfc_strndup(file.ptr, file.len);
	if (!code && child.code)
		code = set_child_error(&child, "systemd's user manager", err);
	ccfc_child_release(&child);
	return code;
}

static int probe_launchd(struct ccfc_user_service *s, struct ccfc_err *err)
{
	struct ccfc_buf target = CCFC_BUF_INIT;
	const char *argv[] = { "launchctl", "print", NULL, NULL };
	struct ccfc_child child;
	int code = ccfc_service_path(&s->file, s->manager, err);

	if (code < 0)
		return code;
	ccfc_service_domain(&target);
	ccfc_buf_puts(&target, "/" CCFC_SERVICE_LABEL);
	argv[2] = target.ptr;
	/* launchctl fails for an agent that it does not know. */
	code = ccfc_child_run(&child, argv, NULL, NULL, err);
	s->found = s->enabled = s->active = !code && !child.code;
	ccfc_child_release(&child);
	ccfc_buf_release(&target);
	return code;
}

int ccfc_service_probe(struct ccfc_user_service *service, struct ccfc_err *err)
{
	*service =
		(struct ccfc_user_service){ .manager = ccfc_service_manager() };
	switch (service->manager) {
	case CCFC_MANAGER_SYSTEMD:
		return probe_systemd(service, err);
	case CCFC_MANAGER_LAUNCHD:
		return probe_launchd(service, err);
	default:
		return 0;
	}
}

void ccfc_service_release(struct ccfc_user_service *service)
{
	free(service->file);
	*service = (struct ccfc_user_service){ 0 };
}

/* ---- where files are ---- */

int ccfc_service_path(char **out, enum ccfc_manager manager,
		      struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int code;

	*out = NULL;
	if (manager == CCFC_MANAGER_SYSTEMD) {
		code = ccfc_dirs_user_config(
			&path, "systemd/user/" CCFC_SERVICE_UNIT, err);
	} else {
		code = ccfc_dirs_home(&path, err);
		ccfc_buf_puts(&path, "/Library/LaunchAgents/" CCFC_SERVICE_LABEL
				     ".plist");
	}
	if (!code)
		*out = ccfc_buf_detach(&path, NULL);
	ccfc_buf_release(&path);
	return code;
}

int ccfc_service_drop_in(char **out, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int code = ccfc_dirs_user_config(
		&path, "systemd/user/" CCFC_SERVICE_UNIT ".d/ccfc-setup.conf",
		err);

	*out = code ? NULL : ccfc_buf_detach(&path, NULL);
	ccfc_buf_release(&path);
	return code;
}

void ccfc_service_domain(struct ccfc_buf *out)
{
	ccfc_buf_printf(out, "gui/%lu", (unsigned long)getuid());
}

/*
 * Undoes the recorded steps; see setup.h. First the service, while its file
 * exists, then the files, the last written first.
 */
#include "cli/setup/service_manager.h"
#include "cli/setup/setup.h"

/* Whether the manager still knows the service; a doubt counts as yes. */
static bool is_service_known(void)
{
	struct ccfc_user_service service;
	bool known = ccfc_service_probe(&service, NULL) < 0 || service.found;

	ccfc_service_release(&service);
	return known;
}

static void add_forget_step(struct ccfc_setup *s, unsigned done)
{
	ccfc_setup_add(s, CCFC_SETUP_STEP_FORGET, "the service",
		       "it is gone already")
		->clear = done;
}

static void plan_systemd(struct ccfc_setup *s)
{
	unsigned done =
		s->record.service & (CCFC_SETUP_ENABLED | CCFC_SETUP_STARTED);
	bool known = is_service_known();
	bool enabled = done & CCFC_SETUP_ENABLED;
	/* Without a unit there is nothing to stop, only links to remove. */
	bool now = enabled && done & CCFC_SETUP_STARTED && known;
	const char *words[] = { "systemctl",
				"--user",
				enabled ? "disable" : "stop",
				now ? "--now" : CCFC_SERVICE_UNIT,
				now ? CCFC_SERVICE_UNIT : NULL,
				NULL };

	if (!done)
		return;
	if (ccfc_service_manager() != CCFC_MANAGER_SYSTEMD ||
	    (!enabled && !known))
		add_forget_step(s, done);
	else
		ccfc_setup_add_run(s, words)->clear = done;
}

static void plan_launchd(struct ccfc_setup *s)
{
	struct ccfc_buf agent = CCFC_BUF_INIT;
	const char *words[] = { "launchctl", "bootout", NULL, NULL };

	if (!(s->record.service & CCFC_SETUP_LOADED))
		return;
	if (!is_service_known()) {
		add_forget_step(s, CCFC_SETUP_LOADED);
		return;
	}
	ccfc_service_domain(&agent);
	ccfc_buf_puts(&agent, "/" CCFC_SERVICE_LABEL);
	words[2] = agent.ptr;
	ccfc_setup_add_run(s, words)->clear = CCFC_SETUP_LOADED;
	ccfc_buf_release(&agent);
}

int ccfc_setup_plan_remove(struct ccfc_setup *s, struct ccfc_err *err)
{
	bool units = false;
	int code = 0;

	plan_systemd(s);
	plan_launchd(s);
	for (uint32_t i = s->record.files.n; code >= 0 && i > 0; i--) {
		const char *path = s->record.files.items[i - 1].path;

		code = ccfc_setup_want(s, path, NULL, NULL, err);
		if (code > 0 &&
		    ccfc_slice_contains(ccfc_slice_str(path),
					"/systemd/user/" CCFC_SERVICE_UNIT))
			units = true;
	}
	if (code >= 0 && units &&
	    ccfc_service_manager() == CCFC_MANAGER_SYSTEMD)
		ccfc_setup_add_run(s, ccfc_service_reload);
	return code < 0 ? code : 0;
}

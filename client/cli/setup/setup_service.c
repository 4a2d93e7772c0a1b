/*
 * Makes the daemon a service; see setup.h. A service file that the manager
 * finds by itself (a package's) is used as it is; otherwise one is written that
 * names this installation's daemon.
 */
#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/setup/installed.h"
#include "cli/setup/service_manager.h"
#include "cli/setup/setup.h"

#include <stdlib.h>

#define NO_MANAGER                                                             \
	"there is neither systemd nor launchd here: each ccfc command starts " \
	"the daemon when it needs one; to have it always, have your session "  \
	"or your init system run \"ccfcd\""

/* Adds the file for the daemon of this installation. 1: it changes. */
static int want_file(struct ccfc_setup *s, enum ccfc_manager manager,
		     const char *path, struct ccfc_err *err)
{
	struct ccfc_buf daemon = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = ccfc_installed_daemon(&daemon, err);

	if (!code)
		code = ccfc_service_write(&text, manager, daemon.ptr, err);
	if (!code)
		code = ccfc_setup_want(s, path, text.ptr, "the service", err);
	ccfc_buf_release(&daemon);
	ccfc_buf_release(&text);
	return code;
}

static int add_drop_in_step(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	char *path;
	int code = ccfc_service_drop_in(&path, err);

	if (!code)
		code = ccfc_service_write_drop_in(&text, err);
	if (!code)
		code = ccfc_setup_want(s, path, text.len ? text.ptr : NULL,
				       "the environment of the service", err);
	ccfc_buf_release(&text);
	free(path);
	return code;
}

/* Stops a running daemon: it would keep the service from starting. */
static int stop_running(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_buf text = CCFC_BUF_INIT;
	int code = ccfc_cli_connect(s->cli, CCFC_SPAWN_NEVER, err);

	if (code == CCFC_EUNREACHABLE)
		return 0;
	if (!code)
		code = ccfc_server_info(&reply, s->cli->client, err);
	if (code < 0)
		return code;
	ccfc_buf_printf(
		&text, "the daemon, pid %lld",
		(long long)ccfc_obj_get_int(ccfc_cli_value(reply), "pid", 0));
	ccfc_setup_add(s, CCFC_SETUP_STEP_STOP, text.ptr,
		       "the service starts one again");
	ccfc_buf_release(&text);
	ccfc_reply_free(reply);
	return 0;
}

static void add_systemctl_step(struct ccfc_setup *s, const char *verb, bool now,
			       unsigned set)
{
	const char *words[] = { "systemctl",
				"--user",
				verb,
				now ? "--now" : CCFC_SERVICE_UNIT,
				now ? CCFC_SERVICE_UNIT : NULL,
				NULL };

	ccfc_setup_add_run(s, words)->set = set;
}

static int start_systemd(struct ccfc_setup *s,
			 const struct ccfc_user_service *service, bool changed,
			 struct ccfc_err *err)
{
	int code = 0;

	/* Also if the manager has not read an existing file yet. */
	if (changed || !service->found)
		ccfc_setup_add_run(s, ccfc_service_reload);
	if (!service->active)
		code = stop_running(s, err);
	if (!service->enabled && !service->active)
		add_systemctl_step(s, "enable", true,
				   CCFC_SETUP_ENABLED | CCFC_SETUP_STARTED);
	else if (!service->enabled)
		add_systemctl_step(s, "enable", false, CCFC_SETUP_ENABLED);
	else if (!service->active)
		add_systemctl_step(s, "start", false, CCFC_SETUP_STARTED);
	if (service->active && changed)
		add_systemctl_step(s, "restart", false, 0);
	return code;
}

static int plan_systemd(struct ccfc_setup *s,
			const struct ccfc_user_service *service,
			struct ccfc_err *err)
{
	char *path;
	int code = ccfc_service_path(&path, service->manager, err);
	int more = 0;

	if (code < 0)
		return code;
	/* A package's, or one that the user made, stays the user's. */
	if (!service->found || (service->file && !strcmp(service->file, path) &&
				ccfc_setup_record_find(&s->record, path)))
		code = want_file(s, service->manager, path, err);
	if (code >= 0)
		more = add_drop_in_step(s, err);
	if (code >= 0 && more >= 0)
		code = start_systemd(s, service, code || more, err);
	free(path);
	return code < 0 ? code : more < 0 ? more : 0;
}

static int plan_launchd(struct ccfc_setup *s,
			const struct ccfc_user_service *service,
			struct ccfc_err *err)
{
	struct ccfc_buf domain = CCFC_BUF_INIT, agent = CCFC_BUF_INIT;
	int code = want_file(s, service->manager, service->file, err);
	int changed = code;

	ccfc_service_domain(&domain);
	ccfc_buf_printf(&agent, "%s/%s", domain.ptr, CCFC_SERVICE_LABEL);
	if (code > 0 && service->active) {
		const char *words[] = { "launchctl", "bootout", agent.ptr,
					NULL };

		ccfc_setup_add_run(s, words);
	} else if (code >= 0 && !service->active) {
		code = stop_running(s, err);
	}
	if (code >= 0 && (changed || !service->active)) {
		const char *words[] = { "launchctl", "bootstrap", domain.ptr,
					service->file, NULL };

		ccfc_setup_add_run(s, words)->set =
			service->active ? 0 : CCFC_SETUP_LOADED;
	}
	ccfc_buf_release(&domain);
	ccfc_buf_release(&agent);
	return code < 0 ? code : 0;
}

int ccfc_setup_plan_service(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_user_service service;
	int code = 0;

	if (ccfc_service_probe(&service, &s->trouble) < 0) {
		ccfc_service_release(&service);
		return 0;
	}
	s->trouble.code = 0;
	if (service.masked) {
		ccfc_err_set(&s->trouble, CCFC_EDENIED,
			     CCFC_SERVICE_UNIT " is masked");
		ccfc_err_hint(&s->trouble,
			      "systemctl --user unmask " CCFC_SERVICE_UNIT
			      " allows it again");
	} else if (service.manager == CCFC_MANAGER_SYSTEMD) {
		code = plan_systemd(s, &service, err);
	} else if (service.manager == CCFC_MANAGER_LAUNCHD) {
		code = plan_launchd(s, &service, err);
	} else {
		ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, NO_MANAGER, NULL);
	}
	ccfc_service_release(&service);
	return code;
}

/*
 * Does the daemon start with the user's session? A service is optional, since
 * every command starts the daemon. So most findings here are notes.
 */
#include "cli/doctor/doctor.h"

static void not_active(struct ccfc_doctor *d)
{
	struct ccfc_finding *f = ccfc_doctor_say(d, CCFC_LEVEL_WARN, "service",
						 "is enabled but does not run");

	if (d->info) {
		ccfc_buf_puts(&f->why, "another daemon is running and keeps "
				       "the service from starting");
		ccfc_buf_puts(&f->fix, "ccfc stop && ");
	}
	if (d->service.manager == CCFC_MANAGER_SYSTEMD)
		ccfc_buf_puts(&f->fix,
			      "systemctl --user restart " CCFC_SERVICE_UNIT);
	else
		ccfc_buf_puts(&f->fix, "ccfc setup");
}

static void not_enabled(struct ccfc_doctor *d)
{
	struct ccfc_finding *f = ccfc_doctor_say(
		d, CCFC_LEVEL_NOTE, "service", "%s",
		d->service.found ? "is not enabled" : "is not set up");

	ccfc_buf_puts(&f->why, "the daemon starts with the first command that "
			       "needs it");
	ccfc_buf_puts(&f->fix, "ccfc setup");
}

void ccfc_doctor_service(struct ccfc_doctor *d)
{
	const struct ccfc_user_service *s = &d->service;
	struct ccfc_finding *f;

	if (s->manager == CCFC_MANAGER_NONE) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, "service",
				    "there is neither systemd nor launchd");
		ccfc_buf_puts(&f->why, "the daemon starts with the first "
				       "command that needs it");
	} else if (d->service_err.code) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, "service", "%s",
				    d->service_err.what);
		ccfc_buf_puts(&f->why, d->service_err.hint);
	} else if (s->masked) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, "service",
				    CCFC_SERVICE_UNIT " is masked");
		ccfc_buf_puts(&f->fix,
			      "systemctl --user unmask " CCFC_SERVICE_UNIT);
	} else if (!s->found || !s->enabled) {
		not_enabled(d);
	} else if (!s->active) {
		not_active(d);
	} else {
		ccfc_doctor_say(d, CCFC_LEVEL_OK, "service",
				"%s is enabled and runs",
				s->file ? s->file : CCFC_SERVICE_UNIT);
	}
}

/*
 * Can the directories be watched? If the system's limits do not allow it, the
 * daemon polls, which is slower to notice changes and never idle.
 */
#include "cli/doctor/doctor.h"
#include "cli/doctor/inotify_limits.h"

#define SYSCTL_FILE   "/etc/sysctl.d/60-ccfc.conf"
#define WATCHES_MIN   524288
#define INSTANCES_MIN 1024

/* A limit counts as reached when only a twentieth of it is left. */
static bool is_reached(const struct ccfc_inotify_limit *l)
{
	return l->used >= l->max - l->max / 20;
}

static void put_raise(struct ccfc_buf *fix, const struct ccfc_inotify_limit *l,
		      int64_t least)
{
	int64_t to = l->max * 2 > least ? l->max * 2 : least;

	ccfc_buf_printf(fix,
			"echo '%s = %lld' | sudo tee -a " SYSCTL_FILE
			" && sudo sysctl -p " SYSCTL_FILE,
			l->setting, (long long)to);
}

static void no_instance(struct ccfc_doctor *d,
			const struct ccfc_inotify_limits *w, long long polled)
{
	struct ccfc_finding *f = ccfc_doctor_add(d, CCFC_LEVEL_WARN, "watches");

	if (d->info)
		ccfc_buf_printf(&f->what, "%lld directories are polled",
				polled);
	else
		ccfc_buf_puts(&f->what, "a daemon would have to poll");
	ccfc_buf_printf(&f->why,
			"no inotify instance is left (%s is %lld, %lld are in "
			"use)",
			w->instances.setting, (long long)w->instances.max,
			(long long)w->instances.used);
	put_raise(&f->fix, &w->instances, INSTANCES_MIN);
	if (!d->info)
		return;
	ccfc_buf_puts(&f->fix, " && ");
	ccfc_doctor_stop(d, &f->fix);
	ccfc_buf_puts(&f->fix, " && ");
	ccfc_doctor_start(d, &f->fix);
}

static void no_watches(struct ccfc_doctor *d,
		       const struct ccfc_inotify_limits *w, long long polled)
{
	struct ccfc_finding *f = ccfc_doctor_add(d, CCFC_LEVEL_WARN, "watches");

	if (polled)
		ccfc_buf_printf(&f->what, "%lld directories are polled",
				polled);
	else
		ccfc_buf_puts(&f->what, "few watches are left");
	ccfc_buf_printf(&f->why, "%s is %lld, and %lld are in use",
			w->watches.setting, (long long)w->watches.max,
			(long long)w->watches.used);
	put_raise(&f->fix, &w->watches, WATCHES_MIN);
}

static void say_watches_suffice(struct ccfc_doctor *d,
				const struct ccfc_inotify_limits *w,
				long long dirs, long long polled)
{
	struct ccfc_finding *f;

	if (d->info)
		f = ccfc_doctor_say(d, CCFC_LEVEL_OK, "watches",
				    "%lld directories are watched", dirs);
	else
		f = ccfc_doctor_say(d, CCFC_LEVEL_OK, "watches",
				    "there are enough");
	ccfc_buf_printf(&f->what,
			" (%lld of %lld watches and %lld of %lld instances in "
			"use)",
			(long long)w->watches.used, (long long)w->watches.max,
			(long long)w->instances.used,
			(long long)w->instances.max);
	if (!polled)
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, "watches",
			    "%lld directories are polled", polled);
	ccfc_buf_puts(&f->why, "they have symbolic links to transcripts, which "
			       "cannot be watched");
}

void ccfc_doctor_watch(struct ccfc_doctor *d)
{
	struct ccfc_obj watch = ccfc_obj_get(ccfc_doctor_info(d), "watch");
	long long dirs = (long long)ccfc_obj_get_int(watch, "dirs", 0);
	long long polled = (long long)ccfc_obj_get_int(watch, "polled", 0);
	struct ccfc_inotify_limits w;

	/* Denied directories are not about limits; see doctor_sources.c. */
	if (polled <= (long long)ccfc_obj_get_int(watch, "denied", 0))
		polled = 0;
	if (!ccfc_inotify_limits_read(&w, "/proc"))
		return;
	if (d->info ? polled && !dirs && !is_reached(&w.watches)
		    : w.instances.used >= w.instances.max)
		no_instance(d, &w, polled);
	else if (is_reached(&w.watches))
		no_watches(d, &w, polled);
	else
		say_watches_suffice(d, &w, dirs, polled);
}

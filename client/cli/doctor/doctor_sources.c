/*
 * Can all transcripts be read, and were they read? Some bad lines are normal:
 * the client leaves them when it is killed.
 */
#include "cli/doctor/doctor.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "os/dirs.h"

#include <sys/stat.h>
#include <unistd.h>

#define KEY "transcripts"

/* The largest max-line that the daemon accepts. */
#define LINE_MAX_TEXT "2000M"

static bool check_root(struct ccfc_doctor *d, const char *root)
{
	struct ccfc_finding *f;
	struct stat st;

	if (!stat(root, &st))
		return true;
	f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY, "there is no %s", root);
	ccfc_buf_puts(&f->why, "Claude Code was not used with it yet; "
			       "CLAUDE_CONFIG_DIR names another one");
	return false;
}

static bool check_denied(struct ccfc_doctor *d)
{
	const struct ccfc_transcripts *t = &d->transcripts;
	struct ccfc_finding *f;
	struct stat st;
	bool ours;

	if (!t->denials)
		return true;
	ours = stat(t->denied, &st) || st.st_uid == geteuid();
	f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, KEY, "%u cannot be read",
			    t->denials);
	ccfc_buf_printf(&f->why, "%s %s", t->denied,
			ours ? "has a mode that does not let you"
			     : "belongs to another user");
	ccfc_buf_puts(&f->fix,
		      ours ? "chmod -R u+rX" : "sudo chown -R \"$(id -un)\"");
	for (uint32_t i = 0; i < d->roots.n; i++) {
		struct ccfc_buf path = CCFC_BUF_INIT;

		ccfc_buf_printf(&path, "%s/projects", d->roots.items[i]);
		if (ccfc_slice_starts(ccfc_slice_str(t->denied), path.ptr) ||
		    t->denials > 1) {
			ccfc_buf_putc(&f->fix, ' ');
			ccfc_doctor_quote(&f->fix, path.ptr);
		}
		ccfc_buf_release(&path);
	}
	return false;
}

/* What the daemon could not read at its last attempt. */
static bool check_unread(struct ccfc_doctor *d, bool denied)
{
	struct ccfc_obj unread = ccfc_obj_get(ccfc_doctor_info(d), "unread");
	long long n = (long long)ccfc_obj_get_int(unread, "total", 0);
	struct ccfc_obj paths = ccfc_obj_get(unread, "paths");
	struct ccfc_finding *f;

	if (n <= 0)
		return true;
	/* If we may not read it either, another finding has the fix. */
	f = ccfc_doctor_say(d, denied ? CCFC_LEVEL_NOTE : CCFC_LEVEL_WARN, KEY,
			    "the daemon could not read %lld: ", n);
	ccfc_render_unread(&f->what, ccfc_obj_at(paths, 0));
	ccfc_buf_puts(&f->why, "answers lack what was written there since; "
			       "each question tries again");
	if (denied)
		return false;
	ccfc_doctor_stop(d, &f->fix);
	ccfc_buf_puts(&f->fix, " && ");
	ccfc_doctor_start(d, &f->fix);
	return false;
}

/* Links are followed and counted as their targets. */
static void note_names(struct ccfc_doctor *d)
{
	struct ccfc_obj rows = { 0 };
	struct ccfc_finding *f;
	uint32_t n = 0, first = 0;

	if (d->sources)
		rows = ccfc_obj_get(ccfc_cli_value(d->sources), "sources");
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		if (ccfc_obj_len(ccfc_obj_get(ccfc_obj_at(rows, i), "names")) &&
		    !n++)
			first = i;
	if (!n)
		return;
	rows = ccfc_obj_at(rows, first);
	f = ccfc_doctor_add(d, CCFC_LEVEL_NOTE, KEY);
	ccfc_render_count(&f->what, n, "transcript");
	ccfc_buf_printf(&f->what, " %s several names, first ",
			n == 1 ? "has" : "have");
	ccfc_buf_slice(&f->what, ccfc_obj_get_str(rows, "path"));
	ccfc_buf_puts(&f->what, ", also ");
	ccfc_buf_slice(&f->what, ccfc_obj_str(ccfc_obj_at(
					 ccfc_obj_get(rows, "names"), 0)));
	ccfc_buf_puts(&f->why, "links lead to it; it is read and counted once");
}

/* The first of the transcripts with a count under `key`. */
static struct ccfc_slice first_with(const struct ccfc_doctor *d,
				    const char *key)
{
	struct ccfc_obj rows = { 0 };

	if (d->sources)
		rows = ccfc_obj_get(ccfc_cli_value(d->sources), "sources");
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);

		if (ccfc_obj_get_int(row, key, 0) > 0)
			return ccfc_obj_get_str(row, "path");
	}
	return CCFC_SLICE_NONE;
}

static struct ccfc_finding *add_lines(struct ccfc_doctor *d,
				      enum ccfc_level level, const char *key,
				      const char *what, const char *why)
{
	struct ccfc_obj lines = ccfc_obj_get(ccfc_doctor_info(d), "lines");
	long long n = (long long)ccfc_obj_get_int(lines, key, 0);
	struct ccfc_slice first = first_with(d, key);
	struct ccfc_finding *f;

	if (n <= 0)
		return NULL;
	f = ccfc_doctor_add(d, level, KEY);
	ccfc_render_count(&f->what, n, "line");
	ccfc_buf_printf(&f->what, " %s %s", n == 1 ? "is" : "are", what);
	if (first.len) {
		ccfc_buf_puts(&f->what, ", first in ");
		ccfc_buf_slice(&f->what, first);
	}
	ccfc_buf_puts(&f->why, why);
	return f;
}

static bool check_lines(struct ccfc_doctor *d)
{
	struct ccfc_finding *f;
	struct ccfc_buf config = CCFC_BUF_INIT, dir = CCFC_BUF_INIT;

	add_lines(d, CCFC_LEVEL_NOTE, "malformed", "not JSON",
		  "the client was stopped while it wrote, or the file is "
		  "damaged; they are left out");
	f = add_lines(d, CCFC_LEVEL_WARN, "tooLong", "too long",
		      "they are left out; max-line in the config file says "
		      "how long one may be");
	if (f && !ccfc_dirs_config(&config, NULL)) {
		ccfc_buf_slice(&dir, ccfc_buf_view(&config));
		*strrchr(dir.ptr, '/') = '\0';
		ccfc_buf_puts(&f->fix, "mkdir -p ");
		ccfc_doctor_quote(&f->fix, dir.ptr);
		ccfc_buf_puts(&f->fix,
			      " && echo 'max-line = " LINE_MAX_TEXT "' >> ");
		ccfc_doctor_quote(&f->fix, config.ptr);
		ccfc_buf_puts(&f->fix, " && ");
		ccfc_doctor_stop(d, &f->fix);
		ccfc_buf_puts(&f->fix, " && ");
		ccfc_doctor_start(d, &f->fix);
		ccfc_buf_puts(&f->fix, " && ccfc index --build");
	}
	ccfc_buf_release(&config);
	ccfc_buf_release(&dir);
	return !f;
}

static void check_indexing(struct ccfc_doctor *d)
{
	struct ccfc_obj at = ccfc_obj_get(ccfc_doctor_info(d), "indexing");

	if (!ccfc_obj_get_bool(at, "running", false))
		return;
	ccfc_doctor_say(d, CCFC_LEVEL_NOTE, KEY,
			"still being read, %lld of %lld are done",
			(long long)ccfc_obj_get_int(at, "filesDone", 0),
			(long long)ccfc_obj_get_int(at, "filesTotal", 0));
}

void ccfc_doctor_sources(struct ccfc_doctor *d)
{
	struct ccfc_obj sources = ccfc_obj_get(ccfc_doctor_info(d), "sources");
	struct ccfc_finding *f;
	bool good = true, denied;

	for (uint32_t i = 0; i < d->roots.n; i++)
		good = check_root(d, d->roots.items[i]) && good;
	denied = !check_denied(d);
	good = check_unread(d, denied) && !denied && good;
	good = check_lines(d) && good;
	check_indexing(d);
	note_names(d);
	if (!good)
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_OK, KEY, "%u on disk",
			    d->transcripts.n);
	if (d->info)
		ccfc_buf_printf(
			&f->what,
			", %lld are indexed and %lld more that are "
			"gone",
			(long long)ccfc_obj_get_int(sources, "present", 0),
			(long long)ccfc_obj_get_int(sources, "gone", 0));
}

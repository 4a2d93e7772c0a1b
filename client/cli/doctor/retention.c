/* Claude Code's retention; see retention.h. */
#include "cli/doctor/retention.h"

#include "cli/doctor/doctor.h"

static void use_setting(struct ccfc_retention *r, const char *path,
			const struct ccfc_setting *setting)
{
	ccfc_buf_clear(&r->file);
	ccfc_buf_puts(&r->file, path);
	r->exists = true;
	r->setting = *setting;
}

/* Keeps only the first problem. */
static void note_trouble(struct ccfc_retention *r, const char *path,
			 const char *text)
{
	if (r->trouble.len)
		return;
	ccfc_buf_puts(&r->trouble_file, path);
	ccfc_buf_puts(&r->trouble, text);
}

/* True: this file sets the days. */
static bool read_settings_file(struct ccfc_retention *r, const char *path)
{
	struct ccfc_setting setting;
	struct ccfc_err err;
	int code = ccfc_setting_read(&setting, path, CCFC_RETENTION_KEY, &err);

	if (code == CCFC_ENOTFOUND)
		return false;
	if (code < 0) {
		note_trouble(r, path, err.what);
		return false;
	}
	if (setting.kind == CCFC_SETTING_ABSENT)
		return false;
	if (setting.kind == CCFC_SETTING_OTHER || setting.number < 0) {
		ccfc_err_set(&err, CCFC_EINVAL,
			     "%s: line %u: " CCFC_RETENTION_KEY
			     " is not a number of days",
			     path, setting.line);
		note_trouble(r, path, err.what);
		return false;
	}
	use_setting(r, path, &setting);
	r->days = setting.number;
	r->is_default = false;
	return true;
}

void ccfc_retention_init(struct ccfc_retention *r, const char *root,
			 const char *managed)
{
	struct ccfc_buf user = CCFC_BUF_INIT, local = CCFC_BUF_INIT;
	struct ccfc_setting setting;
	int code;

	*r = (struct ccfc_retention){ .days = CCFC_RETENTION_DEFAULT,
				      .is_default = true };
	ccfc_buf_printf(&user, "%s/settings.json", root);
	ccfc_buf_printf(&local, "%s/settings.local.json", root);
	r->managed = read_settings_file(r, managed);
	if (!r->managed && !read_settings_file(r, local.ptr) &&
	    !read_settings_file(r, user.ptr)) {
		/* No file sets the days; this one could. */
		code = ccfc_setting_read(&setting, user.ptr, CCFC_RETENTION_KEY,
					 NULL);
		use_setting(r, user.ptr, &setting);
		r->exists = code != CCFC_ENOTFOUND;
		if (code < 0)
			r->setting.kind = CCFC_SETTING_ABSENT;
	}
	ccfc_buf_release(&user);
	ccfc_buf_release(&local);
}

void ccfc_retention_release(struct ccfc_retention *r)
{
	ccfc_buf_release(&r->file);
	ccfc_buf_release(&r->trouble);
	ccfc_buf_release(&r->trouble_file);
}

/*
 * Edits one line with sed: sed is everywhere, and -i with a suffix is the same
 * for GNU and BSD. If a file cannot be edited this way, the command is the
 * user's editor.
 */
void ccfc_retention_fix(struct ccfc_buf *out, const struct ccfc_retention *r,
			int64_t days)
{
	const struct ccfc_setting *s = &r->setting;
	const char *sudo = r->managed ? "sudo " : "";
	long long n = (long long)days;

	if (!r->exists || s->empty) {
		ccfc_buf_printf(
			out, "echo '{ \"" CCFC_RETENTION_KEY "\": %lld }' > ",
			n);
	} else if (s->kind != CCFC_SETTING_ABSENT && s->one_line) {
		ccfc_buf_printf(out,
				"%ssed -i.bak '%us/\"" CCFC_RETENTION_KEY
				"\"[^,}]*/\"" CCFC_RETENTION_KEY "\": %lld/' ",
				sudo, s->line, n);
	} else if (s->kind == CCFC_SETTING_ABSENT && s->open_line) {
		ccfc_buf_printf(out,
				"sed -i.bak '%us/{/{ \"" CCFC_RETENTION_KEY
				"\": %lld,/' ",
				s->open_line, n);
	} else {
		ccfc_buf_printf(out, "%s\"${EDITOR:-vi}\" ", sudo);
	}
	ccfc_doctor_quote(out, r->file.ptr);
}

/*
 * Writing and reading manifests; see manifest.h. Manifests are checked like
 * untrusted input, because the temporary files they name are deleted.
 */
#include "cli/undo/manifest.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/write/kvfile.h"

#include <stdlib.h>

#define MAGIC "ccfc-undo 1"

static const char *const kinds[] = {
	[CCFC_UNDO_RESTORE] = "restore",
	[CCFC_UNDO_CHANGE] = "change",
	[CCFC_UNDO_UNDO] = "undo",
};

void ccfc_manifest_init(struct ccfc_manifest *m, const char *command)
{
	*m = (struct ccfc_manifest){ .command = ccfc_strdup(command) };
}

void ccfc_manifest_release(struct ccfc_manifest *m)
{
	for (uint32_t i = 0; i < m->files.n; i++)
		free(m->files.items[i].path);
	free(m->files.items);
	free(m->command);
	*m = (struct ccfc_manifest){ 0 };
}

struct ccfc_undo_file *ccfc_manifest_add(struct ccfc_manifest *m,
					 const char *path)
{
	struct ccfc_undo_file file = { .path = ccfc_strdup(path) };

	CCFC_VEC_PUSH(m->files, file);
	return &m->files.items[m->files.n - 1];
}

/* ---- writing ---- */

static void put_manifest_file(struct ccfc_buf *out,
			      const struct ccfc_undo_file *file)
{
	ccfc_kvfile_put(out, "path", file->path);
	if (*file->was)
		ccfc_buf_printf(out, "old %s %o %lu %lu\n", file->was,
				(unsigned)file->attr.mode,
				(unsigned long)file->attr.uid,
				(unsigned long)file->attr.gid);
	else
		ccfc_buf_puts(out, "old -\n");
	ccfc_buf_printf(out, "new %s\n", *file->now ? file->now : "-");
	ccfc_buf_printf(out, "temp %s\ndirs %u\n", file->temp, file->dirs);
}

void ccfc_manifest_write(struct ccfc_buf *out, const struct ccfc_manifest *m)
{
	char time[CCFC_TIME_TEXT_MAX];

	ccfc_buf_puts(out, MAGIC "\n");
	ccfc_buf_printf(out, "time %s\n", ccfc_time_format(time, m->time));
	ccfc_kvfile_put(out, "command", m->command);
	ccfc_buf_printf(out, "kind %s\n", kinds[m->kind]);
	ccfc_buf_printf(out, "undoes %s\n", *m->undoes ? m->undoes : "-");
	for (uint32_t i = 0; i < m->files.n; i++)
		put_manifest_file(out, &m->files.items[i]);
	ccfc_buf_puts(out, "end\n");
}

/* ---- reading ---- */

static bool read_old(struct ccfc_undo_file *file, struct ccfc_slice v)
{
	unsigned long mode, uid, gid;

	if (!ccfc_kvfile_take_hash(file->was, &v))
		return false;
	if (!*file->was)
		return !v.len;
	if (!ccfc_kvfile_take_number(&mode, &v, 8) ||
	    !ccfc_kvfile_take_number(&uid, &v, 10) ||
	    !ccfc_kvfile_take_number(&gid, &v, 10) || v.len || mode > 07777)
		return false;
	file->attr = (struct ccfc_attr){ (mode_t)mode, (uid_t)uid, (gid_t)gid };
	return true;
}

static bool read_file(struct ccfc_manifest *m, struct ccfc_slice *text)
{
	struct ccfc_undo_file *file;
	unsigned long dirs = 0;
	struct ccfc_slice v;
	char *path = ccfc_kvfile_take(&v, text, "path") ? ccfc_kvfile_decode(v)
							: NULL;

	if (!path || path[0] != '/' || m->files.n == CCFC_MANIFEST_FILES) {
		free(path);
		return false;
	}
	file = ccfc_manifest_add(m, path);
	free(path);
	if (!ccfc_kvfile_take(&v, text, "old") || !read_old(file, v) ||
	    !ccfc_kvfile_take(&v, text, "new") ||
	    !ccfc_kvfile_take_hash(file->now, &v) || v.len ||
	    !ccfc_kvfile_take(&v, text, "temp") ||
	    !ccfc_kvfile_read_temp(file->temp, v) ||
	    !ccfc_kvfile_take(&v, text, "dirs") ||
	    !ccfc_kvfile_take_number(&dirs, &v, 10) || v.len)
		return false;
	file->dirs = (unsigned)dirs;
	return true;
}

static bool read_kind(enum ccfc_undo_kind *kind, struct ccfc_slice v)
{
	for (int i = CCFC_UNDO_RESTORE; i <= CCFC_UNDO_UNDO; i++) {
		*kind = (enum ccfc_undo_kind)i;
		if (ccfc_slice_is(v, kinds[i]))
			return true;
	}
	return false;
}

static bool read_head(struct ccfc_manifest *m, struct ccfc_slice *text)
{
	struct ccfc_slice v;

	if (!ccfc_kvfile_take(&v, text, "ccfc-undo") ||
	    !ccfc_slice_is(v, "1") || !ccfc_kvfile_take(&v, text, "time"))
		return false;
	m->time = ccfc_time_parse(v);
	if (!ccfc_kvfile_take(&v, text, "command"))
		return false;
	free(m->command);
	m->command = ccfc_kvfile_decode(v);
	if (!m->command || !ccfc_kvfile_take(&v, text, "kind") ||
	    !read_kind(&m->kind, v))
		return false;
	if (!ccfc_kvfile_take(&v, text, "undoes") || v.len >= sizeof(m->undoes))
		return false;
	if (!ccfc_slice_is(v, "-"))
		memcpy(m->undoes, v.ptr, v.len);
	return m->time != CCFC_TIME_NONE;
}

int ccfc_manifest_read(struct ccfc_manifest *m, struct ccfc_slice text,
		       struct ccfc_err *err)
{
	if (!read_head(m, &text))
		return ccfc_err_set(err, CCFC_ECORRUPT,
				    "damaged, or of another version");
	while (!ccfc_slice_is(text, "end\n"))
		if (!read_file(m, &text))
			return ccfc_err_set(err, CCFC_ECORRUPT, "damaged");
	return 0;
}

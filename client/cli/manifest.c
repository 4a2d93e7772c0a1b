/*
 * Writing and reading manifests; see manifest.h. What is read is checked as
 * if it came from outside: names of temporary files are deleted by it.
 */
#include "cli/manifest.h"

#include "base/alloc.h"
#include "base/time.h"

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

static void put_text(struct ccfc_buf *out, const char *key, const char *text)
{
	ccfc_buf_printf(out, "%s ", key);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p > 0x20 && *p < 0x7f && *p != '%')
			ccfc_buf_putc(out, (char)*p);
		else
			ccfc_buf_printf(out, "%%%02x", *p);
	}
	ccfc_buf_putc(out, '\n');
}

static void put_file(struct ccfc_buf *out, const struct ccfc_undo_file *file)
{
	put_text(out, "path", file->path);
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
	put_text(out, "command", m->command);
	ccfc_buf_printf(out, "kind %s\n", kinds[m->kind]);
	ccfc_buf_printf(out, "undoes %s\n", *m->undoes ? m->undoes : "-");
	for (uint32_t i = 0; i < m->files.n; i++)
		put_file(out, &m->files.items[i]);
	ccfc_buf_puts(out, "end\n");
}

/* ---- reading ---- */

/* The value of the next line if that has `key`, and the text moved on. */
static bool take(struct ccfc_slice *value, struct ccfc_slice *text,
		 const char *key)
{
	const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
	size_t n = strlen(key), len = end ? (size_t)(end - text->ptr) : 0;

	if (!end || len < n + 1 || memcmp(text->ptr, key, n) != 0 ||
	    text->ptr[n] != ' ')
		return false;
	*value = ccfc_slice(text->ptr + n + 1, len - n - 1);
	*text = ccfc_slice(end + 1, text->len - len - 1);
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *decode(struct ccfc_slice s)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "");
	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.ptr[i];

		if (c == '%') {
			int hi = i + 2 < s.len ? hex(s.ptr[i + 1]) : -1;
			int lo = i + 2 < s.len ? hex(s.ptr[i + 2]) : -1;

			c = hi < 0 || lo < 0 ? 0 : hi * 16 + lo;
			i += 2;
		}
		if (c <= 0) {
			ccfc_buf_release(&out);
			return NULL;
		}
		ccfc_buf_putc(&out, (char)c);
	}
	return ccfc_buf_detach(&out, NULL);
}

static bool all_hex(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (hex(s.ptr[i]) < 0)
			return false;
	return true;
}

/* "-", or the 64 digits that the value starts with; the rest is left. */
static bool take_hash(char out[CCFC_SHA256_HEX + 1], struct ccfc_slice *value)
{
	size_t n = CCFC_SHA256_HEX;

	out[0] = '\0';
	if (ccfc_slice_is(*value, "-")) {
		*value = CCFC_SLICE_NONE;
		return true;
	}
	if (value->len < n || !all_hex(ccfc_slice(value->ptr, n)))
		return false;
	memcpy(out, value->ptr, n);
	out[n] = '\0';
	*value = ccfc_slice(value->ptr + n, value->len - n);
	return true;
}

/* A number behind an optional blank. */
static bool take_number(unsigned long *out, struct ccfc_slice *value, int base)
{
	char text[24], *end;
	size_t n = 0;

	if (value->len && value->ptr[0] == ' ')
		*value = ccfc_slice(value->ptr + 1, value->len - 1);
	while (n < value->len && value->ptr[n] >= '0' && value->ptr[n] <= '9')
		n++;
	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, value->ptr, n);
	text[n] = '\0';
	*out = strtoul(text, &end, base);
	*value = ccfc_slice(value->ptr + n, value->len - n);
	return !*end && *out <= UINT32_MAX;
}

static bool read_old(struct ccfc_undo_file *file, struct ccfc_slice v)
{
	unsigned long mode, uid, gid;

	if (!take_hash(file->was, &v))
		return false;
	if (!*file->was)
		return !v.len;
	if (!take_number(&mode, &v, 8) || !take_number(&uid, &v, 10) ||
	    !take_number(&gid, &v, 10) || v.len || mode > 07777)
		return false;
	file->attr = (struct ccfc_attr){ (mode_t)mode, (uid_t)uid, (gid_t)gid };
	return true;
}

static bool read_temp(char out[CCFC_TEMP_MAX], struct ccfc_slice v)
{
	if (v.len != 22 || !ccfc_slice_starts(v, ".ccfc-") ||
	    !all_hex(ccfc_slice(v.ptr + 6, 16)))
		return false;
	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return true;
}

static bool read_file(struct ccfc_manifest *m, struct ccfc_slice *text)
{
	struct ccfc_undo_file *file;
	unsigned long dirs = 0;
	struct ccfc_slice v;
	char *path = take(&v, text, "path") ? decode(v) : NULL;

	if (!path || path[0] != '/' || m->files.n == CCFC_MANIFEST_FILES) {
		free(path);
		return false;
	}
	file = ccfc_manifest_add(m, path);
	free(path);
	if (!take(&v, text, "old") || !read_old(file, v) ||
	    !take(&v, text, "new") || !take_hash(file->now, &v) || v.len ||
	    !take(&v, text, "temp") || !read_temp(file->temp, v) ||
	    !take(&v, text, "dirs") || !take_number(&dirs, &v, 10) || v.len)
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

	if (!take(&v, text, "ccfc-undo") || !ccfc_slice_is(v, "1") ||
	    !take(&v, text, "time"))
		return false;
	m->time = ccfc_time_parse(v);
	if (!take(&v, text, "command"))
		return false;
	free(m->command);
	m->command = decode(v);
	if (!m->command || !take(&v, text, "kind") || !read_kind(&m->kind, v))
		return false;
	if (!take(&v, text, "undoes") || v.len >= sizeof(m->undoes))
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

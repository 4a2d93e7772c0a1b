/*
 * Changes as the client writes them down, made from the texts before and
 * after, for the tests of history; and real files to go with them. Each change
 * is a minute later than the one before.
 */
#ifndef CCFC_TEST_SERVE_TOLD_H
#define CCFC_TEST_SERVE_TOLD_H

#include "world.h"

#include "diff/diff.h"
#include "wire/to_json.h"

#define SESSION_A "aaaaaaaa-0000-4000-8000-000000000001"
#define SESSION_B "aaaabbbb-0000-4000-8000-000000000002"
#define SESSION_C "cccccccc-0000-4000-8000-000000000003"

struct told {
	struct world *w;
	char project[80]; /* w->dir/p */
	int minute;
	struct ccfc_buf lines;
	char path[4][160]; /* of the last calls of told_path, in turn */
	int turn;
};

/* The path of a file of the project. */
static inline const char *told_path(struct told *t, const char *file)
{
	char *path = t->path[t->turn++ % 4];

	snprintf(path, sizeof(t->path[0]), "%s/%s", t->project, file);
	return path;
}

static inline struct told *told_new(void)
{
	struct told *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->w = world_new();
	snprintf(t->project, sizeof(t->project), "%s/p", t->w->dir);
	assert_int_equal(mkdir(t->project, 0700), 0);
	return t;
}

static inline void told_free(struct told *t)
{
	world_free(t->w);
	ccfc_buf_release(&t->lines);
	free(t);
}

/* The file as it is now. NULL: not there. */
static inline void told_disk(struct told *t, const char *file, const char *text)
{
	const char *path = told_path(t, file);
	FILE *f;

	unlink(path);
	if (!text)
		return;
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static inline void told_head(struct told *t, const char *session, int second)
{
	ccfc_buf_printf(&t->lines,
			"{\"sessionId\":\"%s\",\"cwd\":\"%s\","
			"\"version\":\"2.1.0\",\"timestamp\":"
			"\"2025-12-10T10:%02d:%02d.000Z\",",
			session, t->project, t->minute, second);
}

static inline void told_key(struct told *t, const char *key, const char *text)
{
	ccfc_buf_printf(&t->lines, "\"%s\":", key);
	if (text)
		ccfc_json_string(&t->lines, ccfc_slice_str(text));
	else
		ccfc_buf_puts(&t->lines, "null");
}

static inline void told_call(struct told *t, const char *session,
			     const char *id, const char *tool, const char *file)
{
	t->minute++;
	told_head(t, session, 0);
	ccfc_buf_printf(&t->lines,
			"\"type\":\"assistant\",\"uuid\":\"u%s\",\"message\":{"
			"\"id\":\"m%s\",\"role\":\"assistant\",\"model\":"
			"\"opus\",\"content\":[{\"type\":\"tool_use\",\"id\":"
			"\"%s\",\"name\":\"%s\",\"input\":{",
			id, id, id, tool);
	if (file)
		told_key(t, "file_path", told_path(t, file));
}

/* Leaves the line open for toolUseResult. */
static inline void told_result(struct told *t, const char *session,
			       const char *id, bool failed)
{
	ccfc_buf_puts(&t->lines, "}}]}}\n");
	told_head(t, session, 1);
	ccfc_buf_printf(&t->lines,
			"\"type\":\"user\",\"uuid\":\"r%s\",\"message\":{"
			"\"role\":\"user\",\"content\":[{\"type\":"
			"\"tool_result\",\"tool_use_id\":\"%s\",\"content\":"
			"\"ok\"%s}]}",
			id, id, failed ? ",\"is_error\":true" : "");
}

static inline void told_end(struct told *t, const char *session)
{
	ccfc_buf_puts(&t->lines, "}\n");
	world_write(t->w, session, t->lines.ptr);
	ccfc_buf_clear(&t->lines);
}

static inline void told_line(struct told *t, char sign, struct ccfc_slice line,
			     bool *more)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_puts(&t->lines, *more ? "," : "");
	*more = true;
	ccfc_buf_putc(&text, sign);
	ccfc_buf_append(&text, line.ptr,
			line.len - ccfc_slice_ends(line, "\n"));
	ccfc_json_string(&t->lines, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* structuredPatch: one hunk with all of the file as context. */
static inline void told_patch(struct told *t, const char *old, const char *new)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_split a, b;
	struct ccfc_diff diff;
	uint32_t at = 0;
	bool more = false;

	ccfc_split(&a, ccfc_slice_str(old), &arena);
	ccfc_split(&b, ccfc_slice_str(new), &arena);
	ccfc_diff(&diff, &a, &b, &arena);
	ccfc_buf_printf(&t->lines,
			",\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":%u,"
			"\"newStart\":1,\"newLines\":%u,\"lines\":[",
			a.n, b.n);
	for (uint32_t i = 0; i <= diff.n; i++) {
		const struct ccfc_block *k = &diff.blocks[i];

		for (; at < (i < diff.n ? k->a : a.n); at++)
			told_line(t, ' ', a.lines[at], &more);
		for (; i < diff.n && at < k->a + k->an; at++)
			told_line(t, '-', a.lines[at], &more);
		for (uint32_t n = 0; i < diff.n && n < k->bn; n++)
			told_line(t, '+', b.lines[k->b + n], &more);
	}
	ccfc_buf_puts(&t->lines, "]}]");
	ccfc_arena_release(&arena);
}

/* An Edit that shows the whole file before it, and its patch. */
static inline void told_edit(struct told *t, const char *session,
			     const char *id, const char *file, const char *old,
			     const char *new)
{
	told_call(t, session, id, "Edit", file);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "old_string", old);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "new_string", new);
	told_result(t, session, id, false);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{");
	told_key(t, "filePath", told_path(t, file));
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "oldString", old);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "newString", new);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "originalFile", old);
	told_patch(t, old, new);
	ccfc_buf_putc(&t->lines, '}');
	told_end(t, session);
}

/* A Write that makes the file. */
static inline void told_create(struct told *t, const char *session,
			       const char *id, const char *file,
			       const char *text)
{
	told_call(t, session, id, "Write", file);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "content", text);
	told_result(t, session, id, false);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{\"type\":\"create\",");
	told_key(t, "filePath", told_path(t, file));
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "content", text);
	ccfc_buf_puts(&t->lines, ",\"originalFile\":null,"
				 "\"structuredPatch\":[]}");
	told_end(t, session);
}

/* An Edit of which only the strings and a patch are known. */
static inline void told_lean(struct told *t, const char *session,
			     const char *id, const char *file,
			     const char *patch)
{
	told_call(t, session, id, "Edit", file);
	ccfc_buf_puts(&t->lines,
		      ",\"old_string\":\"old\",\"new_string\":\"new\"");
	told_result(t, session, id, false);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{");
	told_key(t, "filePath", told_path(t, file));
	ccfc_buf_printf(&t->lines,
			",\"oldString\":\"old\",\"newString\":\"new\","
			"\"originalFile\":null,\"structuredPatch\":[%s]}",
			patch);
	told_end(t, session);
}

static inline void told_failure(struct told *t, const char *session,
				const char *id, const char *file)
{
	told_call(t, session, id, "Edit", file);
	ccfc_buf_puts(&t->lines, ",\"old_string\":\"x\",\"new_string\":\"y\"");
	told_result(t, session, id, true);
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":\"Error: not found\"");
	told_end(t, session);
}

/* --- a story --- */

#define T1 "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
#define T2 "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n"
#define T3 "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
#define T4 "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n"

/*
 * f.txt: C makes it, with T1; A makes it T2, B T3, A T4. new.txt: A makes it.
 * Then a failed edit of f.txt. The disk has what history says.
 */
static inline int setup(void **state)
{
	struct told *t = told_new();

	told_create(t, SESSION_C, "toolu_00c", "f.txt", T1);
	told_edit(t, SESSION_A, "toolu_01a", "f.txt", T1, T2);
	told_edit(t, SESSION_B, "toolu_02b", "f.txt", T2, T3);
	told_create(t, SESSION_A, "toolu_03a", "new.txt", "fresh\n");
	told_edit(t, SESSION_A, "toolu_03c", "f.txt", T3, T4);
	told_failure(t, SESSION_A, "toolu_09f", "f.txt");
	told_disk(t, "f.txt", T4);
	told_disk(t, "new.txt", "fresh\n");
	*state = t;
	return 0;
}

static inline int teardown(void **state)
{
	told_free(*state);
	return 0;
}

/* "path=<path>;more", for options. */
static inline const char *on(struct told *t, const char *file, const char *more)
{
	static char text[400];

	snprintf(text, sizeof(text), "path=%s;%s", told_path(t, file), more);
	return text;
}

static inline void fails(struct told *t, const char *method,
			 const char *options, int code, const char *what,
			 const char *hint)
{
	world_call(t->w, method, options);
	if (!t->w->reply.failed || t->w->reply.error.code != code ||
	    !strstr(t->w->reply.error.what, what) ||
	    !strstr(t->w->reply.error.hint, hint))
		fail_msg("%s {%s}: %d '%s' '%s'", method, options,
			 t->w->reply.error.code, t->w->reply.error.what,
			 t->w->reply.error.hint);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif

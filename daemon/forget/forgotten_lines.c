/*
 * Forgotten lines; see forgotten_lines.h. A result often does not name its
 * file, so the ids of the calls of forgotten files are remembered.
 */
#include "forget/forgotten_lines.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "shell/shell.h"

#include <stdlib.h>
#include <string.h>

#define WORD_MAX 4096u

struct ccfc_forgotten_lines {
	const struct ccfc_forgotten *list;
	struct ccfc_slice home;
	struct ccfc_map by_id;
	struct {
		uint64_t *items; /* hashes of ids */
		uint32_t n, cap;
	} calls;
	struct ccfc_shell_effects effects;
	struct ccfc_buf path, key;
	struct {
		struct ccfc_backup *items;
		uint32_t n, cap;
	} backups; /* of the last thinned snapshot */
};

struct ccfc_forgotten_lines *
ccfc_forgotten_lines_new(const struct ccfc_forgotten *list, const char *home)
{
	struct ccfc_forgotten_lines *l = ccfc_calloc(1, sizeof(*l));

	l->list = list;
	l->home = ccfc_slice_str(home);
	ccfc_map_init(&l->by_id);
	ccfc_shell_effects_init(&l->effects);
	return l;
}

void ccfc_forgotten_lines_free(struct ccfc_forgotten_lines *l)
{
	if (!l)
		return;
	ccfc_map_release(&l->by_id);
	free(l->calls.items);
	ccfc_shell_effects_release(&l->effects);
	ccfc_buf_release(&l->path);
	ccfc_buf_release(&l->key);
	free(l->backups.items);
	free(l);
}

/* --- calls --- */

static bool is_call(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_forgotten_lines *l = ctx;

	return l->calls.items[id] == *(const uint64_t *)key;
}

static bool knows_call(const struct ccfc_forgotten_lines *l,
		       struct ccfc_slice id)
{
	uint64_t hash = ccfc_hash(id.ptr, id.len);

	return id.len &&
	       ccfc_map_get(&l->by_id, hash, is_call, l, &hash) != CCFC_ID_NONE;
}

static void note_call(struct ccfc_forgotten_lines *l, struct ccfc_slice id)
{
	uint64_t hash = ccfc_hash(id.ptr, id.len);

	if (!id.len || knows_call(l, id))
		return;
	ccfc_map_put(&l->by_id, hash, l->calls.n);
	CCFC_VEC_PUSH(l->calls, hash);
}

/* --- files --- */

static bool is_file(struct ccfc_forgotten_lines *l,
		    const struct ccfc_record *record, struct ccfc_slice path)
{
	ccfc_buf_clear(&l->path);
	return path.len &&
	       ccfc_path_normalise(&l->path, path, record->cwd, l->home) &&
	       ccfc_forgotten_file(l->list, ccfc_buf_view(&l->path),
				   record->time);
}

/* Does `c` end a word, in a command or in JSON? Called for every character. */
static bool ends_word(char c)
{
	static const bool ends[256] = {
		[' '] = true, ['\t'] = true, ['\r'] = true, ['\n'] = true,
		[';'] = true, ['|'] = true,  ['&'] = true,  ['<'] = true,
		['>'] = true, ['('] = true,  [')'] = true,  ['['] = true,
		[']'] = true, ['{'] = true,  ['}'] = true,  ['\''] = true,
		['"'] = true, ['`'] = true,  ['='] = true,  [','] = true,
		[':'] = true, ['\\'] = true,
	};

	return ends[(unsigned char)c];
}

/* Is a word of the command the name of a forgotten file? */
static bool has_word(struct ccfc_forgotten_lines *l,
		     const struct ccfc_record *record, struct ccfc_slice text)
{
	while (text.len) {
		size_t n = 0;

		while (n < text.len && !ends_word(text.ptr[n]))
			n++;
		if (n && n <= WORD_MAX &&
		    is_file(l, record, ccfc_slice(text.ptr, n)))
			return true;
		text = ccfc_slice_from(text, n < text.len ? n + 1 : n);
	}
	return false;
}

/* The same for a result's line; only words with a dot or a slash count. */
static bool has_name(struct ccfc_forgotten_lines *l,
		     const struct ccfc_record *record, struct ccfc_slice line)
{
	const char *at = line.ptr, *end = line.ptr + line.len;

	while (at < end) {
		const char *word = at;
		bool dots = false;

		for (; at < end && !ends_word(*at); at++)
			dots |= *at == '.' || *at == '/';
		if (dots && (size_t)(at - word) <= WORD_MAX &&
		    is_file(l, record, ccfc_slice(word, (size_t)(at - word))))
			return true;
		/* An escape is two characters. */
		at += at < end && *at == '\\' ? 2 : 1;
	}
	return false;
}

static bool has_target(struct ccfc_forgotten_lines *l,
		       const struct ccfc_record *record,
		       const struct ccfc_call *call)
{
	struct ccfc_shell_env env = {
		.cwd = record->cwd,
		.home = l->home,
		.language =
			call->foreign ? CCFC_SHELL_POWERSHELL : CCFC_SHELL_BASH,
	};

	ccfc_shell_read(&l->effects, call->command, &env);
	for (uint32_t i = 0; i < l->effects.all.n; i++)
		if (is_file(l, record, l->effects.all.items[i].path) ||
		    is_file(l, record, l->effects.all.items[i].from))
			return true;
	return has_word(l, record, call->command);
}

static bool has_call(struct ccfc_forgotten_lines *l,
		     const struct ccfc_record *record)
{
	bool any = false;

	for (uint32_t i = 0; i < record->ncalls; i++) {
		const struct ccfc_call *call = &record->calls[i];

		if (!(call->shell ? has_target(l, record, call)
				  : is_file(l, record, call->path)))
			continue;
		note_call(l, call->id);
		any = true;
	}
	return any;
}

static bool has_result(struct ccfc_forgotten_lines *l,
		       const struct ccfc_record *record)
{
	for (uint32_t i = 0; i < record->nresults; i++) {
		const struct ccfc_result *result = &record->results[i];

		if (knows_call(l, result->id) ||
		    is_file(l, record, result->path))
			return true;
		for (uint32_t k = 0; k < result->nfiles; k++)
			if (is_file(l, record, result->files[k].path))
				return true;
	}
	return false;
}

bool ccfc_forgotten_lines_has(struct ccfc_forgotten_lines *l,
			      const struct ccfc_record *record,
			      struct ccfc_slice line)
{
	if (ccfc_forgotten_session(l->list, record->session))
		return true;
	if (!ccfc_forgotten_files(l->list))
		return false;
	return has_call(l, record) || has_result(l, record) ||
	       is_file(l, record, record->shown) ||
	       (record->nresults && has_name(l, record, line));
}

/* --- snapshots --- */

bool ccfc_forgotten_lines_thin(struct ccfc_forgotten_lines *l,
			       struct ccfc_slice session,
			       struct ccfc_record *record)
{
	l->backups.n = 0;
	for (uint32_t i = 0; i < record->nbackups; i++)
		if (!ccfc_forgotten_tracked(l->list, session,
					    record->backups[i].path))
			CCFC_VEC_PUSH(l->backups, record->backups[i]);
	if (l->backups.n == record->nbackups)
		return false;
	record->backups = l->backups.items;
	record->nbackups = l->backups.n;
	return true;
}

/*
 * Blanks `"path":{…}` and a comma next to it. Clients write no nested braces
 * there.
 */
static bool blank_entry(struct ccfc_buf *key, struct ccfc_slice path,
			char *line, size_t len)
{
	char *from, *to;

	ccfc_buf_clear(key);
	ccfc_buf_printf(key, "\"%.*s\":{", (int)path.len, path.ptr);
	from = memmem(line, len, key->ptr, key->len);
	to = from ? memchr(from, '}', len - (size_t)(from - line)) : NULL;
	if (!to || from == line)
		return false;
	to++;
	if (to < line + len && *to == ',')
		to++;
	else if (from[-1] == ',')
		from--;
	memset(from, ' ', (size_t)(to - from));
	return true;
}

bool ccfc_forgotten_lines_blank(struct ccfc_forgotten_lines *l,
				struct ccfc_slice session,
				const struct ccfc_record *record, char *line,
				size_t len)
{
	for (uint32_t i = 0; i < record->nbackups; i++) {
		struct ccfc_slice path = record->backups[i].path;

		if (!ccfc_forgotten_tracked(l->list, session, path))
			continue;
		/* The path may point into the line. */
		ccfc_buf_clear(&l->path);
		ccfc_buf_slice(&l->path, path);
		if (!blank_entry(&l->key, ccfc_buf_view(&l->path), line, len))
			return false;
	}
	return true;
}

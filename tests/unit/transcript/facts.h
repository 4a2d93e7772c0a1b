/*
 * A record as one line of text, so that tests are tables of a line and what
 * it says. In the tables a backtick stands for a double quote.
 */
#ifndef CCFC_TESTS_TRANSCRIPT_FACTS_H
#define CCFC_TESTS_TRANSCRIPT_FACTS_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/time.h"
#include "transcript/record.h"

#include <stdlib.h>

#define PADDING 64

/* A copy with exactly the padding that is asked for; the caller frees it. */
static inline char *padded(struct ccfc_slice line)
{
	char *copy = ccfc_malloc(line.len + PADDING);

	if (line.len)
		memcpy(copy, line.ptr, line.len);
	memset(copy + line.len, '}', PADDING);
	return copy;
}

/* The same from a table's line, with its backticks turned to quotes. */
static inline char *quoted(const char *line)
{
	char *copy = padded(ccfc_slice_str(line));
	size_t len = strlen(line);

	for (size_t i = 0; i < len; i++)
		if (copy[i] == '`')
			copy[i] = '"';
	return copy;
}

static inline void put_field(struct ccfc_buf *out, const char *name,
			     struct ccfc_slice value)
{
	if (value.len)
		ccfc_buf_printf(out, " %s=%.*s", name, (int)value.len,
				value.ptr);
}

static inline void put_lines(struct ccfc_buf *out, int32_t added,
			     int32_t removed)
{
	ccfc_buf_puts(out, " +");
	if (added < 0)
		ccfc_buf_putc(out, '?');
	else
		ccfc_buf_printf(out, "%d", (int)added);
	ccfc_buf_puts(out, " -");
	if (removed < 0)
		ccfc_buf_putc(out, '?');
	else
		ccfc_buf_printf(out, "%d", (int)removed);
}

static inline void put_path(struct ccfc_buf *out, struct ccfc_slice path)
{
	ccfc_buf_putc(out, ' ');
	if (path.len)
		ccfc_buf_slice(out, path);
	else
		ccfc_buf_puts(out, "(none)");
}

static inline void put_call(struct ccfc_buf *out, const struct ccfc_call *call)
{
	ccfc_buf_puts(out, "; call ");
	ccfc_buf_slice(out, call->id);
	put_path(out, call->tool);
	if (call->shell)
		ccfc_buf_printf(out, " [%.*s]%s%s%s", (int)call->command.len,
				call->command.ptr, call->cut ? " cut" : "",
				call->foreign ? " foreign" : "",
				call->background ? " background" : "");
	if (!call->writes)
		return;
	put_path(out, call->path);
	if (call->nparts != 1)
		ccfc_buf_printf(out, " %u/%u", call->part, call->nparts);
	put_lines(out, call->added, call->removed);
}

/* The files of a command, with what else its result says of it. */
static inline void put_run(struct ccfc_buf *out,
			   const struct ccfc_result *result)
{
	static const char *const flags[] = { "diff", "shared", "partial",
					     "background", "interrupted" };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (result->run & 1u << i)
			ccfc_buf_printf(out, " %s", flags[i]);
	for (uint32_t i = 0; i < result->nfiles; i++) {
		const struct ccfc_run_file *f = &result->files[i];

		ccfc_buf_printf(out, ", %s", ccfc_op_text((int)f->op));
		put_path(out, f->path);
		if (f->hunks)
			put_lines(out, f->added, f->removed);
	}
}

static inline void put_result(struct ccfc_buf *out,
			      const struct ccfc_result *result)
{
	ccfc_buf_puts(out, "; result ");
	ccfc_buf_slice(out, result->id);
	ccfc_buf_printf(out, " %s", ccfc_state_text((int)result->state));
	if (result->hook)
		ccfc_buf_puts(out, " hook");
	if (result->op != CCFC_OP_MODIFIED)
		ccfc_buf_printf(out, " %s", ccfc_op_text((int)result->op));
	put_run(out, result);
	if (!result->detail)
		return;
	put_path(out, result->tool);
	put_path(out, result->path);
	put_lines(out, result->added, result->removed);
}

static inline void put_backup(struct ccfc_buf *out,
			      const struct ccfc_backup *backup)
{
	char time[CCFC_TIME_TEXT_MAX];

	ccfc_buf_puts(out, "; backup");
	put_path(out, backup->path);
	put_path(out, backup->name);
	ccfc_buf_printf(out, " v%lld %s", (long long)backup->version,
			ccfc_time_format(time, backup->time));
	if (backup->made != CCFC_TIME_NONE)
		ccfc_buf_printf(out, " made %s",
				ccfc_time_format(time, backup->made));
}

static inline void put_common(struct ccfc_buf *out,
			      const struct ccfc_record *record)
{
	static const char *const kinds[CCFC_RECORD_KINDS] = {
		"blank", "malformed", "unknown",  "other",
		"user",	 "assistant", "snapshot",
	};
	char time[CCFC_TIME_TEXT_MAX];

	ccfc_buf_puts(out, kinds[record->kind]);
	put_field(out, "session", record->session);
	put_field(out, "agent", record->agent);
	put_field(out, "uuid", record->uuid);
	put_field(out, "cwd", record->cwd);
	put_field(out, "branch", record->branch);
	put_field(out, "version", record->version);
	put_field(out, "model", record->model);
	put_field(out, "message", record->message_id);
	if (record->time != CCFC_TIME_NONE)
		ccfc_buf_printf(out, " time=%s",
				ccfc_time_format(time, record->time));
	if (record->sidechain)
		ccfc_buf_puts(out, " sidechain");
	if (record->relayed)
		ccfc_buf_puts(out, " relayed");
	if (record->boundary)
		ccfc_buf_puts(out, " boundary");
	put_field(out, "pr", record->pull_request);
	if (record->prompt)
		ccfc_buf_puts(out, " prompt");
	if (record->asked)
		ccfc_buf_puts(out, " asked");
	put_field(out, "ended", record->ended);
}

static inline void put_facts(struct ccfc_buf *out,
			     const struct ccfc_record *record)
{
	ccfc_buf_clear(out);
	put_common(out, record);
	for (uint32_t i = 0; i < record->ncalls; i++)
		put_call(out, &record->calls[i]);
	for (uint32_t i = 0; i < record->nresults; i++)
		put_result(out, &record->results[i]);
	for (uint32_t i = 0; i < record->nbackups; i++)
		put_backup(out, &record->backups[i]);
	ccfc_buf_putc(out, '\0');
}

#endif

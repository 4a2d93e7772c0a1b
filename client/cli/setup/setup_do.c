/*
 * Doing the steps of setup; see setup.h. Each step is recorded before it is
 * done, so that a killed setup can be undone too; a failed step is removed from
 * the record.
 */
#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/setup/service_manager.h"
#include "cli/setup/setup.h"
#include "cli/setup/stop.h"
#include "cli/write/replace.h"

#include <stdlib.h>

/* ---- files ---- */

/*
 * Removes the temporary file of a setup that was killed. It stays if it came
 * out of an exchange and has neither our old nor our new text: then somebody
 * wrote the file right before the exchange.
 */
static void drop_temp(struct ccfc_target *t, const struct ccfc_setup_file *row)
{
	if (*row->temp && (!ccfc_target_is(t, row->sha256) ||
			   ccfc_target_temp_is(t, row->temp, row->sha256) ||
			   ccfc_target_temp_is(t, row->temp, row->was)))
		ccfc_target_drop_temp(t, row->temp);
}

static int put_setup_file(struct ccfc_target *t, struct ccfc_slice content,
			  struct ccfc_err *err)
{
	int code = ccfc_target_prepare(t, content, NULL, err);

	if (!code)
		code = ccfc_target_commit(t, err);
	if (!code)
		code = ccfc_target_sync(t, err);
	return code;
}

/* The row has the new hash, the old one and the temporary name. */
static int record_before_write(struct ccfc_setup *s,
			       const struct ccfc_setup_step *step,
			       struct ccfc_target *t, struct ccfc_slice content,
			       unsigned dirs, struct ccfc_err *err)
{
	char sha256[CCFC_SHA256_HEX + 1];
	struct ccfc_setup_file *row;
	int code = ccfc_target_name_temp(t, err);

	if (code < 0)
		return code;
	ccfc_sha256_hex(sha256, content);
	row = ccfc_setup_record_put(&s->record, step->text, sha256, dirs);
	memcpy(row->was, t->sha256, sizeof(row->was));
	memcpy(row->temp, t->temp, sizeof(row->temp));
	return ccfc_setup_record_save(&s->record, err);
}

static int write_found(struct ccfc_setup *s, const struct ccfc_setup_step *step,
		       struct ccfc_target *t, struct ccfc_err *err)
{
	struct ccfc_slice content = ccfc_slice_str(step->content);
	struct ccfc_setup_file *row =
		ccfc_setup_record_find(&s->record, step->text);
	/* A setup that was killed may have made them already. */
	unsigned dirs = row && row->dirs > t->missing ? row->dirs : t->missing;
	int code;

	if (t->exists && !(row && ccfc_setup_file_is(row, t)))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "%s was made by somebody else just now",
				    step->text);
	if (row)
		drop_temp(t, row);
	code = record_before_write(s, step, t, content, dirs, err);
	if (!code)
		code = put_setup_file(t, content, err);
	row = ccfc_setup_record_find(&s->record, step->text);
	if (!code) {
		row->was[0] = row->temp[0] = '\0';
		return ccfc_setup_record_save(&s->record, err);
	}
	/* The earlier content is still there. */
	if (t->exists)
		ccfc_setup_record_put(&s->record, step->text, t->sha256, dirs);
	else
		ccfc_setup_record_drop(&s->record, step->text);
	ccfc_setup_record_save(&s->record, NULL);
	return code;
}

static int remove_found(struct ccfc_setup *s,
			const struct ccfc_setup_step *step,
			struct ccfc_target *t, struct ccfc_err *err)
{
	const struct ccfc_setup_file *row =
		ccfc_setup_record_find(&s->record, step->text);
	int code;

	if (!row || !ccfc_setup_file_is(row, t))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "%s was changed by somebody else just now",
				    step->text);
	drop_temp(t, row);
	code = ccfc_target_commit(t, err);
	if (code < 0)
		return code;
	ccfc_target_drop_dirs(t, row->dirs);
	ccfc_setup_record_drop(&s->record, step->text);
	return ccfc_setup_record_save(&s->record, err);
}

static int write_or_remove_file(struct ccfc_setup *s,
				const struct ccfc_setup_step *step,
				struct ccfc_err *err)
{
	struct ccfc_target target;
	int code = ccfc_setup_target(&target, s, step->text, err);

	if (!code)
		code = ccfc_target_look(&target, err);
	if (!code)
		code = step->kind == CCFC_SETUP_STEP_WRITE
			       ? write_found(s, step, &target, err)
			       : remove_found(s, step, &target, err);
	ccfc_target_release(&target);
	return code;
}

/* ---- the service ---- */

static int run_command_of_step(struct ccfc_setup *s,
			       const struct ccfc_setup_step *step,
			       struct ccfc_err *err)
{
	unsigned before = s->record.service;
	int code = 0;

	s->record.service |= step->set;
	if (step->set)
		code = ccfc_setup_record_save(&s->record, err);
	if (!code)
		code = ccfc_service_run((const char *const *)step->words, err);
	if (code < 0) {
		s->record.service = before;
		if (step->set)
			ccfc_setup_record_save(&s->record, NULL);
		return code;
	}
	s->record.service &= ~step->clear;
	return step->clear ? ccfc_setup_record_save(&s->record, err) : 0;
}

static int stop_daemon(struct ccfc_setup *s, struct ccfc_err *err)
{
	int code = ccfc_stop(s->cli, err);

	/* Gone by itself meanwhile. */
	return code == CCFC_EUNREACHABLE ? 0 : code;
}

/* ---- all ---- */

static int forget_file_of_record(struct ccfc_setup *s,
				 const struct ccfc_setup_step *step,
				 struct ccfc_err *err)
{
	const struct ccfc_setup_file *row =
		ccfc_setup_record_find(&s->record, step->text);
	struct ccfc_target target;

	if (row) {
		/* The directories of an existing file are not empty. */
		if (!ccfc_setup_target(&target, s, step->text, NULL) &&
		    !ccfc_target_look(&target, NULL)) {
			drop_temp(&target, row);
			ccfc_target_drop_dirs(&target, row->dirs);
		}
		ccfc_target_release(&target);
	}
	s->record.service &= ~step->clear;
	ccfc_setup_record_drop(&s->record, step->text);
	return ccfc_setup_record_save(&s->record, err);
}

static int carry_out_step(struct ccfc_setup *s,
			  const struct ccfc_setup_step *step,
			  struct ccfc_err *err)
{
	switch (step->kind) {
	case CCFC_SETUP_STEP_WRITE:
	case CCFC_SETUP_STEP_REMOVE:
		return write_or_remove_file(s, step, err);
	case CCFC_SETUP_STEP_FORGET:
		return forget_file_of_record(s, step, err);
	case CCFC_SETUP_STEP_RUN:
		return run_command_of_step(s, step, err);
	case CCFC_SETUP_STEP_STOP:
		return stop_daemon(s, err);
	default:
		return 0;
	}
}

int ccfc_setup_do(struct ccfc_setup *s, struct ccfc_err *err)
{
	static const char *const done[] = {
		[CCFC_SETUP_STEP_WRITE] = "wrote",
		[CCFC_SETUP_STEP_REMOVE] = "removed",
		[CCFC_SETUP_STEP_FORGET] = "left",
		[CCFC_SETUP_STEP_RUN] = "ran",
		[CCFC_SETUP_STEP_STOP] = "stopped",
		[CCFC_SETUP_STEP_NOTE] = NULL,
	};
	struct ccfc_out *out = &s->cli->out;
	int code = ccfc_setup_record_lock(&s->record, err);

	if (code < 0)
		ccfc_out_flush(out);
	for (uint32_t i = 0; code >= 0 && i < s->steps.n; i++) {
		const struct ccfc_setup_step *step = &s->steps.items[i];

		code = carry_out_step(s, step, err);
		if (code < 0) {
			ccfc_out_flush(out);
			return code;
		}
		if (!done[step->kind])
			continue;
		ccfc_buf_printf(&out->buf, "%s ", done[step->kind]);
		ccfc_out_field(out, ccfc_slice_str(step->text));
		ccfc_buf_putc(&out->buf, '\n');
	}
	return code < 0 ? code : 0;
}

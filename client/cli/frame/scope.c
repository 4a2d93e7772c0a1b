/* Which part of the history a question is about; see scope.h. */
#include "cli/frame/scope.h"

#include "cli/frame/connect.h"

#include <stdlib.h>

static int read_dates(struct ccfc_scope *scope, const struct ccfc_opts *opts,
		      const struct ccfc_opt_value *from,
		      const struct ccfc_opt_value *to, struct ccfc_err *err)
{
	if (from->set)
		scope->from_date = ccfc_time_format(scope->from, from->num);
	if (to->set)
		scope->to_date = ccfc_time_format(scope->to, to->num);
	if (from->set && to->set && from->num > to->num)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: --from=%s: later than --to=%s",
				    opts->command, from->text, to->text);
	return 0;
}

int ccfc_scope_init(struct ccfc_scope *scope, const struct ccfc_opts *opts,
		    int project, int from, int to, struct ccfc_err *err)
{
	const struct ccfc_opt_value *dir = ccfc_opts_own(opts, project);
	int code;

	*scope = (struct ccfc_scope){ 0 };
	code = ccfc_cwd_init(&scope->where, err);
	if (code < 0)
		return code;
	if (dir->set)
		scope->project = ccfc_cwd_real(&scope->where, dir->text);
	return read_dates(scope, opts, ccfc_opts_own(opts, from),
			  ccfc_opts_own(opts, to), err);
}

void ccfc_scope_release(struct ccfc_scope *scope)
{
	ccfc_cwd_release(&scope->where);
	free(scope->project);
}

int ccfc_scope_answer(const struct ccfc_scoped *command, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_scope scope;
	struct ccfc_err err;
	int code = ccfc_scope_init(&scope, opts, command->project,
				   command->from, command->to, &err);

	if (!code)
		code = command->ask(&reply, cli, opts, &scope, &err);
	if (!code) {
		ccfc_cli_note_indexing(ccfc_cli_value(reply));
		command->print(&cli->out, ccfc_cli_value(reply), opts);
	}
	ccfc_reply_free(reply);
	ccfc_scope_release(&scope);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

void ccfc_scope_more(struct ccfc_out *out, int64_t offset, int64_t shown,
		     int64_t total)
{
	long long next = offset + shown;

	if (next < total)
		ccfc_buf_printf(&out->buf, "%smore: --offset=%lld%s\n",
				ccfc_out_on(out, CCFC_STYLE_FAINT), next,
				ccfc_out_off(out));
}

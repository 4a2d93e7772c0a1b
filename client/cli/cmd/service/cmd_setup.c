/*
 * ccfc setup: the daemon as a service, completions, and plugins for editors;
 * see setup.h.
 */
#include "base/path.h"
#include "cli/frame/connect.h"
#include "cli/setup/setup.h"
#include "cli/write/claude_dirs.h"
#include "os/claude_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { OPT_REMOVE, OPT_YES, OPT_DRY_RUN };

static const struct ccfc_opt options[] = {
	[OPT_REMOVE] = { "remove", 0, CCFC_OPT_FLAG,
			 .help = "undo what setup did" },
	[OPT_YES] = { "yes", 'y', CCFC_OPT_FLAG, .help = "do not ask" },
	[OPT_DRY_RUN] = { "dry-run", 'n', CCFC_OPT_FLAG,
			  .help = "only show what would be done" },
	{ 0 },
};

/* ---- the plan ---- */

static int check_user(struct ccfc_err *err)
{
	if (geteuid() || !getenv("SUDO_UID"))
		return 0;
	ccfc_err_set(err, CCFC_EDENIED,
		     "setup works for the user who runs it; with sudo that "
		     "is root");
	ccfc_err_hint(err, "run it without sudo");
	return CCFC_EDENIED;
}

static int check_roots(const struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_claude_roots roots = { 0 };
	int code = 0;

	ccfc_claude_roots_add_all(&roots);
	/* The last path is that of the record. */
	for (uint32_t i = 0; !code && i <= s->steps.n; i++) {
		const struct ccfc_setup_step *step =
			i < s->steps.n ? &s->steps.items[i] : NULL;
		const char *path = step ? step->text : s->record.path;

		if (step && step->kind != CCFC_SETUP_STEP_WRITE)
			continue;
		for (uint32_t k = 0; !code && k < roots.n; k++)
			code = ccfc_claude_roots_dirs_check_one(
				"setup", &s->where, path, roots.items[k], err);
		/* A daemon may have more roots. */
		if (!code && s->cli->client)
			code = ccfc_claude_roots_dirs_check(
				s->cli, "setup", &s->where, &path, 1, err);
	}
	ccfc_claude_roots_release(&roots);
	return code;
}

static int plan_setup(struct ccfc_setup *s, bool remove, struct ccfc_err *err)
{
	int code;

	if (remove)
		return ccfc_setup_plan_remove(s, err);
	code = ccfc_setup_plan_shells(s, err);
	if (!code)
		code = ccfc_setup_plan_editors(s, err);
	if (!code)
		code = ccfc_setup_plan_service(s, err);
	return code ? code : check_roots(s, err);
}

/* ---- asking ---- */

static bool is_yes(const char *line, ssize_t n)
{
	while (n > 0 && strchr(" \t\r\n", line[n - 1]))
		n--;
	return (n == 1 || n == 3) && !strncasecmp(line, "yes", (size_t)n);
}

/* 1: yes; 0: no. */
static int ask_confirmation(struct ccfc_out *out, struct ccfc_err *err)
{
	char line[64];
	ssize_t n;

	if (!isatty(STDIN_FILENO)) {
		ccfc_out_flush(out);
		ccfc_err_set(err, CCFC_EINVAL,
			     "setup: nothing was done: there is no terminal "
			     "to ask for confirmation");
		ccfc_err_hint(err, "--yes does it without asking");
		return CCFC_EINVAL;
	}
	ccfc_buf_puts(&out->buf, "Go on? [y/N] ");
	ccfc_out_flush(out);
	do
		n = read(STDIN_FILENO, line, sizeof(line));
	while (n < 0 && errno == EINTR);
	return is_yes(line, n);
}

/* ---- the command ---- */

static void print_nothing(const struct ccfc_setup *s, bool remove)
{
	if (!s->trouble.code)
		ccfc_buf_puts(&s->cli->out.buf,
			      remove	   ? "nothing to remove\n"
			      : s->steps.n ? "nothing to do, but\n"
					   : "nothing to do: all is set up\n");
	ccfc_setup_print(s);
}

static int carry_out_plan(struct ccfc_setup *s, const struct ccfc_opts *opts,
			  struct ccfc_err *err)
{
	struct ccfc_buf *buf = &s->cli->out.buf;
	bool dry = ccfc_opts_own(opts, OPT_DRY_RUN)->set;
	int code;

	ccfc_buf_printf(buf, "ccfc setup%s %s\n",
			ccfc_opts_own(opts, OPT_REMOVE)->set ? " --remove" : "",
			dry ? "would" : "will");
	ccfc_setup_print(s);
	if (dry)
		return CCFC_EXIT_FOUND;
	if (!ccfc_opts_own(opts, OPT_YES)->set) {
		code = ask_confirmation(&s->cli->out, err);
		if (code < 0)
			return code;
		if (!code) {
			ccfc_buf_puts(buf, "nothing was done\n");
			return CCFC_EXIT_NOTHING;
		}
	}
	return ccfc_setup_do(s, err);
}

static int plan_and_carry_out(struct ccfc_setup *s,
			      const struct ccfc_opts *opts,
			      struct ccfc_err *err)
{
	bool remove = ccfc_opts_own(opts, OPT_REMOVE)->set;
	int code = plan_setup(s, remove, err);

	if (code < 0)
		return code;
	if (ccfc_setup_has_steps(s))
		code = carry_out_plan(s, opts, err);
	else
		print_nothing(s, remove);
	if (code == CCFC_EXIT_FOUND && s->trouble.code) {
		ccfc_out_flush(&s->cli->out);
		*err = s->trouble;
		return err->code;
	}
	return code;
}

static int run_setup(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_setup s = { 0 };
	struct ccfc_err err;
	int code = check_user(&err);

	if (!code) {
		code = ccfc_setup_init(&s, cli, &err);
		if (!code)
			code = plan_and_carry_out(&s, opts, &err);
		ccfc_setup_release(&s);
	}
	return code < 0 ? ccfc_cli_fail(&err) : code;
}

const struct ccfc_command ccfc_cmd_setup = {
	.name = "setup",
	.usage = "setup [--remove] [--yes] [--dry-run]",
	.summary = "run the daemon as a service; install completions",
	.about = "Makes the daemon start with your session, as a service of "
		 "systemd's user manager\n"
		 "or of launchd, and installs completions for shells and "
		 "plugins for editors that\n"
		 "do not find them. It shows each file that it writes and each "
		 "command that it\n"
		 "runs, and asks first. Run again, it updates what is out of "
		 "date; files that you\n"
		 "changed stay as they are. Notes say what is left to you, "
		 "such as the extension\n"
		 "of VS Code.\n"
		 "\n"
		 "A record of the steps is kept in the state directory, and "
		 "--remove undoes\n"
		 "exactly these steps. A service is optional: without one the "
		 "first command starts\n"
		 "the daemon. Exits with 1 if you answer no.",
	.examples = "  ccfc setup --dry-run    what it would do\n"
		    "  ccfc setup --yes        for scripts\n"
		    "  ccfc setup --remove     undo what setup did\n",
	.options = options,
	.args_max = 0,
	.writes = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_setup,
};

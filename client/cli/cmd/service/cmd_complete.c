/*
 * ccfc __complete: what shells ask when the user presses Tab. The help leaves
 * this command out; the scripts in packaging/completions call it:
 *
 *	ccfc __complete words WORD…		the words after "ccfc"
 *	ccfc __complete bash LINE BREAKS	LINE is up to the cursor;
 *						BREAKS is $COMP_WORDBREAKS
 *
 * The last word is unfinished. The first line of the answer says whether the
 * shell adds files of its own: "none", "files" or "dirs", then a tab and the
 * start of the last word that stays as it is ("--format="). Each further line
 * is a candidate, without that start: the value, and maybe a tab and its
 * description.
 *
 * For bash, candidates are quoted as readline inserts them, and include files;
 * after the first tab is the open quote, if there is one.
 *
 * The command never starts a daemon, never prints to stderr, and never takes
 * long: candidates from the tables are written first, and if the daemon is too
 * slow a signal ends the process.
 */
#include "cli/complete/complete.h"
#include "cli/frame/connect.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_MS	300
#define PATIENCE_MAX_MS 600000

static void exit_on_timeout(int sig)
{
	(void)sig;
	_exit(0);
}

/* CCFC_COMPLETE_TIMEOUT is for slow machines, and for tests. */
static long timeout_ms(void)
{
	const char *text = getenv("CCFC_COMPLETE_TIMEOUT");
	long ms = text ? strtol(text, NULL, 10) : 0;

	return ms > 0 && ms <= PATIENCE_MAX_MS ? ms : PATIENCE_MS;
}

static void set_timer(long ms)
{
	struct itimerval timer = { 0 };

	timer.it_value.tv_sec = ms / 1000;
	timer.it_value.tv_usec = ms % 1000 * 1000;
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void put_head(struct ccfc_buf *out, const struct ccfc_complete *c,
		     const struct ccfc_bash *bash)
{
	ccfc_buf_puts(out, ccfc_complete_wants_files(c)	 ? "files\t"
			   : ccfc_complete_wants_dirs(c) ? "dirs\t"
							 : "none\t");
	if (!bash)
		ccfc_buf_slice(out, c->stem);
	else if (bash->quote)
		ccfc_buf_putc(out, bash->quote);
	ccfc_buf_putc(out, '\n');
}

/* The stem is printed on the first line and must not break that line. */
static bool is_one_line(struct ccfc_slice stem)
{
	return !stem.len || (!memchr(stem.ptr, '\n', stem.len) &&
			     !memchr(stem.ptr, '\t', stem.len));
}

static void answer_complete(struct ccfc_cli *cli, const struct ccfc_complete *c,
			    const struct ccfc_bash *bash)
{
	struct ccfc_candidates to = { .out = &cli->out.buf,
				      .stem = c->stem,
				      .prefix = c->prefix,
				      .bash = bash };
	bool files = ccfc_complete_wants_files(c);
	bool dirs = ccfc_complete_wants_dirs(c);

	if (!is_one_line(c->stem))
		return;
	put_head(&cli->out.buf, c, bash);
	ccfc_complete_tables(&to, c);
	if (bash && (files || dirs))
		ccfc_complete_disk(&to, !files);
	if (ccfc_complete_must_ask(c) && ccfc_out_flush(&cli->out)) {
		signal(SIGALRM, exit_on_timeout);
		set_timer(timeout_ms());
		ccfc_complete_ask(&to, c, cli);
		set_timer(0);
	}
	ccfc_candidates_release(&to);
}

static void complete_words(struct ccfc_cli *cli, int n,
			   const char *const *words,
			   const struct ccfc_bash *bash)
{
	struct ccfc_complete c;

	ccfc_complete_read(&c, n, words);
	answer_complete(cli, &c, bash);
	ccfc_complete_release(&c);
}

int ccfc_complete_run(struct ccfc_cli *cli, int argc, char **argv)
{
	struct ccfc_bash bash;

	cli->out.paged = false;
	if (argc > 1 && !strcmp(argv[0], "words")) {
		complete_words(cli, argc - 1, (const char *const *)argv + 1,
			       NULL);
	} else if (argc == 3 && !strcmp(argv[0], "bash")) {
		ccfc_bash_init(&bash, argv[1], argv[2]);
		if (bash.n > 1)
			complete_words(cli, bash.n - 1,
				       (const char *const *)bash.words + 1,
				       &bash);
		ccfc_bash_release(&bash);
	}
	return 0;
}

/* Commands that Claude Code runs beside its work; see beside.h. */
#include "cli/jsonrpc/beside.h"

#include "base/time.h"
#include "wire/from_json.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define PIECE 65536u

static void exit_at_once(int signal)
{
	(void)signal;
	_exit(0);
}

void ccfc_beside_limit_time(int limit)
{
	int ms = ccfc_time_patience(limit);
	struct itimerval timer = { .it_value = { ms / 1000,
						 ms % 1000 * 1000L } };

	signal(SIGALRM, exit_at_once);
	setitimer(ITIMER_REAL, &timer, NULL);
}

bool ccfc_beside_read(struct ccfc_buf *packed, struct ccfc_doc **doc,
		      size_t max)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool fits = true, ok;
	ssize_t n;

	do {
		n = read(STDIN_FILENO, ccfc_buf_reserve(&text, PIECE), PIECE);
		if (n > 0 && fits)
			text.len += (size_t)n;
		fits = fits && text.len <= max;
	} while (n > 0 || (n < 0 && errno == EINTR));
	ok = fits && !n &&
	     !ccfc_json_read(packed, ccfc_buf_view(&text), NULL) &&
	     !ccfc_doc_parse(doc, ccfc_buf_view(packed), NULL);
	ccfc_buf_release(&text);
	return ok;
}

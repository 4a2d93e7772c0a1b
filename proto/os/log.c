/*
 * The daemon's log; see log.h. Under systemd (JOURNAL_STREAM set) each line
 * starts with the <N> priority that the journal understands, elsewhere with
 * a time and the level's name.
 */
#include "os/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Atomic int max_level = CCFC_LOG_INFO;
static const char *const names[] = { "error", "warn", "info", "debug" };
static const int priorities[] = { 3, 4, 6, 7 };

void ccfc_log_set_level(enum ccfc_log_level level)
{
	atomic_store(&max_level, (int)level);
}

int ccfc_log_level_from_text(const char *text)
{
	for (int i = 0; i < 4; i++)
		if (!strcmp(text, names[i]))
			return i;
	return -1;
}

static int make_prefix(char *line, size_t size, int level)
{
	struct timespec now;
	struct tm tm;
	char when[32];

	if (getenv("JOURNAL_STREAM"))
		return snprintf(line, size, "<%d>", priorities[level]);
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	return snprintf(line, size, "%s.%03ld ccfcd %-5s ", when,
			now.tv_nsec / 1000000, names[level]);
}

/* Makes control characters visible, so that a path cannot forge a line. */
static size_t replace_control_chars(char *out, size_t size, const char *in)
{
	size_t n = 0;

	for (; *in && n + 3 < size; in++) {
		unsigned char c = (unsigned char)*in;

		if (c < 0x20 || c == 0x7f) {
			out[n++] = '^';
			out[n++] = (char)(c ^ 0x40);
		} else {
			out[n++] = (char)c;
		}
	}
	out[n++] = '\n';
	return n;
}

void ccfc_log(enum ccfc_log_level level, const char *fmt, ...)
{
	char text[1024];
	char line[2200];
	va_list ap;
	size_t n;

	if ((int)level > atomic_load(&max_level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = (size_t)make_prefix(line, sizeof(line), (int)level);
	n += replace_control_chars(line + n, sizeof(line) - n, text);
	/* One write per line: lines of several threads do not mix. */
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

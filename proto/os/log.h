/*
 * The daemon's log: one line per message on stderr, with a level. Only
 * daemon/ may call this; library code never logs. Safe from any thread.
 */
#ifndef CCFC_OS_LOG_H
#define CCFC_OS_LOG_H

enum ccfc_log_level {
	CCFC_LOG_ERROR,
	CCFC_LOG_WARN,
	CCFC_LOG_INFO,
	CCFC_LOG_DEBUG,
};

void ccfc_log_set_level(enum ccfc_log_level level);

/* "error", "warn", "info", "debug" to a level; -1 for anything else. */
int ccfc_log_level_from_text(const char *text);

/* Control characters in the message are shown in caret notation. */
void ccfc_log(enum ccfc_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

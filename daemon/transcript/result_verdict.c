/* The sentences with which the client reports a call that did not succeed. */
#include "transcript/result_verdict.h"

#include "transcript/word_pattern.h"

static const struct {
	const char *pattern;
	enum ccfc_state state;
} sentences[] = {
	{ "[Request interrupted by user*", CCFC_STATE_INTERRUPTED },
	{ "Request interrupted*", CCFC_STATE_INTERRUPTED },
	{ "Interrupted by *user*", CCFC_STATE_INTERRUPTED },
	{ "The user doesn't want to take this action right now*",
	  CCFC_STATE_INTERRUPTED },
	{ "Streaming fallback triggered*", CCFC_STATE_INTERRUPTED },
	{ "*session ended before*", CCFC_STATE_INTERRUPTED },
	{ "The tool * was interrupted*", CCFC_STATE_INTERRUPTED },
	{ "Tool * was interrupted*", CCFC_STATE_INTERRUPTED },
	{ "This tool * was interrupted*", CCFC_STATE_INTERRUPTED },
	{ "The user doesn't want to proceed with this tool use*",
	  CCFC_STATE_DENIED },
	{ "User rejected *", CCFC_STATE_DENIED },
	{ "Claude requested permission* to *", CCFC_STATE_DENIED },
	{ "Permission to * denied*", CCFC_STATE_DENIED },
	{ "Permission to * auto-denied*", CCFC_STATE_DENIED },
	{ "Permission for * denied*", CCFC_STATE_DENIED },
	{ "File is in a directory that is denied by your permission*",
	  CCFC_STATE_DENIED },
	{ "File is in a directory that is ignored by your project*",
	  CCFC_STATE_DENIED },
	{ "Cannot write to * while in plan mode*", CCFC_STATE_DENIED },
	{ "PreToolUse:* hook error*", CCFC_STATE_DENIED },
	{ "PreToolUse:* hook blocked*", CCFC_STATE_DENIED },
	{ "PreToolUse:* blocked by hook*", CCFC_STATE_DENIED },
	{ "Hook PreToolUse:* denied*", CCFC_STATE_DENIED },
	{ "Execution stopped by PreToolUse hook*", CCFC_STATE_DENIED },
	{ "Blocked by hook*", CCFC_STATE_DENIED },
	{ "This command requires approval*", CCFC_STATE_DENIED },
	{ "* in '*' needs approval*", CCFC_STATE_DENIED },
	{ "* in '*' was blocked. For security*", CCFC_STATE_DENIED },
	{ "* operation blocked by hook*", CCFC_STATE_DENIED },
};

/* Removes prefixes that some versions of the client put before an error. */
static struct ccfc_slice strip_error_wraps(struct ccfc_slice text)
{
	static const char *const wraps[] = { "Error: ", "<tool_use_error>",
					     "Error: " };

	for (size_t i = 0; i < sizeof(wraps) / sizeof(*wraps); i++) {
		size_t len = strlen(wraps[i]);

		if (ccfc_slice_starts(text, wraps[i]))
			text = ccfc_slice(text.ptr + len, text.len - len);
	}
	return text;
}

static struct ccfc_slice first_line(struct ccfc_slice text)
{
	const char *eol;

	if (text.len > CCFC_VERDICT_BYTES)
		text.len = CCFC_VERDICT_BYTES;
	eol = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
	if (eol)
		text.len = (size_t)(eol - text.ptr);
	return text;
}

enum ccfc_state ccfc_verdict(struct ccfc_slice text)
{
	struct ccfc_slice line = first_line(strip_error_wraps(text));

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (ccfc_pattern_match(sentences[i].pattern, line))
			return sentences[i].state;
	return CCFC_STATE_FAILED;
}

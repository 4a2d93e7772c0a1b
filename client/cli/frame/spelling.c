/*
 * Errors of the daemon in the words of the command line; see spelling.h. Most
 * options are fields of the query: the row of a command's table that fills the
 * field has the word. Other options have one word in all commands.
 */
#include "cli/frame/spelling.h"

#include "base/time.h"
#include "cli/out/render.h"
#include "lib/lib.h"

#define MARK	"option '"
#define UNKNOWN "unknown "

/* The length of ccfc_time_format's text, the only form that the daemon has. */
#define TIME_LENGTH (sizeof("2025-12-31T14:05:59.000Z") - 1)

/* Times that every client can send, and those that people write. */
#define WIRE_TIME "a time as in RFC 3339"
#define USER_TIME                                                              \
	"a time: yesterday, 10:00, '2 days ago', 2025-12-31 or RFC 3339"

/* Words for options that no row of the command fills. */
static const struct {
	const char *option, *word;
} usual[] = {
	{ "agentId", "--agent" },
	{ "alternatives", "FILE" },
	{ "at", "--at" },
	{ "began", "the moment of the beginning" },
	{ "branch", "--branch" },
	{ "by", "--by" },
	{ "caseSensitive", "--case-sensitive" },
	{ "change", "CHANGE" },
	{ "changes", "CHANGE" },
	{ "clock", "--since" },
	{ "context", "--context" },
	{ "cwd", "the current directory" },
	{ "deep", "--deep" },
	{ "deleted", "--deleted" },
	{ "directories", "--dir" },
	{ "ended", "the moment of the end" },
	{ "evidence", "--evidence" },
	{ "extensions", "--ext" },
	{ "from", "the first line" },
	{ "fromDate", "--from" },
	{ "here", "the current directory" },
	{ "ignoreSpace", "--ignore-space" },
	{ "in", "--in" },
	{ "includeChanges", "--show-changes" },
	{ "includeContent", "--show-changes" },
	{ "includePrompt", "--why" },
	{ "includeThinking", "--thinking" },
	{ "keywords", "--keyword" },
	{ "label", "TEXT" },
	{ "limit", "--limit" },
	{ "live", "--live" },
	{ "maxContent", "the length of a text" },
	{ "message", "--message" },
	{ "model", "--model" },
	{ "name", "FILE" },
	{ "net", "--net" },
	{ "notify", "the form of events" },
	{ "offset", "--offset" },
	{ "path", "FILE" },
	{ "paths", "PATH" },
	{ "pattern", "PATTERN" },
	{ "port", "--port" },
	{ "progress", "the progress bar" },
	{ "projectPath", "--project" },
	{ "query", "QUERY" },
	{ "regex", "--regex" },
	{ "role", "--role" },
	{ "session", "SESSION" },
	{ "since", "--since" },
	{ "sort", "--sort" },
	{ "states", "--state" },
	{ "status", "--status" },
	{ "subscription", "the subscription" },
	{ "tag", "--tag" },
	{ "tags", "WORD" },
	{ "to", "the last line" },
	{ "toDate", "--to" },
	{ "toolUseId", "the id of the call" },
	{ "tools", "--tool" },
	{ "touched", "--touched" },
	{ "words", "PATTERN" },
	{ "zone", "--tz" },
};

bool ccfc_spelling_of(struct ccfc_buf *out, const struct ccfc_command *command,
		      struct ccfc_slice option)
{
	const struct ccfc_opt *rows = command ? command->options : NULL;
	size_t field = ccfc_lib_field(option);

	for (int i = 0; field && rows && rows[i].name; i++)
		if (rows[i].field == field) {
			ccfc_buf_printf(out, "--%s", rows[i].name);
			return true;
		}
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (ccfc_slice_is(option, usual[i].option)) {
			ccfc_buf_puts(out, usual[i].word);
			return true;
		}
	return false;
}

/* Did the caller write `text`? Then an error may repeat it. */
static bool is_callers(const struct ccfc_spelling *spelling, const char *text)
{
	for (int i = 0; i < spelling->argc; i++)
		if (strstr(spelling->argv[i], text))
			return true;
	return false;
}

/* The name that begins at `at`, up to its quote; empty: there is none. */
static struct ccfc_slice quoted_name_at(struct ccfc_slice text, size_t at)
{
	const char *quote = memchr(text.ptr + at, '\'', text.len - at);

	return quote ? ccfc_slice(text.ptr + at,
				  (size_t)(quote - text.ptr) - at)
		     : CCFC_SLICE_NONE;
}

/*
 * Is there a MARK at `at`? After "unknown " the daemon does not know an option
 * that this program knows: the daemon is older, and its text stays.
 */
static bool is_mark(struct ccfc_slice text, size_t at)
{
	size_t n = sizeof(UNKNOWN) - 1;

	return ccfc_slice_starts(ccfc_slice(text.ptr + at, text.len - at),
				 MARK) &&
	       (at < n || memcmp(text.ptr + at - n, UNKNOWN, n) != 0);
}

static void append_options(struct ccfc_buf *out,
			   const struct ccfc_spelling *spelling,
			   struct ccfc_slice text)
{
	bool callers = is_callers(spelling, MARK);

	for (size_t i = 0; i < text.len; i++) {
		struct ccfc_slice name = CCFC_SLICE_NONE;

		if (!callers && is_mark(text, i))
			name = quoted_name_at(text, i + sizeof(MARK) - 1);
		if (name.len && ccfc_spelling_of(out, spelling->command, name))
			i += sizeof(MARK) - 1 + name.len;
		else
			ccfc_buf_putc(out, text.ptr[i]);
	}
}

/* Appends the moment that `text` begins with; false: it begins with none. */
static bool append_time(struct ccfc_buf *out,
			const struct ccfc_spelling *spelling,
			struct ccfc_slice text)
{
	char given[TIME_LENGTH + 1], local[CCFC_TIME_TEXT_MAX];
	int64_t time;

	if (text.len < TIME_LENGTH || text.ptr[4] != '-' ||
	    text.ptr[TIME_LENGTH - 1] != 'Z')
		return false;
	text.len = TIME_LENGTH;
	time = ccfc_time_parse(text);
	memcpy(given, text.ptr, TIME_LENGTH);
	given[TIME_LENGTH] = '\0';
	if (time == CCFC_TIME_NONE || is_callers(spelling, given))
		return false;
	ccfc_buf_puts(out,
		      ccfc_time_format_local(local, time, CCFC_RENDER_SECOND));
	return true;
}

void ccfc_spelling_times(struct ccfc_buf *out,
			 const struct ccfc_spelling *spelling,
			 struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		struct ccfc_slice rest = ccfc_slice(text.ptr + i, text.len - i);

		if (append_time(out, spelling, rest)) {
			i += TIME_LENGTH - 1;
		} else if (ccfc_slice_starts(rest, WIRE_TIME)) {
			ccfc_buf_puts(out, USER_TIME);
			i += sizeof(WIRE_TIME) - 2;
		} else {
			ccfc_buf_putc(out, text.ptr[i]);
		}
	}
}

void ccfc_spelling_append(struct ccfc_buf *out,
			  const struct ccfc_spelling *spelling,
			  struct ccfc_slice text)
{
	const char *colon = memchr(text.ptr, ':', text.len);
	size_t n = colon ? (size_t)(colon - text.ptr) : 0;
	struct ccfc_buf words = CCFC_BUF_INIT;

	/* "text.search: nothing matches" is about grep. */
	if (spelling->command && n &&
	    ccfc_lib_is_method(ccfc_slice(text.ptr, n))) {
		ccfc_buf_puts(out, spelling->command->name);
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
	append_options(&words, spelling, text);
	ccfc_spelling_times(out, spelling, ccfc_buf_view(&words));
	ccfc_buf_release(&words);
}

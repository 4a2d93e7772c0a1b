/*
 * Reads one setting; see settings.h. A small recursive descent over JSON's
 * grammar that only keeps its position; its depth is limited.
 */
#include "cli/doctor/settings.h"

#include "base/buf.h"
#include "cli/system/file_io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX  64
#define NUMBER_MAX 32
#define DAYS_MAX   1000000000.0

struct scan {
	const char *at, *end;
	unsigned line;
	unsigned depth;
};

static bool scan_value(struct scan *s);

static int peek_char(const struct scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

static void skip_space(struct scan *s)
{
	for (; s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at; s->at++)
		s->line += *s->at == '\n';
}

/* Takes `c` after white space, if it is there. */
static bool take_char(struct scan *s, char c)
{
	skip_space(s);
	if (peek_char(s) != c)
		return false;
	s->at++;
	return true;
}

static bool scan_escape(struct scan *s)
{
	int c = peek_char(s);

	if (c < 0 || !c || !strchr("\"\\/bfnrtu", c))
		return false;
	s->at++;
	for (int i = 0; c == 'u' && i < 4; i++, s->at++)
		if (peek_char(s) < 0 || !isxdigit(peek_char(s)))
			return false;
	return true;
}

/* *out: the raw bytes between the quotes. */
static bool scan_string(struct scan *s, struct ccfc_slice *out)
{
	const char *start;

	if (!take_char(s, '"'))
		return false;
	start = s->at;
	while (peek_char(s) >= 0x20 && peek_char(s) != '"')
		if (*s->at++ == '\\' && !scan_escape(s))
			return false;
	if (peek_char(s) != '"')
		return false;
	*out = ccfc_slice(start, (size_t)(s->at++ - start));
	return true;
}

static bool scan_digits(struct scan *s)
{
	const char *start = s->at;

	while (peek_char(s) >= 0 && isdigit(peek_char(s)))
		s->at++;
	return s->at > start;
}

static bool scan_number(struct scan *s)
{
	const char *start;

	s->at += peek_char(s) == '-';
	start = s->at;
	if (!scan_digits(s) || (*start == '0' && s->at > start + 1))
		return false;
	if (peek_char(s) == '.' && (s->at++, !scan_digits(s)))
		return false;
	if (peek_char(s) != 'e' && peek_char(s) != 'E')
		return true;
	s->at++;
	s->at += peek_char(s) == '+' || peek_char(s) == '-';
	return scan_digits(s);
}

static bool scan_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n))
		return false;
	s->at += n;
	return true;
}

static bool scan_array(struct scan *s)
{
	if (take_char(s, ']'))
		return true;
	do {
		if (!scan_value(s))
			return false;
	} while (take_char(s, ','));
	return take_char(s, ']');
}

static bool scan_object(struct scan *s)
{
	struct ccfc_slice key;

	if (take_char(s, '}'))
		return true;
	do {
		if (!scan_string(s, &key) || !take_char(s, ':') ||
		    !scan_value(s))
			return false;
	} while (take_char(s, ','));
	return take_char(s, '}');
}

static bool scan_value(struct scan *s)
{
	struct ccfc_slice text;
	bool good;

	skip_space(s);
	switch (peek_char(s)) {
	case '"':
		return scan_string(s, &text);
	case '{':
	case '[':
		if (s->depth++ == DEPTH_MAX)
			return false;
		good = *s->at++ == '{' ? scan_object(s) : scan_array(s);
		s->depth--;
		return good;
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		return scan_number(s);
	}
}

static void set_value(struct ccfc_setting *out, struct ccfc_slice text)
{
	char copy[NUMBER_MAX], *end;
	double number;

	out->kind = CCFC_SETTING_OTHER;
	if (!text.len || text.len >= sizeof(copy))
		return;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	number = strtod(copy, &end);
	/* NaN fails both comparisons. */
	if (*end || end == copy || !(number <= DAYS_MAX) ||
	    !(number >= -DAYS_MAX))
		return;
	out->number = (int64_t)number;
	if ((double)out->number == number)
		out->kind = CCFC_SETTING_NUMBER;
}

/* Reads the members of the outermost object, after its brace. */
static bool scan_members(struct ccfc_setting *out, struct scan *s,
			 const char *key)
{
	struct ccfc_slice name;

	out->open_line = s->line;
	out->empty = take_char(s, '}');
	if (out->empty)
		return true;
	do {
		const char *start;
		unsigned line;

		skip_space(s);
		line = s->line;
		if (!scan_string(s, &name) || !take_char(s, ':'))
			return false;
		skip_space(s);
		start = s->at;
		if (!ccfc_slice_is(name, key)) {
			if (!scan_value(s))
				return false;
			continue;
		}
		out->line = line;
		out->one_line = s->line == line;
		if (!scan_value(s))
			return false;
		set_value(out, ccfc_slice(start, (size_t)(s->at - start)));
	} while (take_char(s, ','));
	return take_char(s, '}');
}

int ccfc_setting_find(struct ccfc_setting *out, struct ccfc_slice json,
		      const char *key, struct ccfc_err *err)
{
	struct scan s = { .at = json.ptr, .end = json.ptr, .line = 1 };

	*out = (struct ccfc_setting){ 0 };
	if (json.len)
		s.end += json.len;
	if (ccfc_slice_starts(json, "\xef\xbb\xbf"))
		s.at += 3;
	if (take_char(&s, '{') && scan_members(out, &s, key)) {
		skip_space(&s);
		if (s.at == s.end)
			return 0;
	}
	*out = (struct ccfc_setting){ 0 };
	return ccfc_err_set(err, CCFC_EINVAL, "line %u: is not JSON", s.line);
}

int ccfc_setting_read(struct ccfc_setting *out, const char *path,
		      const char *key, struct ccfc_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct stat st;
	int code = 0;

	*out = (struct ccfc_setting){ 0 };
	if (fd < 0)
		return ccfc_err_errno(err, errno, "%s", path);
	if (!fstat(fd, &st) &&
	    (!S_ISREG(st.st_mode) || st.st_size > CCFC_SETTINGS_MAX))
		code = ccfc_err_set(err, CCFC_ETOOBIG,
				    "%s: is too large, or not a file", path);
	else if (ccfc_read_all(&text, fd) < 0)
		code = ccfc_err_io(err, errno, "%s", path);
	close(fd);
	if (!code && ccfc_setting_find(out, ccfc_buf_view(&text), key, err)) {
		struct ccfc_err why = err ? *err : (struct ccfc_err){ 0 };

		code = ccfc_err_set(err, CCFC_EINVAL, "%s: %s", path, why.what);
	}
	ccfc_buf_release(&text);
	return code;
}

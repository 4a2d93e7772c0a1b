/*
 * Scripts of sed that only edit their input. Others can write files ("w") and
 * run programs ("e"). Only common commands are understood.
 */
#include "shell/shell_walk.h"

#include <ctype.h>

struct script {
	const char *at, *end;
};

static char peek_char(const struct script *s)
{
	return s->at < s->end ? *s->at : 0;
}

/* Skips text up to `end`, unless a backslash precedes it. */
static bool skip_to(struct script *s, char end)
{
	for (; s->at < s->end; s->at++) {
		if (*s->at == end) {
			s->at++;
			return true;
		}
		if (*s->at == '\\' && s->at + 1 < s->end)
			s->at++;
	}
	return false;
}

static void skip_any(struct script *s, const char *set)
{
	while (s->at < s->end && strchr(set, *s->at))
		s->at++;
}

/* "12", "$", "/re/I", and two of them joined. */
static bool skip_addresses(struct script *s)
{
	for (;;) {
		skip_any(s, " \t,!~+$0123456789");
		if (peek_char(s) != '/')
			return true;
		s->at++;
		if (!skip_to(s, '/'))
			return false;
		skip_any(s, "IM");
	}
}

/* "s/a/b/flags" and "y/a/b/", after the letter. */
static bool skip_substitution(struct script *s)
{
	char mark = peek_char(s);

	if (!mark || mark == '\n' || mark == '\\' ||
	    isalnum((unsigned char)mark))
		return false;
	s->at++;
	for (int part = 0; part < 2; part++)
		if (!skip_to(s, mark))
			return false;
	skip_any(s, "gpiI0123456789");
	return true;
}

static bool skip_command(struct script *s)
{
	char c = peek_char(s);

	s->at++;
	switch (c) {
	case 's':
	case 'y':
		return skip_substitution(s);
	case 'a':
	case 'i':
	case 'c':
		/* The rest of the line is arbitrary text. */
		if (!skip_to(s, '\n'))
			s->at = s->end;
		return true;
	default:
		if (!strchr("pdqQ=nNgGhHxDPlz{}", c))
			return false;
		skip_any(s, " 0123456789");
		return true;
	}
}

bool ccfc_sh_sed_only_edits(struct ccfc_slice script)
{
	struct script s = { script.ptr, ccfc_slice_end(script) };

	while (s.at < s.end) {
		skip_any(&s, " \t\n;");
		if (!skip_addresses(&s))
			return false;
		skip_any(&s, " \t");
		if (s.at == s.end)
			break;
		if (*s.at == ';' || *s.at == '\n')
			continue;
		if (!skip_command(&s))
			return false;
		skip_any(&s, " \t");
		if (s.at < s.end && !strchr(";\n}{", *s.at) &&
		    !strchr("\n{", s.at[-1]))
			return false;
	}
	return true;
}

bool ccfc_sh_perl_only_edits(struct ccfc_slice script)
{
	struct script s = { script.ptr, ccfc_slice_end(script) };

	/* These run code within a substitution. */
	if (ccfc_slice_contains(script, "@{") ||
	    ccfc_slice_contains(script, "${") ||
	    ccfc_slice_contains(script, "(?"))
		return false;
	while (s.at < s.end) {
		skip_any(&s, " \t\n;");
		if (s.at == s.end)
			break;
		if (*s.at++ != 's' || !skip_substitution(&s))
			return false;
		skip_any(&s, " \t");
		if (s.at < s.end && *s.at != ';')
			return false;
	}
	return true;
}

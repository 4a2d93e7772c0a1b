/*
 * printf and format. SQLite's own writes as many characters as a width or
 * precision says, one after the other, even if the answer is already too long:
 * '%.2147483647c' takes seconds, and a format can have thousands of them. Here
 * the format is split, and SQLite prints one conversion at a time: none may
 * exceed the limit of a value, the first that does not fit ends the call, and
 * cancellation is checked between two.
 */
#include "store/sql/sql_run.h"

#include <stdint.h>
#include <string.h>

struct args {
	sqlite3_value **items;
	int n, used;
};

/* One conversion: %[flags][width][.precision]type */
struct spec {
	char flags[8];
	int64_t width, precision; /* precision -1: none */
	bool left;
	char type;
};

static sqlite3_value *next_argument(struct args *args)
{
	return args->used < args->n ? args->items[args->used++] : NULL;
}

static int64_t next_int(struct args *args)
{
	sqlite3_value *v = next_argument(args);

	return v ? sqlite3_value_int64(v) : 0;
}

static double next_double(struct args *args)
{
	sqlite3_value *v = next_argument(args);

	return v ? sqlite3_value_double(v) : 0;
}

static const char *next_text(struct args *args)
{
	sqlite3_value *v = next_argument(args);

	return v ? (const char *)sqlite3_value_text(v) : NULL;
}

static void add_flag(struct spec *s, char flag)
{
	size_t n = strlen(s->flags);

	s->left |= flag == '-';
	if (n + 1 < sizeof(s->flags) && !strchr(s->flags, flag))
		s->flags[n] = flag;
}

/* A number or a star. As in SQLite, the sign of the argument is dropped. */
static int64_t read_number_sql_printf(const char **at, struct args *args,
				      bool *negative)
{
	int64_t n = 0;

	*negative = false;
	if (**at == '*') {
		(*at)++;
		n = (int32_t)next_int(args);
		*negative = n < 0;
		return n < 0 ? -n : n;
	}
	for (; **at >= '0' && **at <= '9'; (*at)++)
		if (n <= INT32_MAX)
			n = n * 10 + (**at - '0');
	return n;
}

/* Reads a conversion from after its '%' on. Returns where its type is. */
static const char *read_spec(struct spec *s, const char *at, struct args *args)
{
	bool negative;

	*s = (struct spec){ .precision = -1 };
	while (*at && strchr("-+ #!0,", *at))
		add_flag(s, *at++);
	s->width = read_number_sql_printf(&at, args, &negative);
	if (negative)
		add_flag(s, '-');
	if (*at == '.') {
		at++;
		s->precision = read_number_sql_printf(&at, args, &negative);
	}
	for (int i = 0; i < 2 && *at == 'l'; i++)
		at++;
	s->type = *at;
	return at;
}

static void put_spaces(sqlite3_str *out, int64_t n)
{
	if (n > 0)
		sqlite3_str_appendchar(out, (int)n, ' ');
}

/* The first character of a text, `precision` times. */
static void print_char(sqlite3_str *out, const struct spec *s, const char *text)
{
	int64_t times = s->precision > 1 ? s->precision : 1;
	int len = 1;

	if (!text)
		text = "";
	while ((*text & 0xc0) == 0xc0 && len < 4 && (text[len] & 0xc0) == 0x80)
		len++;
	if (!s->left)
		put_spaces(out, s->width - times);
	for (int64_t i = 0; i < times && !sqlite3_str_errcode(out); i++)
		sqlite3_str_append(out, text, len);
	if (s->left)
		put_spaces(out, s->width - times);
}

/* One conversion by SQLite itself. False: an unknown one ends the text. */
static bool print_sql_printf(sqlite3_str *out, const struct spec *s,
			     struct args *args)
{
	int width = (int)s->width, precision = (int)s->precision;
	char form[24];

	sqlite3_snprintf(sizeof(form), form, "%%%s*%s%s%c", s->flags,
			 precision < 0 ? "" : ".*",
			 strchr("diuxXopr", s->type) ? "ll" : "",
			 s->type == 'z' ? 's' : s->type);
#define PRINT(arg)                                                             \
	(precision < 0                                                         \
		 ? sqlite3_str_appendf(out, form, width, arg)                  \
		 : sqlite3_str_appendf(out, form, width, precision, arg))
	if (strchr("diuxXopr", s->type))
		PRINT((sqlite3_int64)next_int(args));
	else if (strchr("eEfgG", s->type))
		PRINT(next_double(args));
	else if (strchr("szqQw", s->type))
		PRINT(next_text(args));
	else if (s->type == 'c')
		print_char(out, s, next_text(args));
	else if (s->type == '%')
		print_char(out, s, "%");
	else
		return s->type == 'n';
	return true;
#undef PRINT
}

/* False: the query must end, or a value would be too long. */
static bool print_all(struct ccfc_sql_run *run, sqlite3_str *out,
		      const char *at, struct args *args)
{
	struct spec s;

	while (*at && !sqlite3_str_errcode(out)) {
		size_t plain = strcspn(at, "%");

		if (plain)
			sqlite3_str_append(out, at, (int)plain);
		at += plain;
		if (!*at)
			break;
		if (ccfc_sql_stopped(run))
			return false;
		if (!at[1]) {
			sqlite3_str_append(out, "%", 1);
			break;
		}
		at = read_spec(&s, at + 1, args);
		if (s.width > CCFC_SQL_MAX_VALUE ||
		    s.precision > CCFC_SQL_MAX_VALUE)
			return false;
		if (!s.type || !print_sql_printf(out, &s, args))
			break;
		at++;
	}
	return true;
}

void ccfc_sql_printf(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct ccfc_sql_run *run = sqlite3_user_data(c);
	struct args args = { v + 1, n - 1, 0 };
	const char *format = n ? (const char *)sqlite3_value_text(v[0]) : NULL;
	sqlite3_str *out;
	bool all;
	int len, code;
	char *text;

	if (!format)
		return;
	out = sqlite3_str_new(run->db);
	all = print_all(run, out, format, &args);
	code = sqlite3_str_errcode(out);
	len = sqlite3_str_length(out);
	text = sqlite3_str_finish(out); /* NULL where nothing was printed */
	if (!all)
		code = run->stop ? SQLITE_INTERRUPT : SQLITE_TOOBIG;
	if (code) {
		sqlite3_free(text);
		sqlite3_result_error_code(c, code);
	} else {
		sqlite3_result_text(c, text, len, sqlite3_free);
	}
}

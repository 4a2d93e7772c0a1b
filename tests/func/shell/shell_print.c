/*
 * What the reader of shell commands says, for shell.py: reads records of three
 * strings that each end in a NUL (directory, home, command) and prints a line
 * of JSON for each. With "powershell" as its argument it reads that language.
 */
#include "base/buf.h"
#include "shell/shell.h"

#include <stdio.h>

static void put_string(struct ccfc_buf *to, struct ccfc_slice s)
{
	ccfc_buf_putc(to, '"');
	for (size_t i = 0; i < s.len; i++)
		/* Bytes as characters of Latin-1: the test encodes them. */
		ccfc_buf_printf(to, "\\u%04x", (unsigned char)s.ptr[i]);
	ccfc_buf_putc(to, '"');
}

static void put_member(struct ccfc_buf *to, const char *name,
		       struct ccfc_slice value)
{
	ccfc_buf_printf(to, ",\"%s\":", name);
	put_string(to, value);
}

static void put_effect(struct ccfc_buf *to,
		       const struct ccfc_shell_effect *effect)
{
	static const char *const reach[] = { "always", "ifOk", "maybe" };

	ccfc_buf_printf(to,
			"{\"op\":\"%s\",\"reach\":\"%s\",\"checked\":%d,"
			"\"tree\":%d,\"into\":%d,\"unsureBefore\":%u",
			ccfc_shell_op_name(effect->op), reach[effect->reach],
			effect->checked, effect->tree, effect->into,
			effect->unsure_before);
	put_member(to, "path", effect->path);
	put_member(to, "from", effect->from);
	put_member(to, "source", effect->source);
	if (effect->has_content)
		put_member(to, "content", effect->content);
	ccfc_buf_putc(to, '}');
}

static void print_effects(const struct ccfc_shell_effects *effects)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_puts(&text, "{\"effects\":[");
	for (uint32_t i = 0; i < effects->all.n; i++) {
		if (i)
			ccfc_buf_putc(&text, ',');
		put_effect(&text, &effects->all.items[i]);
	}
	ccfc_buf_printf(&text, "],\"unsure\":%u,\"writesNothing\":%d,\"why\":{",
			ccfc_shell_unsure(effects),
			ccfc_shell_writes_nothing(effects));
	for (int i = 0; i < CCFC_SHELL_WHYS; i++)
		ccfc_buf_printf(&text, "%s\"%s\":%u", i ? "," : "",
				ccfc_shell_why_name(i), effects->why[i]);
	ccfc_buf_putc(&text, '}');
	put_member(&text, "first", effects->first_unsure);
	ccfc_buf_puts(&text, "}");
	puts(text.ptr);
	ccfc_buf_release(&text);
}

/* The next string of the input; false: there is none. */
static bool next_string(struct ccfc_buf *to)
{
	int c;

	ccfc_buf_clear(to);
	while ((c = getchar()) > 0)
		ccfc_buf_putc(to, (char)c);
	return c == 0;
}

int main(int argc, char **argv)
{
	struct ccfc_buf parts[3] = { CCFC_BUF_INIT, CCFC_BUF_INIT,
				     CCFC_BUF_INIT };
	struct ccfc_shell_effects effects;

	ccfc_shell_effects_init(&effects);
	while (next_string(&parts[0]) && next_string(&parts[1]) &&
	       next_string(&parts[2])) {
		struct ccfc_shell_env env = {
			.cwd = ccfc_buf_view(&parts[0]),
			.home = ccfc_buf_view(&parts[1]),
		};

		if (argc > 1 && !strcmp(argv[1], "powershell"))
			env.language = CCFC_SHELL_POWERSHELL;
		ccfc_shell_read(&effects, ccfc_buf_view(&parts[2]), &env);
		print_effects(&effects);
	}
	ccfc_shell_effects_release(&effects);
	for (int i = 0; i < 3; i++)
		ccfc_buf_release(&parts[i]);
	return 0;
}

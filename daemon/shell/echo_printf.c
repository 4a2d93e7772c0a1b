/* The output of echo and printf, if it is certain. See shell_walk.h. */
#include "base/buf.h"
#include "shell/shell_walk.h"

/* Appends `text`, with escapes that every echo -e and printf understands. */
static bool unescape_echo(struct ccfc_buf *to, struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		char next = i + 1 < text.len ? text.ptr[i + 1] : 0;

		if (c == '\\') {
			if (next != 'n' && next != 't' && next != '\\')
				return false;
			c = next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
			i++;
		}
		ccfc_buf_putc(to, c);
	}
	return true;
}

static bool is_echo_option(struct ccfc_slice text)
{
	if (text.len < 2 || text.ptr[0] != '-')
		return false;
	for (size_t i = 1; i < text.len; i++)
		if (!strchr("neE", text.ptr[i]))
			return false;
	return true;
}

/*
 * Without an option, shells differ about backslashes: such output is unknown.
 */
static bool print_echo(struct ccfc_buf *to, const struct ccfc_sh_call *call)
{
	bool newline = true, escapes = false;
	uint32_t i = 0;

	for (; i < call->n && is_echo_option(call->args[i].text); i++) {
		struct ccfc_slice option = call->args[i].text;

		newline &= !memchr(option.ptr, 'n', option.len);
		escapes |= memchr(option.ptr, 'e', option.len) != NULL;
		if (memchr(option.ptr, 'E', option.len))
			return false;
	}
	for (uint32_t first = i; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (!ccfc_sh_is_plain(arg) || arg->home ||
		    (!escapes && ccfc_slice_contains(arg->text, "\\")))
			return false;
		if (i > first)
			ccfc_buf_putc(to, ' ');
		if (!unescape_echo(to, arg->text))
			return false;
	}
	if (newline)
		ccfc_buf_putc(to, '\n');
	return true;
}

/* One pass through a format of "%s", "%%" and plain text. */
static bool print_format(struct ccfc_buf *to, struct ccfc_slice format,
			 const struct ccfc_sh_call *call, uint32_t *next)
{
	size_t start = 0;

	for (size_t i = 0; i <= format.len; i++) {
		struct ccfc_slice text = ccfc_slice_from(format, start);
		char c;

		if (i < format.len && format.ptr[i] != '%')
			continue;
		if (!unescape_echo(to, ccfc_slice(text.ptr, i - start)))
			return false;
		if (i == format.len)
			return true;
		c = i + 1 < format.len ? format.ptr[i + 1] : 0;
		if (c == '%')
			ccfc_buf_putc(to, '%');
		else if (c != 's')
			return false;
		else if (*next < call->n)
			ccfc_buf_slice(to, call->args[(*next)++].text);
		start = ++i + 1;
	}
	return true;
}

static bool print_printf(struct ccfc_buf *to, const struct ccfc_sh_call *call)
{
	uint32_t next = 1, before;

	for (uint32_t i = 0; i < call->n; i++)
		if (!ccfc_sh_is_plain(&call->args[i]) || call->args[i].home)
			return false;
	if (!call->n || ccfc_slice_starts(call->args[0].text, "-"))
		return false;
	do {
		before = next;
		if (!print_format(to, call->args[0].text, call, &next))
			return false;
	} while (next < call->n && next > before &&
		 to->len < CCFC_SHELL_COMMAND_MAX);
	return true;
}

void ccfc_sh_print(struct ccfc_sh_walk *w, struct ccfc_sh_call *call)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool known = ccfc_slice_is(call->name, "echo")
			     ? print_echo(&text, call)
			     : print_printf(&text, call);

	call->steady = true;
	if (known)
		call->out = (struct ccfc_sh_flow){
			true,
			ccfc_sh_join(w, ccfc_buf_view(&text), CCFC_SLICE_NONE)
		};
	ccfc_buf_release(&text);
	if (call->n > 1 && ccfc_sh_is(&call->args[0], "-v"))
		ccfc_sh_set(w, call->args[1].text, NULL);
}

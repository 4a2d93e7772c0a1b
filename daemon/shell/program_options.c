/* The options of a program, as getopt reads them; see shell_walk.h. */
#include "shell/shell_walk.h"

/*
 * The letter of a long option; sets ':', '=' or '?' for how it takes a value.
 */
static char long_letter(const char *longs, struct ccfc_slice name, char *kind)
{
	const char *at = longs;

	while (*at) {
		size_t n = strcspn(at, ":=?");

		if (n == name.len && !memcmp(at, name.ptr, n)) {
			*kind = at[n];
			return at[n + 1];
		}
		at += n + 2;
		at += strspn(at, " ");
	}
	return 0;
}

static void take_option(struct ccfc_sh_options *out, char letter,
			struct ccfc_slice value)
{
	out->has[(unsigned char)letter] = true;
	out->value[(unsigned char)letter] =
		(struct ccfc_sh_field){ .text = value, .known = true };
}

/* Reads `args[*i]`, "--name" or "--name=value". */
static void read_long(struct ccfc_sh_options *out,
		      const struct ccfc_sh_spec *spec,
		      const struct ccfc_sh_call *call, uint32_t *i)
{
	struct ccfc_slice name = ccfc_slice_from(call->args[*i].text, 2);
	const char *equals = memchr(name.ptr, '=', name.len);
	struct ccfc_slice value = CCFC_SLICE_NONE;
	char kind = 0, letter;

	if (equals) {
		value = ccfc_slice_from(name, (size_t)(equals - name.ptr) + 1);
		name.len = (size_t)(equals - name.ptr);
	}
	letter = long_letter(spec->longs, name, &kind);
	if (!letter || (equals && kind == ':') ||
	    (!equals && kind == '=' && *i + 1 == call->n)) {
		out->odd = true;
		return;
	}
	take_option(out, letter, value);
	if (!equals && kind == '=')
		out->value[(unsigned char)letter] = call->args[++*i];
}

/* Reads `args[*i]`, "-abc", "-ovalue" or "-o value". */
static void read_short(struct ccfc_sh_options *out,
		       const struct ccfc_sh_spec *spec,
		       const struct ccfc_sh_call *call, uint32_t *i)
{
	struct ccfc_slice text = call->args[*i].text;

	for (size_t k = 1; k < text.len; k++) {
		char c = text.ptr[k];

		take_option(out, (char)(c & 127), ccfc_slice_from(text, k + 1));
		if (strchr(spec->flags, c))
			continue;
		if (strchr(spec->suffix, c))
			return;
		if (!strchr(spec->valued, c) ||
		    (k + 1 == text.len && *i + 1 == call->n))
			out->odd = true;
		else if (k + 1 == text.len)
			out->value[(unsigned char)c & 127] = call->args[++*i];
		return;
	}
}

void ccfc_sh_options(struct ccfc_sh_walk *w, struct ccfc_sh_options *out,
		     const struct ccfc_sh_spec *spec,
		     const struct ccfc_sh_call *call)
{
	bool over = false;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < call->n; i++) {
		const struct ccfc_sh_field *arg = &call->args[i];

		if (over || !arg->known || arg->text.len < 2 ||
		    arg->text.ptr[0] != '-' || arg->glob) {
			/* An unknown argument may be an option too. */
			out->odd |= !arg->known && !over;
			ccfc_sh_push_field(w, &out->operands, *arg);
		} else if (ccfc_slice_is(arg->text, "--")) {
			over = true;
		} else if (arg->text.ptr[1] == '-') {
			read_long(out, spec, call, &i);
		} else {
			read_short(out, spec, call, &i);
		}
	}
}

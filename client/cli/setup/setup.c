/* The steps of setup: making and showing the list; see setup.h. */
#include "cli/setup/setup.h"

#include "base/alloc.h"
#include "cli/write/replace.h"

#include <stdlib.h>

static const char *const verbs[] = {
	[CCFC_SETUP_STEP_WRITE] = "write",  [CCFC_SETUP_STEP_REMOVE] = "remove",
	[CCFC_SETUP_STEP_FORGET] = "leave", [CCFC_SETUP_STEP_RUN] = "run",
	[CCFC_SETUP_STEP_STOP] = "stop",    [CCFC_SETUP_STEP_NOTE] = "note",
};

int ccfc_setup_init(struct ccfc_setup *s, struct ccfc_cli *cli,
		    struct ccfc_err *err)
{
	int code;

	*s = (struct ccfc_setup){ .cli = cli };
	code = ccfc_cwd_init(&s->where, err);
	return code ? code : ccfc_setup_record_init(&s->record, err);
}

void ccfc_setup_release(struct ccfc_setup *s)
{
	for (uint32_t i = 0; i < s->steps.n; i++) {
		struct ccfc_setup_step *step = &s->steps.items[i];

		free(step->text);
		free(step->content);
		free(step->what);
		for (char **word = step->words; *word; word++)
			free(*word);
	}
	free(s->steps.items);
	ccfc_setup_record_release(&s->record);
	ccfc_cwd_release(&s->where);
}

struct ccfc_setup_step *ccfc_setup_add(struct ccfc_setup *s,
				       enum ccfc_setup_step_kind kind,
				       const char *text, const char *what)
{
	struct ccfc_setup_step step = { .kind = kind,
					.text = ccfc_strdup(text),
					.what = what ? ccfc_strdup(what)
						     : NULL };

	CCFC_VEC_PUSH(s->steps, step);
	return &s->steps.items[s->steps.n - 1];
}

struct ccfc_setup_step *ccfc_setup_add_run(struct ccfc_setup *s,
					   const char *const *words)
{
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_setup_step *step;

	for (int i = 0; words[i]; i++)
		ccfc_buf_printf(&line, "%s%s", i ? " " : "", words[i]);
	step = ccfc_setup_add(s, CCFC_SETUP_STEP_RUN, line.ptr, NULL);
	for (int i = 0; i < CCFC_SETUP_STEP_WORDS && words[i]; i++)
		step->words[i] = ccfc_strdup(words[i]);
	ccfc_buf_release(&line);
	return step;
}

static void leave_file(struct ccfc_setup *s, const char *path, const char *why)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%s stays as it is: %s", path, why);
	ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, text.ptr, NULL);
	ccfc_buf_release(&text);
}

/* As ccfc_setup_want, when the present file is known. */
static int decide_step(struct ccfc_setup *s, const char *path,
		       const struct ccfc_target *t, const char *content,
		       const char *what)
{
	const struct ccfc_setup_file *row =
		ccfc_setup_record_find(&s->record, path);
	bool ours = row && ccfc_setup_file_is(row, t);
	struct ccfc_setup_step *step;

	if (!content) {
		if (row && ours)
			ccfc_setup_add(s, CCFC_SETUP_STEP_REMOVE, path, what);
		else if (row)
			ccfc_setup_add(s, CCFC_SETUP_STEP_FORGET, path,
				       t->exists ? "it was changed since"
						 : "it is gone already");
		return row && ours;
	}
	if (t->exists && ccfc_slice_is(ccfc_buf_view(&t->content), content))
		return 0;
	if (t->exists && !ours) {
		leave_file(s, path,
			   row ? "it was changed since setup wrote it"
			       : "setup did not write it");
		return 0;
	}
	step = ccfc_setup_add(s, CCFC_SETUP_STEP_WRITE, path, what);
	step->content = ccfc_strdup(content);
	return 1;
}

int ccfc_setup_target(struct ccfc_target *out, const struct ccfc_setup *s,
		      const char *path, struct ccfc_err *err)
{
	char *place = ccfc_cwd_place(&s->where, path);
	int code = ccfc_target_init(out, place, err);

	free(place);
	return code;
}

int ccfc_setup_want(struct ccfc_setup *s, const char *path, const char *content,
		    const char *what, struct ccfc_err *err)
{
	struct ccfc_target target;
	struct ccfc_err why;
	int code = ccfc_setup_target(&target, s, path, err);

	if (!code) {
		code = ccfc_target_look(&target, &why);
		if (!code) {
			code = decide_step(s, path, &target, content, what);
		} else if (code == CCFC_EDENIED) {
			/* For example a link of the user's dotfiles. */
			leave_file(s, path, why.what);
			code = 0;
		} else if (err) {
			*err = why;
		}
	}
	ccfc_target_release(&target);
	return code;
}

bool ccfc_setup_has_steps(const struct ccfc_setup *s)
{
	for (uint32_t i = 0; i < s->steps.n; i++)
		if (s->steps.items[i].kind != CCFC_SETUP_STEP_NOTE)
			return true;
	return false;
}

void ccfc_setup_print(const struct ccfc_setup *s)
{
	struct ccfc_out *out = &s->cli->out;

	for (uint32_t i = 0; i < s->steps.n; i++) {
		const struct ccfc_setup_step *step = &s->steps.items[i];

		ccfc_buf_printf(&out->buf, "  %-6s  ", verbs[step->kind]);
		ccfc_out_field(out, ccfc_slice_str(step->text));
		if (step->what) {
			ccfc_buf_puts(&out->buf, "  (");
			ccfc_out_field(out, ccfc_slice_str(step->what));
			ccfc_buf_putc(&out->buf, ')');
		}
		ccfc_buf_putc(&out->buf, '\n');
	}
}

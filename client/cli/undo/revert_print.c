/* See revert_print.h. */
#include "cli/undo/revert_print.h"

#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/patch/patch.h"

#define COMMANDS_SHOWN 10

enum ccfc_revert_action ccfc_revert_action(struct ccfc_obj file)
{
	struct ccfc_slice action = ccfc_obj_get_str(file, "action");
	static const char *const names[] = { "none", "write", "create",
					     "remove", "conflict" };

	for (int i = CCFC_REVERT_NONE; i <= CCFC_REVERT_CONFLICT; i++)
		if (ccfc_slice_is(action, names[i]))
			return (enum ccfc_revert_action)i;
	/* Unknown, refused, and what we have not heard of. */
	return CCFC_REVERT_STUCK;
}

bool ccfc_revert_is_left(struct ccfc_obj file)
{
	return ccfc_slice_is(ccfc_obj_get_str(file, "action"), "unknown") &&
	       ccfc_obj_get_bool(file, "byCommands", false);
}

static struct ccfc_slice name_of(struct ccfc_obj file)
{
	struct ccfc_slice name = ccfc_obj_get_str(file, "name");

	return name.len ? name : ccfc_obj_get_str(file, "path");
}

/* " (recorded while it ran: $ make)": so was the change seen. */
static void print_command(struct ccfc_out *out, struct ccfc_obj file)
{
	struct ccfc_slice command = ccfc_obj_get_str(file, "command");
	struct ccfc_slice evidence = ccfc_obj_get_str(file, "evidence");

	if (!evidence.len)
		return;
	ccfc_buf_puts(&out->buf, " (");
	ccfc_out_field(out, evidence);
	/* The text of one that changes no file by itself is not kept. */
	ccfc_buf_puts(&out->buf, command.len ? " while it ran: $ "
					     : " while a command ran");
	ccfc_out_field(out, command);
	ccfc_buf_putc(&out->buf, ')');
}

void ccfc_revert_print_file(struct ccfc_out *out, struct ccfc_obj file,
			    const char *refused)
{
	struct ccfc_slice action = refused ? CCFC_SLICE_LIT("outside")
					   : ccfc_obj_get_str(file, "action");
	struct ccfc_slice why = refused ? ccfc_slice_str(refused)
					: ccfc_obj_get_str(file, "why");
	int64_t added = ccfc_obj_get_int(file, "linesAdded", 0);
	int64_t removed = ccfc_obj_get_int(file, "linesRemoved", 0);
	bool alert =
		refused || ccfc_revert_action(file) >= CCFC_REVERT_CONFLICT;

	if (alert)
		ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_ALERT));
	ccfc_out_field(out, action);
	if (alert)
		ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	for (size_t n = action.len; n < 10; n++)
		ccfc_buf_putc(&out->buf, ' ');
	ccfc_out_field(out, name_of(file));
	if (added || removed)
		ccfc_buf_printf(&out->buf, "  +%lld -%lld", (long long)added,
				(long long)removed);
	if (why.len &&
	    (refused || ccfc_revert_action(file) != CCFC_REVERT_NONE)) {
		ccfc_buf_puts(&out->buf, ": ");
		ccfc_out_field(out, why);
	}
	print_command(out, file);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

void ccfc_revert_preview_file(struct ccfc_out *out, struct ccfc_obj file,
			      const char *refused)
{
	struct ccfc_slice why = ccfc_obj_get_str(file, "why");
	struct ccfc_slice name = name_of(file);
	struct ccfc_slice action = ccfc_obj_get_str(file, "action");

	if (ccfc_slice_is(action, "unknown"))
		action = CCFC_SLICE_LIT("stays as it is");
	ccfc_patch_print(out, ccfc_obj_get_str(file, "diff"));
	ccfc_out_check(out);
	/* If nothing is to be done, the fidelity does not matter. */
	if (ccfc_revert_action(file) >= CCFC_REVERT_CONFLICT ||
	    (why.len && ccfc_revert_action(file) != CCFC_REVERT_NONE))
		ccfc_cli_note("%.*s: %.*s%s%.*s", (int)name.len, name.ptr,
			      (int)action.len, action.len ? action.ptr : "",
			      why.len ? ": " : "", (int)why.len,
			      why.len ? why.ptr : "");
	if (refused)
		ccfc_cli_note("%.*s: outside: %s", (int)name.len, name.ptr,
			      refused);
}

/* ---- what stays ---- */

/* "1 file and the effects of 2 commands"; false when nothing stays. */
static bool put_left(struct ccfc_buf *text, const struct ccfc_revert_left *left)
{
	if (left->files)
		ccfc_render_count(text, left->files, "file");
	if (left->files && left->commands)
		ccfc_buf_puts(text, " and ");
	if (left->commands) {
		ccfc_buf_puts(text, "the effects of ");
		ccfc_render_count(text, left->commands, "command");
	}
	return text->len;
}

void ccfc_revert_note_left(const struct ccfc_revert_left *left)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (put_left(&text, left))
		ccfc_cli_note("not taken back, since it is not known: %s",
			      text.ptr);
	ccfc_buf_release(&text);
}

void ccfc_revert_note_commands(const struct ccfc_revert_left *left,
			       const char *given, struct ccfc_obj commands)
{
	uint32_t n = ccfc_obj_len(commands);

	for (uint32_t i = 0; i < n && i < COMMANDS_SHOWN; i++) {
		struct ccfc_slice text =
			ccfc_obj_get_str(ccfc_obj_at(commands, i), "command");

		ccfc_cli_note("what this changed stays: $ %.*s", (int)text.len,
			      text.len ? text.ptr : "");
	}
	if (left->commands > COMMANDS_SHOWN)
		ccfc_cli_note("and %lld more: ccfc show --files %s",
			      (long long)left->commands - COMMANDS_SHOWN,
			      given);
}

void ccfc_revert_note_files(struct ccfc_obj files)
{
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);
		struct ccfc_slice name = name_of(file);
		struct ccfc_slice why = ccfc_obj_get_str(file, "why");

		if (ccfc_revert_is_left(file))
			ccfc_cli_note("%.*s: stays as it is: %.*s",
				      (int)name.len, name.ptr, (int)why.len,
				      why.len ? why.ptr : "");
	}
}

int ccfc_revert_fail_left(const struct ccfc_revert_left *left,
			  struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	put_left(&text, left);
	ccfc_err_set(err, CCFC_EDENIED,
		     "revert: nothing can be taken back: not known: %s",
		     text.ptr);
	ccfc_buf_release(&text);
	return CCFC_EDENIED;
}

void ccfc_revert_print_left(struct ccfc_out *out,
			    const struct ccfc_revert_left *left)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (put_left(&text, left))
		ccfc_buf_printf(&out->buf,
				"not taken back, since it is not known: %s\n",
				text.ptr);
	ccfc_buf_release(&text);
}

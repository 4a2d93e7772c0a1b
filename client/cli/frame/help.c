/* The help texts, put together from the table of commands; see cli.h. */
#include "cli/frame/cli.h"

#define OPTION_COLUMN 26

static void print_option(struct ccfc_buf *buf, const struct ccfc_opt *o)
{
	size_t start = buf->len, n;

	if (o->letter)
		ccfc_buf_printf(buf, "  -%c, --%s", o->letter, o->name);
	else
		ccfc_buf_printf(buf, "      --%s", o->name);
	if (ccfc_opt_is_free(o))
		ccfc_buf_printf(buf, "[=%s]", o->arg);
	else if (o->type != CCFC_OPT_FLAG)
		ccfc_buf_printf(buf, "=%s", o->arg);
	n = buf->len - start;
	if (n + 2 > OPTION_COLUMN)
		ccfc_buf_printf(buf, "\n%*s", OPTION_COLUMN, "");
	else
		ccfc_buf_printf(buf, "%*s", (int)(OPTION_COLUMN - n), "");
	ccfc_buf_printf(buf, "%s\n", o->help);
}

static void print_section_head(struct ccfc_out *out, const char *title)
{
	ccfc_buf_printf(&out->buf, "\n%s%s:%s\n",
			ccfc_out_on(out, CCFC_STYLE_HEAD), title,
			ccfc_out_off(out));
}

static void print_options(struct ccfc_out *out, const struct ccfc_opt *own)
{
	print_section_head(out, "Options");
	for (; own && own->name; own++)
		print_option(&out->buf, own);
	for (const struct ccfc_opt *o = ccfc_cli_common; o->name; o++)
		print_option(&out->buf, o);
}

static void print_status(struct ccfc_out *out)
{
	print_section_head(out, "Exit status");
	ccfc_buf_puts(&out->buf, "  0  found, done\n"
				 "  1  nothing found\n"
				 "  2  an error, also in the command line\n"
				 "  3  the daemon cannot be reached\n");
}

static void print_command(struct ccfc_out *out, const struct ccfc_command *c)
{
	ccfc_buf_printf(&out->buf, "Usage: ccfc %s\n\n%s\n", c->usage,
			c->about);
	print_options(out, c->options);
	if (c->examples) {
		print_section_head(out, "Examples");
		ccfc_buf_puts(&out->buf, c->examples);
	}
	print_status(out);
}

static void print_topics(struct ccfc_out *out)
{
	static const char *const titles[CCFC_TOPICS] = {
		[CCFC_TOPIC_FILES] = "Files and changes",
		[CCFC_TOPIC_SESSIONS] = "Sessions",
		[CCFC_TOPIC_UNDO] = "Undo",
		[CCFC_TOPIC_DAEMON] = "Index and daemon",
	};

	for (int g = 0; g < CCFC_TOPICS; g++) {
		print_section_head(out, titles[g]);
		for (int i = 0; ccfc_commands[i]; i++)
			if ((int)ccfc_commands[i]->topic == g)
				ccfc_buf_printf(&out->buf, "  %-10s  %s\n",
						ccfc_commands[i]->name,
						ccfc_commands[i]->summary);
	}
}

static void print_general_help(struct ccfc_out *out)
{
	ccfc_buf_puts(&out->buf,
		      "Usage: ccfc COMMAND [arguments] [options]\n\n"
		      "Which Claude Code session changed which file.\n");
	print_topics(out);
	ccfc_buf_puts(&out->buf, "\nccfc help COMMAND describes a command.\n");
	print_options(out, NULL);
	ccfc_buf_puts(&out->buf, "  -V, --version           "
				 "show the version\n");
	print_section_head(out, "Examples");
	ccfc_buf_puts(&out->buf, "  ccfc search src/auth/login.ts   "
				 "who changed this file\n"
				 "  ccfc list @                     "
				 "what the latest session here changed\n"
				 "  ccfc sessions --from=yesterday  "
				 "sessions of this project\n"
				 "  ccfc grep 'rate limit'          "
				 "messages about that\n"
				 "  ccfc watch --format=jsonl       "
				 "changes as they happen\n");
	print_section_head(out, "Environment");
	ccfc_buf_puts(&out->buf,
		      "  CCFC_SOCKET         the daemon's socket\n"
		      "  CCFC_STATE_DIR      where the daemon keeps its index\n"
		      "  CCFC_NO_SPAWN=1     do not start the daemon\n"
		      "  CCFC_PAGER, PAGER   the pager; less -FRX if not set\n"
		      "  NO_COLOR            no colour\n"
		      "  CLAUDE_CONFIG_DIR   Claude Code's directory, "
		      "~/.claude if not set\n");
	print_status(out);
}

void ccfc_help_print(struct ccfc_out *out, const struct ccfc_command *command)
{
	if (command)
		print_command(out, command);
	else
		print_general_help(out);
}

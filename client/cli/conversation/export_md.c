/* A session as a Markdown document. */
#include "cli/conversation/export.h"

#include "cli/conversation/show.h"

static void print_export_head_md(struct ccfc_message_stream *stream,
				 struct ccfc_obj info)
{
	struct ccfc_out *out = stream->out;

	ccfc_show_head_md(out, info);
	ccfc_show_tasks_md(out, info);
	ccfc_show_tools_md(out, info);
}

static void print_files_md(struct ccfc_message_stream *stream,
			   struct ccfc_obj root)
{
	ccfc_show_files_md(stream->out, root, (struct ccfc_obj){ 0 },
			   ccfc_obj_get_str(root, "projectPath"));
}

static void begin_messages_md(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "\n## Messages\n\n");
}

static void print_no_rest(struct ccfc_message_stream *stream)
{
	(void)stream;
}

static void print_foot(struct ccfc_message_stream *stream)
{
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, "---\n\n");
	if (stream->redact) {
		ccfc_buf_puts(buf, "Replaced: ");
		ccfc_redact_describe(buf, stream->redact);
		ccfc_buf_puts(buf, ". " CCFC_REDACT_CAVEAT "\n\n");
	}
	ccfc_buf_printf(buf, "Times are UTC. Exported with ccfc %s.\n",
			CCFC_VERSION);
}

const struct ccfc_export ccfc_export_md = {
	.writer = &ccfc_message_stream_md,
	.agents = CCFC_AGENTS_BELOW,
	.head = print_export_head_md,
	.files = print_files_md,
	.begin = begin_messages_md,
	.rest = print_no_rest,
	.foot = print_foot,
};

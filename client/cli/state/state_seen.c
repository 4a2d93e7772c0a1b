/*
 * The parts of an export besides the archive; see state_files.h. The daemon
 * sends all of them in pages.
 */
#include "cli/state/state_files.h"

#include "cli/frame/connect.h"

#include <fcntl.h>
#include <unistd.h>

#define PAGE 10000

/* --- disk events --- */

/*
 * Copies a content, unless it is gone: readers of the export must handle that.
 */
static int copy_content(struct ccfc_state_job *job, struct ccfc_slice key)
{
	struct ccfc_buf from = CCFC_BUF_INIT, name = CCFC_BUF_INIT;
	int in, r = 0;

	if (key.len != CCFC_SHA256_HEX || memchr(key.ptr, '/', key.len))
		return ccfc_err_set(job->err, CCFC_EPROTO,
				    "export: no name of a content");
	ccfc_buf_printf(&name, "observed/%.2s/%.*s", key.ptr, (int)key.len - 2,
			key.ptr + 2);
	ccfc_buf_printf(&from, "%s/../blobs/%s", job->state,
			name.ptr + strlen("observed/"));
	in = ccfc_state_find_file(job, name.ptr)
		     ? -1
		     : open(from.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (in >= 0) {
		r = ccfc_state_copy_open(
			job, ccfc_state_add_file(job, name.ptr), in);
		close(in);
	}
	ccfc_buf_release(&from);
	ccfc_buf_release(&name);
	return r;
}

static int write_seen_page(struct ccfc_state_job *job, struct ccfc_buf *text,
			   struct ccfc_obj root)
{
	struct ccfc_obj lines = ccfc_obj_get(root, "lines");
	struct ccfc_obj contents = ccfc_obj_get(root, "contents");
	int r = 0;

	for (uint32_t i = 0; i < ccfc_obj_len(lines); i++) {
		ccfc_buf_slice(text, ccfc_obj_str(ccfc_obj_at(lines, i)));
		ccfc_buf_putc(text, '\n');
	}
	for (uint32_t i = 0; !r && i < ccfc_obj_len(contents); i++)
		r = copy_content(job, ccfc_obj_str(ccfc_obj_at(contents, i)));
	return r;
}

int ccfc_state_copy_seen(struct ccfc_state_job *job,
			 const struct ccfc_query *query)
{
	struct ccfc_query page = CCFC_QUERY_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	int64_t next;
	int r;

	page.project_path = query->project_path;
	page.cwd = query->cwd;
	page.limit = PAGE;
	do {
		r = ccfc_export_seen(&reply, job->cli->client, &page, job->err);
		if (!r)
			r = write_seen_page(job, &text, ccfc_cli_value(reply));
		next = r ? 0
			 : ccfc_obj_get_int(ccfc_cli_value(reply), "next", 0);
		ccfc_reply_free(reply);
		reply = NULL;
		page.offset = (uint64_t)next;
	} while (next > 0);
	if (!r && text.len)
		r = ccfc_state_write_file(job, ccfc_state_add_file(job, "seen"),
					  ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return r;
}

/* --- names and tags --- */

static void put_label(struct ccfc_buf *out, struct ccfc_obj s)
{
	struct ccfc_obj tags = ccfc_obj_get(s, "tags");

	if (!ccfc_obj_get_str(s, "name").len && !ccfc_obj_len(tags))
		return;
	ccfc_buf_slice(out, ccfc_obj_get_str(s, "sessionId"));
	ccfc_buf_putc(out, '\t');
	ccfc_buf_slice(out, ccfc_obj_get_str(s, "name"));
	for (uint32_t i = 0; i < ccfc_obj_len(tags); i++) {
		ccfc_buf_putc(out, '\t');
		ccfc_buf_slice(out, ccfc_obj_str(ccfc_obj_at(tags, i)));
	}
	ccfc_buf_putc(out, '\n');
}

int ccfc_state_copy_labels(struct ccfc_state_job *job,
			   const struct ccfc_query *query)
{
	struct ccfc_query all = CCFC_QUERY_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj sessions;
	uint32_t n;
	int r;

	all.project_path = query->project_path;
	all.cwd = query->cwd;
	all.limit = PAGE;
	do {
		r = ccfc_session_list(&reply, job->cli->client, &all, job->err);
		n = 0;
		if (!r) {
			sessions =
				ccfc_obj_get(ccfc_cli_value(reply), "sessions");
			n = ccfc_obj_len(sessions);
		}
		for (uint32_t i = 0; i < n; i++)
			put_label(&text, ccfc_obj_at(sessions, i));
		ccfc_reply_free(reply);
		reply = NULL;
		all.offset += n;
	} while (n == PAGE);
	/* No session at all, or none after the last page. */
	if (r == CCFC_ENOTFOUND)
		r = 0;
	if (!r && text.len)
		r = ccfc_state_write_file(job,
					  ccfc_state_add_file(job, "labels"),
					  ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return r;
}

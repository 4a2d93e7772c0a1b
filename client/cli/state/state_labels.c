/*
 * Names and tags of imported sessions; see state_export.h. Each line has a
 * session, its name and its tags, separated by tabs.
 */
#include "cli/state/state_export.h"

#include "cli/frame/connect.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A line of the file: the session, its name, its tags. */
static int send_label(struct ccfc_cli *cli, char *line, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	const char *tags[66] = { NULL }, *name, *session;
	uint32_t n = 0;
	char *rest = line;
	int r;

	session = strsep(&rest, "\t");
	name = rest ? strsep(&rest, "\t") : "";
	/* A '-' would remove something. */
	while (rest && n < 64) {
		tags[n] = strsep(&rest, "\t");
		n += *tags[n] && *tags[n] != '-';
	}
	tags[n] = NULL;
	/* An existing name stays. */
	r = ccfc_session_label(&reply, cli->client, session, NULL, NULL, err);
	if (r == CCFC_ENOTFOUND)
		return 0;
	if (r < 0)
		return r;
	if (ccfc_obj_get_str(ccfc_cli_value(reply), "name").len || !*name ||
	    !strcmp(name, "-"))
		name = NULL;
	ccfc_reply_free(reply);
	reply = NULL;
	if (name || n)
		r = ccfc_session_label(&reply, cli->client, session, name,
				       n ? tags : NULL, err);
	ccfc_reply_free(reply);
	return r;
}

int ccfc_state_labels(struct ccfc_cli *cli, const char *dir,
		      struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	char *rest, *line;
	int fd, r = 0;

	ccfc_buf_printf(&path, "%s/labels", dir);
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && ccfc_read_all(&text, fd))
		r = ccfc_err_io(err, errno, "import: %s", path.ptr);
	if (fd >= 0)
		close(fd);
	rest = text.ptr;
	while (!r && rest && (line = strsep(&rest, "\n")))
		r = *line ? send_label(cli, line, err) : 0;
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return r;
}

/* Making and ending a client; see ccfc/client.h. */
#include "base/alloc.h"
#include "lib/lib.h"
#include "os/dirs.h"

#include <stdlib.h>
#include <sys/stat.h>

static int check_options(const struct ccfc_client_options *o,
			 struct ccfc_err *err)
{
	if (o->version != CCFC_CLIENT_OPTIONS_VERSION)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "options of an unknown version (%u)",
				    (unsigned)o->version);
	if (o->timeout_ms < 0)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "the time limit is negative");
	return 0;
}

/*
 * CCFC_NO_SPAWN=stopped starts a daemon that crashed, but none that was
 * stopped: a stopped daemon removes its socket, a crashed one leaves it.
 */
static bool may_spawn(enum ccfc_spawn how, const char *socket)
{
	const char *no = getenv("CCFC_NO_SPAWN");
	struct stat st;

	if (how != CCFC_SPAWN_DEFAULT)
		return how == CCFC_SPAWN_ALWAYS;
	if (no && !strcmp(no, "stopped"))
		return !lstat(socket, &st);
	return !no || !no[0] || !strcmp(no, "0");
}

static int find_socket(char **out, const char *given, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = 0;

	if (given && given[0])
		ccfc_buf_puts(&path, given);
	else
		r = ccfc_dirs_socket(&path, err);
	if (r < 0)
		ccfc_buf_release(&path);
	else
		*out = ccfc_buf_detach(&path, NULL);
	return r;
}

static int dial_or_spawn(bool *spawned, const char *socket, enum ccfc_spawn how,
			 struct ccfc_err *err)
{
	int fd = ccfc_lib_dial(socket, err);

	*spawned = false;
	if (fd == CCFC_EUNREACHABLE)
		fd = ccfc_lib_wake(socket, err);
	if (fd == CCFC_EUNREACHABLE && may_spawn(how, socket)) {
		fd = ccfc_lib_spawn(socket, err);
		*spawned = fd >= 0;
	}
	return fd;
}

int ccfc_client_new(struct ccfc_client **out,
		    const struct ccfc_client_options *options,
		    struct ccfc_err *err)
{
	static const struct ccfc_client_options defaults =
		CCFC_CLIENT_OPTIONS_INIT;
	const struct ccfc_client_options *o = options ? options : &defaults;
	struct ccfc_client *c;
	char *socket = NULL;
	int r = check_options(o, err);
	bool spawned;
	int fd;

	*out = NULL;
	if (!r)
		r = find_socket(&socket, o->socket, err);
	if (!socket)
		return r;
	fd = dial_or_spawn(&spawned, socket, o->spawn, err);
	if (fd < 0) {
		free(socket);
		return fd;
	}
	c = ccfc_calloc(1, sizeof(*c));
	c->fd = fd;
	c->spawned = spawned;
	c->socket = socket;
	c->timeout_ms = o->timeout_ms;
	c->events.tail = &c->events.head;
	ccfc_framer_init(&c->framer, &ccfc_frame_reply);
	*out = c;
	return 0;
}

void ccfc_client_free(struct ccfc_client *client)
{
	if (!client)
		return;
	ccfc_stream_fail(client, 0);
	while (client->events.head) {
		struct ccfc_reply *event = client->events.head;

		client->events.head = event->next;
		ccfc_reply_free(event);
	}
	ccfc_buf_release(&client->in);
	ccfc_buf_release(&client->out);
	free(client->socket);
	free(client);
}

int ccfc_client_fd(const struct ccfc_client *client)
{
	return client->fd;
}

const char *ccfc_client_socket(const struct ccfc_client *client)
{
	return client->socket;
}

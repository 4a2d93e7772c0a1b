/*
 * A small world for the tests of the methods: transcripts in a temporary
 * directory, an index of them, a server on a real socket and one client. All
 * on one thread: the client's calls run the core until the reply is there.
 */
#ifndef CCFC_TEST_SERVE_WORLD_H
#define CCFC_TEST_SERVE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/time.h"
#include "peer.h"
#include "serve/methods.h"
#include "wire/rpc.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct world {
	char dir[64], path[96];
	struct ccfc_service service;
	struct ccfc_methods *methods;
	const char *roots[2];
	int fd;	       /* of the client */
	uint64_t conn; /* whose message came last */
	struct ccfc_buf rest, got;
	struct ccfc_doc *doc;
	struct ccfc_rpc reply; /* the last one */
	struct ccfc_scan_progress progress;
	int refreshed, finished, stopped;
	void (*done)(void *arg); /* of a build that waits */
	void *done_arg;
	char built[64]; /* its project */
	/* Read the lines that are taken in. */
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
};

static inline void world_message(void *ctx, uint64_t conn, struct ccfc_slice s)
{
	((struct world *)ctx)->conn = conn;
	ccfc_methods_message(((struct world *)ctx)->methods, conn, s);
}

static inline void world_closed(void *ctx, uint64_t conn)
{
	ccfc_methods_closed(((struct world *)ctx)->methods, conn);
}

static inline void world_drained(void *ctx, uint64_t conn)
{
	ccfc_methods_drained(((struct world *)ctx)->methods, conn);
}

static inline void world_full(void *ctx, uint64_t conn)
{
	ccfc_methods_full(((struct world *)ctx)->methods, conn);
}

static inline void world_requests(void *ctx)
{
	((struct world *)ctx)->refreshed++;
}

static inline void world_finish(void *ctx)
{
	((struct world *)ctx)->finished++;
}

static inline void world_build(void *ctx, struct ccfc_slice project,
			       void (*done)(void *), void *arg)
{
	struct world *w = ctx;

	w->done = done;
	w->done_arg = arg;
	snprintf(w->built, sizeof(w->built), "%.*s", (int)project.len,
		 project.len ? project.ptr : "");
}

static inline void world_progress(void *ctx, struct ccfc_scan_progress *out)
{
	*out = ((struct world *)ctx)->progress;
}

static inline void world_watch(void *ctx, struct ccfc_tree_stats *out)
{
	(void)ctx;
	*out = (struct ccfc_tree_stats){ .dirs_watched = 3 };
}

static inline int64_t world_last(void *ctx)
{
	(void)ctx;
	return 1000;
}

static inline uint64_t world_bytes(void *ctx)
{
	(void)ctx;
	return 4096;
}

static inline void world_stop(void *ctx)
{
	((struct world *)ctx)->stopped++;
}

static inline struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct ccfc_server_handlers handlers = {
		w,	    world_message, world_closed, world_drained,
		world_full, world_requests
	};
	struct ccfc_err err;

	assert_non_null(w);
	strcpy(w->dir, "/tmp/ccfc-world-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->path, sizeof(w->path), "%s/s", w->dir);
	w->roots[0] = w->dir;
	w->roots[1] = "/nonexistent";
	w->service = (struct ccfc_service){
		.ctx = w,
		.index = ccfc_index_new("/home/u"),
		.kept = ccfc_kept_new(),
		.max_line = 1 << 20,
		.socket_path = w->path,
		.state_dir = "/state",
		.roots = w->roots,
		.nroots = 2,
		.home = "/home/u",
		.finish_scan = world_finish,
		.build = world_build,
		.progress = world_progress,
		.watch_stats = world_watch,
		.last_indexed = world_last,
		.store_bytes = world_bytes,
		.stop = world_stop,
	};
	w->tail = ccfc_tail_new(1 << 20);
	w->parser = ccfc_parser_new(NULL);
	assert_int_equal(ccfc_worker_new(&w->service.worker, &err), 0);
	assert_int_equal(
		ccfc_server_new(&w->service.server, w->path, &handlers, &err),
		0);
	w->methods = ccfc_methods_new(&w->service);
	w->fd = peer_connect(w->path);
	assert_true(w->fd >= 0);
	return w;
}

static inline void world_free(struct world *w)
{
	char command[96];

	close(w->fd);
	ccfc_worker_free(w->service.worker);
	w->service.worker = NULL;
	ccfc_methods_free(w->methods);
	ccfc_server_free(w->service.server);
	ccfc_kept_free(w->service.kept);
	ccfc_index_free(w->service.index);
	ccfc_tail_free(w->tail);
	ccfc_parser_free(w->parser);
	ccfc_doc_free(w->doc);
	ccfc_buf_release(&w->rest);
	ccfc_buf_release(&w->got);
	snprintf(command, sizeof(command), "rm -rf %s", w->dir);
	assert_int_equal(system(command), 0);
	free(w);
}

/* Takes `text` (lines) in as the transcript of `session`, appended. */
static inline void world_write(struct world *w, const char *session,
			       const char *text)
{
	struct ccfc_index *index = w->service.index;
	struct ccfc_name name = { CCFC_NAME_SESSION, ccfc_slice_str(session),
				  CCFC_SLICE_NONE };
	char path[200];
	struct ccfc_source *source;
	struct ccfc_line line;
	uint32_t id;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.jsonl", w->dir, session);
	fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	id = ccfc_index_source(index, ccfc_slice_str(path), &name);
	source = &index->sources.items[id];
	assert_int_equal(ccfc_tail_open(w->tail, path, &source->cursor, NULL),
			 CCFC_TAIL_OPEN);
	while (ccfc_tail_next(w->tail, &source->cursor, &line, NULL) == 1) {
		struct ccfc_record record;

		ccfc_record_parse(w->parser, &record,
				  ccfc_slice(line.ptr, line.len));
		ccfc_index_apply(index, id, &record, line.offset, line.len);
		source = &index->sources.items[id];
	}
	ccfc_tail_close(w->tail, &source->cursor);
	ccfc_index_source_touch(index, id);
	ccfc_index_settle(index);
	ccfc_index_stored(index);
	ccfc_methods_publish(w->methods);
	ccfc_index_published(index);
}

/* Runs the core until the client has something to read (or `ms` passed). */
static inline bool world_run(struct world *w, int ms)
{
	for (;;) {
		struct pollfd fds[3] = {
			{ .fd = w->fd, .events = POLLIN },
			{ .fd = ccfc_server_fd(w->service.server),
			  .events = POLLIN },
			{ .fd = ccfc_worker_fd(w->service.worker),
			  .events = POLLIN },
		};
		bool busy = ccfc_methods_has_work(w->methods);
		int n = poll(fds, 3, busy ? 0 : ms);

		if (fds[1].revents)
			ccfc_server_dispatch(w->service.server);
		if (fds[2].revents)
			ccfc_worker_dispatch(w->service.worker);
		if (busy)
			ccfc_methods_work(w->methods);
		if (fds[0].revents)
			return true;
		if (n == 0 && !busy)
			return false;
	}
}

/* The next message from the daemon, into w->reply. */
static inline void world_next(struct world *w)
{
	struct ccfc_framer f;
	size_t len;

	ccfc_framer_init(&f, &ccfc_frame_reply);
	while (!w->rest.len ||
	       ccfc_framer_next(&f, &len, ccfc_buf_view(&w->rest), NULL) != 1) {
		char *p;
		ssize_t n;

		if (!world_run(w, PEER_TIMEOUT_S * 1000))
			fail_msg("no message came");
		p = ccfc_buf_reserve(&w->rest, 65536);
		n = recv(w->fd, p, 65536, 0);
		assert_true(n > 0);
		w->rest.len += (size_t)n;
	}
	ccfc_doc_free(w->doc);
	ccfc_buf_clear(&w->got);
	ccfc_buf_append(&w->got, w->rest.ptr, len);
	ccfc_buf_consume(&w->rest, len);
	assert_int_equal(ccfc_doc_parse(&w->doc, ccfc_buf_view(&w->got), NULL),
			 0);
	assert_int_equal(ccfc_rpc_parse(&w->reply, ccfc_doc_root(w->doc), NULL),
			 0);
}

/*
 * Packs options from text, so that tables of tests stay readable:
 * "name=text", "name:number" (or nil, true, false, a double), and
 * "name[a,b" for a list, separated by ";".
 */
static inline void world_pack(struct ccfc_pack *p, const char *text)
{
	char *copy = strdup(text), *save = NULL, *save2 = NULL;

	ccfc_pack_map(p);
	for (char *o = strtok_r(copy, ";", &save); o;
	     o = strtok_r(NULL, ";", &save)) {
		char *at = strpbrk(o, "=:["), kind = *at;

		*at++ = '\0';
		ccfc_pack_cstr(p, o);
		if (kind == '[') {
			ccfc_pack_array(p);
			for (char *e = strtok_r(at, ",", &save2); e;
			     e = strtok_r(NULL, ",", &save2))
				ccfc_pack_cstr(p, e);
			ccfc_pack_end(p);
		} else if (kind == '=') {
			ccfc_pack_cstr(p, at);
		} else if (!strcmp(at, "nil")) {
			ccfc_pack_nil(p);
		} else if (!strcmp(at, "true") || !strcmp(at, "false")) {
			ccfc_pack_bool(p, *at == 't');
		} else if (strchr(at, '.')) {
			ccfc_pack_double(p, atof(at));
		} else {
			ccfc_pack_int(p, atoll(at));
		}
	}
	ccfc_pack_end(p);
	free(copy);
}

static inline void world_ask(struct world *w, const char *method,
			     const char *options)
{
	static uint32_t id;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &buf);
	ccfc_rpc_request_begin(&p, ++id, method);
	if (options)
		world_pack(&p, options);
	ccfc_rpc_request_end(&p);
	assert_true(peer_write(w->fd, ccfc_buf_view(&buf)));
	ccfc_buf_release(&buf);
}

static inline void world_call(struct world *w, const char *method,
			      const char *options)
{
	world_ask(w, method, options);
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_RESPONSE);
}

/* The result of a call that has to succeed. */
static inline struct ccfc_obj world_get(struct world *w, const char *method,
					const char *options)
{
	world_call(w, method, options);
	if (w->reply.failed)
		fail_msg("%s {%s}: %s", method, options ? options : "",
			 w->reply.error.what);
	return w->reply.result;
}

/* An object by a path of keys and indexes: "files/0/path". */
static inline struct ccfc_obj at(struct ccfc_obj o, const char *where)
{
	char *copy = strdup(where), *save = NULL;

	for (char *k = strtok_r(copy, "/", &save); k;
	     k = strtok_r(NULL, "/", &save))
		o = ccfc_obj_type(o) == CCFC_OBJ_ARRAY
			    ? ccfc_obj_at(o, (uint32_t)atoi(k))
			    : ccfc_obj_get(o, k);
	free(copy);
	return o;
}

/* One value as text, for comparing. */
static inline const char *show(struct ccfc_obj o, char *out, size_t size)
{
	struct ccfc_slice s;

	switch (ccfc_obj_type(o)) {
	case CCFC_OBJ_NONE:
		return "(none)";
	case CCFC_OBJ_NIL:
		return "nil";
	case CCFC_OBJ_BOOL:
		return ccfc_obj_bool(o, false) ? "true" : "false";
	case CCFC_OBJ_INT:
		snprintf(out, size, "%lld", (long long)ccfc_obj_int(o, 0));
		return out;
	case CCFC_OBJ_STR:
	case CCFC_OBJ_BIN:
		s = ccfc_obj_str(o);
		snprintf(out, size, "%.*s", (int)s.len, s.ptr);
		return out;
	default:
		snprintf(out, size, "[%u]", ccfc_obj_len(o));
		return out;
	}
}

struct expect {
	const char *where, *value;
};

static inline void check_all(struct ccfc_obj o, const struct expect *list,
			     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[4096];
		const char *got =
			show(at(o, list[i].where), text, sizeof(text));

		if (strcmp(got, list[i].value))
			fail_msg("%s: got '%s', not '%s'", list[i].where, got,
				 list[i].value);
	}
}

#define CHECK(o, ...)                                                          \
	check_all(o, (const struct expect[]){ __VA_ARGS__ },                   \
		  sizeof((const struct expect[]){ __VA_ARGS__ }) /             \
			  sizeof(struct expect))

#endif

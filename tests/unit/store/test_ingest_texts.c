/*
 * What becomes of texts when transcripts grow, are read anew, rewritten and
 * deleted; when the file of texts is lost; when nothing can be written.
 */
#include "source/tail.h"

/* Something may happen right after a file was opened. */
static enum ccfc_tail_status open_and_then(struct ccfc_tail *tail,
					   const char *path,
					   struct ccfc_cursor *cursor,
					   struct ccfc_err *err);
#define ccfc_tail_open open_and_then
#include "ingest/ingest.c"
#include "ingest/source_open.c"
#include "ingest/source_read.c"
#undef ccfc_tail_open

#include "fixture.h"

#include <signal.h>
#include <sys/stat.h>

#define LINE                                                                   \
	"{\"type\":\"user\",\"sessionId\":\"s\",\"cwd\":\"/p\",\"uuid\":"      \
	"\"00000000-0000-4000-8000-0000000000%02u\","                          \
	"\"timestamp\":\"2025-01-01T00:00:00Z\",\"message\":{\"content\":"     \
	"\"%s\"}}\n"

/*
 * Writes a line, by how the file is opened. All files get one time: a rebuild
 * reads the newest file first, and two files may be written in two seconds.
 */
static void put(const struct fixture *f, const char *name, const char *how,
		const char *text)
{
	static const struct timespec times[2] = { { 1735689600, 0 },
						  { 1735689600, 0 } };
	static unsigned n;
	FILE *file = fopen(at(f, name), how);

	assert_non_null(file);
	fprintf(file, LINE, ++n % 100, text);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(futimens(fileno(file), times), 0);
	fclose(file);
}

static void say(struct fixture *f, const char *name, const char *text)
{
	put(f, name, "a", text);
	look(f, name);
	ccfc_ingest_hot(f->ingest);
}

/* All texts in their order: a "+" marks those that still stand. */
static void check(struct fixture *f, const char *want)
{
	struct ccfc_texts_view view;
	struct ccfc_texts_reader *reader;
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_text_head head;
	struct ccfc_slice text;

	ccfc_store_texts(f->store, &view);
	reader = ccfc_texts_reader_new(&view, 0);
	ccfc_texts_verify(reader, true);
	ccfc_buf_puts(&out, "");
	while (ccfc_texts_next(reader, &head, &text)) {
		ccfc_buf_puts(&out, out.len ? " " : "");
		ccfc_buf_slice(&out, text);
		if (ccfc_index_text_where(f->index, head.source, head.gen) ==
		    CCFC_WHERE_PRESENT)
			ccfc_buf_putc(&out, '+');
		assert_int_equal(head.session, 1);
		assert_true(head.uuid[15] != 0);
	}
	assert_int_equal(ccfc_texts_damaged(reader), 0);
	assert_string_equal(out.ptr, want);
	ccfc_buf_release(&out);
	ccfc_texts_reader_free(reader);
	ccfc_texts_view_release(&view);
}

static void read_all(struct fixture *f)
{
	while (ccfc_ingest_cold(f->ingest))
		;
}

static void rebuild(struct fixture *f)
{
	ccfc_ingest_rebuild(f->ingest, CCFC_SLICE_NONE);
	read_all(f);
}

static void restart(struct fixture *f)
{
	stop(f);
	start(f);
}

/* The same, where the store is to say that it wants reading anew. */
static void restart_stale(struct fixture *f)
{
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct ccfc_err err = { 0 };
	bool stale = false;

	stop(f);
	assert_int_equal(ccfc_store_new(&f->store, f->dir, &err), 0);
	if (ccfc_store_load(f->store, index, &stale, &err))
		fail_msg("%s", err.what);
	assert_true(stale);
	start_with(f, index);
}

static void test_once(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	say(&f, "p", "a");
	check(&f, "a+");
	say(&f, "p", "b");
	rebuild(&f);
	check(&f, "a+ b+");
	restart(&f);
	say(&f, "p", "c");
	rebuild(&f);
	rebuild(&f);
	say(&f, "p", "d");
	restart(&f);
	rebuild(&f);
	check(&f, "a+ b+ c+ d+");
	stop(&f);
}

static void test_rewritten(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	say(&f, "p", "aa");
	say(&f, "p", "bb");
	put(&f, "p", "w", "cc");
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	check(&f, "aa bb cc+");
	rebuild(&f);
	restart(&f);
	check(&f, "aa bb cc+");
	/* Rewritten before what was to be read anew was. */
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_NONE);
	put(&f, "p", "w", "dd");
	put(&f, "p", "a", "ee");
	read_all(&f);
	check(&f, "aa bb cc dd+ ee+");
	restart(&f);
	rebuild(&f);
	check(&f, "aa bb cc dd+ ee+");
	stop(&f);
}

/* A rebuild that ended half way goes on after what has its texts. */
static void test_half_a_rebuild(void **state)
{
	struct fixture f = { .dir = *state };
	uint64_t budget = 1;

	start(&f);
	say(&f, "p", "a");
	say(&f, "p", "b");
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_NONE);
	assert_true(read_source(f.ingest, 0, &budget));
	end_batch(f.ingest);
	restart(&f);
	assert_true(f.index->sources.items[0].cursor.offset > 0);
	assert_true(f.index->sources.items[0].cursor.offset <
		    f.index->sources.items[0].texts.offset);
	say(&f, "p", "c");
	check(&f, "a+ b+ c+");
	/* The same, with what has its texts rewritten meanwhile. */
	budget = 1;
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_NONE);
	assert_true(read_source(f.ingest, 0, &budget));
	end_batch(f.ingest);
	restart(&f);
	assert_int_equal(
		truncate(at(&f, "p"),
			 (off_t)f.index->sources.items[0].cursor.offset),
		0);
	say(&f, "p", "d");
	check(&f, "a b c a+ d+");
	stop(&f);
}

/* A file that takes the place of the one that was opened; NULL: none. */
static struct {
	const char *from, *to;
} swap;

static enum ccfc_tail_status open_and_then(struct ccfc_tail *tail,
					   const char *path,
					   struct ccfc_cursor *cursor,
					   struct ccfc_err *err)
{
	enum ccfc_tail_status status = ccfc_tail_open(tail, path, cursor, err);

	if (swap.from)
		assert_int_equal(rename(swap.from, swap.to), 0);
	swap.from = NULL;
	return status;
}

/* Replaced between two looks at one reading: what is new is said, too. */
static void test_replaced_meanwhile(void **state)
{
	struct fixture f = { .dir = *state };
	char from[600], to[600];

	start(&f);
	say(&f, "p", "aa");
	say(&f, "p", "bb");
	snprintf(from, sizeof(from), "%s", at(&f, "q"));
	snprintf(to, sizeof(to), "%s", at(&f, "p"));
	put(&f, "q", "w", "cc");
	put(&f, "q", "a", "dd");
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_NONE);
	swap.from = from;
	swap.to = to;
	read_all(&f);
	assert_null(swap.from);
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	check(&f, "aa bb cc+ dd+");
	stop(&f);
}

static void test_gone(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	say(&f, "p", "a");
	say(&f, "q", "b");
	unlink(at(&f, "p"));
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	rebuild(&f);
	restart(&f);
	check(&f, "a b+");
	stop(&f);
}

static void lose(struct fixture *f)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/texts", f->dir);
	assert_int_equal(unlink(path), 0);
}

static void test_lost(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	say(&f, "p", "a");
	say(&f, "q", "b");
	lose(&f);
	restart_stale(&f);
	check(&f, "");
	rebuild(&f);
	check(&f, "a+ b+");
	restart(&f);
	/* And when we end before anything was read anew: */
	lose(&f);
	restart_stale(&f);
	restart(&f);
	check(&f, "");
	say(&f, "p", "c");
	check(&f, "a+ c+");
	say(&f, "q", "d");
	check(&f, "a+ c+ b+ d+");
	restart(&f);
	check(&f, "a+ c+ b+ d+");
	stop(&f);
}

/* The same, but the store cannot be written. */
static void say_limited(struct fixture *f, const char *text, rlim_t bytes)
{
	put(f, "p", "a", text);
	limit_files(bytes);
	look(f, "p");
	ccfc_ingest_hot(f->ingest);
	limit_files(RLIM_INFINITY);
	assert_true(f->ingest->store_failed);
}

/* Texts wait for a disk that is full, and are written once. */
static void test_full(void **state)
{
	struct fixture f = { .dir = *state };

	signal(SIGXFSZ, SIG_IGN);
	start(&f);
	say(&f, "p", "a");
	say_limited(&f, "b", 64);
	check(&f, "a+");
	say_limited(&f, "c", 64);
	check(&f, "a+");
	say(&f, "p", "d");
	assert_false(f.ingest->store_failed);
	check(&f, "a+ b+ c+ d+");
	restart(&f);
	check(&f, "a+ b+ c+ d+");
	/* Now the texts fit, but not the rows that count them. */
	say_limited(&f, "e", 2048);
	check(&f, "a+ b+ c+ d+ e+");
	restart(&f);
	check(&f, "a+ b+ c+ d+");
	say(&f, "p", "f");
	check(&f, "a+ b+ c+ d+ e+ f+");
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rewritten, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_half_a_rebuild, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_replaced_meanwhile, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The blob store: what was put comes back or is said to be gone, whatever was
 * done to its files and whenever the process that wrote them was killed.
 */
#include "blobs/blobs_internal.h"

#include "../seed.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#define MAX ((size_t)16 << 20)

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ccfc-blobs-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct ccfc_blobs *open_blobs(void)
{
	struct ccfc_blobs *blobs = NULL;
	struct ccfc_err err;

	assert_int_equal(ccfc_blobs_new(&blobs, dir, &err), 0);
	return blobs;
}

static struct ccfc_blob_key put(struct ccfc_blobs *blobs, const char *text)
{
	struct ccfc_blob_key key;
	struct ccfc_err err;

	assert_int_equal(
		ccfc_blobs_put(blobs, &key, ccfc_slice_str(text), &err), 0);
	return key;
}

/* The result of getting it; what came is `text`, if anything did. */
static int got(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
	       const char *text)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	int r = ccfc_blobs_get(&out, blobs, key, MAX, NULL);

	if (!r)
		assert_true(ccfc_slice_is(ccfc_buf_view(&out), text));
	else
		assert_int_equal(out.len, 0);
	ccfc_buf_release(&out);
	return r;
}

static const char *path_of(const struct ccfc_blob_key *key)
{
	static char path[PATH_MAX];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s/", dir);

	for (int i = 0; i < CCFC_SHA256_BYTES; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "%02x%s",
				      key->bytes[i], i ? "" : "/");
	return path;
}

static void test_put_and_get(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	size_t sizes[] = { 0, 1, 100, 128 << 10, (128 << 10) + 1, 3 << 20 };
	struct ccfc_blob_stats stats;
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
		struct ccfc_blob_key key, again;
		struct ccfc_err err;

		/* The last ones cannot be made smaller. */
		for (size_t k = 0; k < sizes[i]; k++)
			ccfc_buf_putc(&in, i < 3 ? 'x' : (char)seed_next());
		assert_int_equal(
			ccfc_blobs_put(blobs, &key, ccfc_buf_view(&in), &err),
			0);
		assert_int_equal(
			ccfc_blobs_put(blobs, &again, ccfc_buf_view(&in), &err),
			0);
		assert_memory_equal(&key, &again, sizeof(key));
		assert_int_equal(
			ccfc_blobs_get(&out, blobs, &key, sizes[i], &err), 0);
		assert_true(
			ccfc_slice_eq(ccfc_buf_view(&in), ccfc_buf_view(&out)));
		if (sizes[i])
			assert_int_equal(ccfc_blobs_get(&out, blobs, &key,
							sizes[i] - 1, &err),
					 CCFC_ETOOBIG);
		assert_int_equal(out.len, sizes[i]);
		assert_int_equal(stat(path_of(&key), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		ccfc_buf_release(&in);
		ccfc_buf_release(&out);
	}
	ccfc_blobs_stats(blobs, &stats);
	assert_int_equal(stats.blobs, sizeof(sizes) / sizeof(*sizes));
	ccfc_blobs_free(blobs);
}

static void test_the_key_is_the_sha256(void **state)
{
	struct ccfc_blob_key key = ccfc_blob_key(CCFC_SLICE_LIT("abc"));
	char hex[CCFC_SHA256_HEX + 1];

	(void)state;
	ccfc_sha256_hex(hex, CCFC_SLICE_LIT("abc"));
	assert_memory_equal(path_of(&key) + strlen(dir) + 1, hex, 2);
	assert_string_equal(path_of(&key) + strlen(dir) + 4, hex + 2);
}

static void test_remove(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_key key = put(blobs, "secret");
	struct ccfc_blob_stats stats;

	(void)state;
	assert_true(ccfc_blobs_has(blobs, &key));
	assert_int_equal(ccfc_blobs_remove(blobs, &key, NULL), 0);
	assert_false(ccfc_blobs_has(blobs, &key));
	assert_int_equal(got(blobs, &key, ""), CCFC_ENOTFOUND);
	assert_int_equal(ccfc_blobs_remove(blobs, &key, NULL), 0);
	ccfc_blobs_stats(blobs, &stats);
	assert_int_equal(stats.blobs, 0);
	assert_int_equal(stats.bytes, 0);
	ccfc_blobs_free(blobs);
}

static void write_file(const char *path, const char *ptr, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, ptr, len), (ssize_t)len);
	close(fd);
}

static size_t read_file(char *out, size_t cap, const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, out, cap);

	assert_true(fd >= 0 && n > 0);
	close(fd);
	return (size_t)n;
}

#define TEXT "one line, and one line, and one line, and another one\n"

/* Whatever bit turns over: the bytes that were put, or none. */
static void test_flipped_bits(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_key key = put(blobs, TEXT);
	char path[PATH_MAX], good[512], bad[512];
	size_t len;

	(void)state;
	strcpy(path, path_of(&key));
	len = read_file(good, sizeof(good), path);
	for (size_t bit = 0; bit < len * 8; bit++) {
		int r;

		memcpy(bad, good, len);
		bad[bit / 8] = (char)(bad[bit / 8] ^ 1 << bit % 8);
		write_file(path, bad, len);
		r = got(blobs, &key, TEXT);
		assert_true(!r || r == CCFC_ECORRUPT);
	}
	for (size_t cut = 0; cut < len; cut++) {
		write_file(path, good, cut);
		assert_int_equal(got(blobs, &key, TEXT), CCFC_ECORRUPT);
	}
	memcpy(bad, good, len);
	bad[len] = 0;
	write_file(path, bad, len + 1);
	assert_int_equal(got(blobs, &key, TEXT), CCFC_ECORRUPT);
	/* Putting it again mends it. */
	put(blobs, TEXT);
	assert_int_equal(got(blobs, &key, TEXT), 0);
	ccfc_blobs_free(blobs);
}

/* A content of four parts; the last but one is empty. */
static struct ccfc_blob_parts cut_in_parts(struct ccfc_buf *out)
{
	struct ccfc_blob_parts parts = { .n = 4 };

	for (int i = 0; i < 40000; i++)
		ccfc_buf_printf(out, "%d ", i * 7919 % 1009);
	parts.ends[0] = 3000;
	parts.ends[1] = parts.ends[2] = 30000;
	parts.ends[3] = (uint32_t)out->len;
	return parts;
}

/* Unpacks a part; false: it is damaged. */
static bool unpacked_part(struct ccfc_packed *packed,
			  const struct ccfc_blob_parts *parts, uint32_t i,
			  struct ccfc_slice content)
{
	size_t from = i ? parts->ends[i - 1] : 0;
	size_t len = parts->ends[i] - from;
	char *to = malloc(len + 1);
	bool done;

	assert_non_null(to);
	done = ccfc_packed_part(to, packed, parts, i, content.ptr);
	if (done)
		assert_memory_equal(to, content.ptr + from, len);
	free(to);
	return done;
}

/* The same of the whole content. */
static int unpacked_whole(struct ccfc_blobs *blobs, struct ccfc_slice packed,
			  struct ccfc_slice content)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	int r = ccfc_blob_unpack(&out, blobs, packed, content.len, NULL);

	if (!r)
		assert_true(ccfc_slice_eq(ccfc_buf_view(&out), content));
	ccfc_buf_release(&out);
	return r;
}

/* Each part alone, and the whole: of a file, and of bytes in memory. */
static void check_packed(struct ccfc_packed *packed,
			 const struct ccfc_blob_parts *parts,
			 struct ccfc_slice all)
{
	struct ccfc_blob_parts found;
	char *to = malloc(all.len);

	assert_non_null(to);
	assert_true(ccfc_packed_parts(&found, packed));
	assert_int_equal(found.n, parts->n);
	assert_memory_equal(found.ends, parts->ends,
			    parts->n * sizeof(uint32_t));
	for (uint32_t i = parts->n - 1; i-- > 0;)
		assert_true(unpacked_part(packed, parts, i, all));
	/* The last one needs the others. */
	assert_false(unpacked_part(packed, parts, parts->n - 1, all));
	assert_true(ccfc_packed_whole(to, packed, parts));
	assert_memory_equal(to, all.ptr, all.len);
	ccfc_packed_close(packed);
	free(to);
}

static void test_in_parts(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts = cut_in_parts(&in);
	struct ccfc_slice all = ccfc_buf_view(&in);
	struct ccfc_packed packed;
	struct ccfc_blob_key key;

	(void)state;
	assert_int_equal(ccfc_blobs_put_parts(blobs, &key, all, &parts, NULL),
			 0);
	assert_int_equal(ccfc_packed_open(&packed, blobs, &key, NULL), 0);
	check_packed(&packed, &parts, all);
	assert_int_equal(ccfc_blob_pack(&out, blobs, all, &parts, NULL), 0);
	ccfc_packed_use(&packed, blobs, ccfc_buf_view(&out));
	check_packed(&packed, &parts, all);
	/* The key is that of the content. */
	key = ccfc_blob_key(all);
	ccfc_buf_clear(&out);
	assert_int_equal(ccfc_blobs_get(&out, blobs, &key, in.len, NULL), 0);
	assert_true(ccfc_slice_eq(ccfc_buf_view(&out), all));
	assert_int_equal(ccfc_blobs_get(&out, blobs, &key, in.len - 1, NULL),
			 CCFC_ETOOBIG);
	assert_int_equal(ccfc_blobs_remove(blobs, &key, NULL), 0);
	assert_int_equal(ccfc_packed_open(&packed, blobs, &key, NULL),
			 CCFC_ENOTFOUND);
	ccfc_packed_close(&packed);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* Reads of a part and of the whole, in the parts that a caller expects. */
static void check_refused(struct ccfc_blobs *blobs, struct ccfc_slice bytes,
			  const struct ccfc_blob_parts *expected)
{
	size_t len = expected->ends[expected->n - 1];
	char *to = malloc(len + 1), *first = calloc(1, len + 1);
	struct ccfc_packed packed;

	assert_true(to && first);
	ccfc_packed_use(&packed, blobs, bytes);
	assert_false(ccfc_packed_part(to, &packed, expected, 0, NULL));
	assert_false(ccfc_packed_part(to, &packed, expected, 1, first));
	assert_false(ccfc_packed_whole(to, &packed, expected));
	ccfc_packed_close(&packed);
	free(to);
	free(first);
}

/*
 * The file of a blob was replaced since its parts were read: what the caller
 * has room for is not what the file has now.
 */
static void test_other_parts(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts = cut_in_parts(&in), other = parts;
	struct ccfc_slice all = ccfc_buf_view(&in);

	(void)state;
	assert_int_equal(ccfc_blob_pack(&out, blobs, all, &parts, NULL), 0);
	other.ends[1]--;
	check_refused(blobs, ccfc_buf_view(&out), &other);
	other = parts;
	other.ends[3]--;
	check_refused(blobs, ccfc_buf_view(&out), &other);
	other.n = 3;
	check_refused(blobs, ccfc_buf_view(&out), &other);
	/* In one piece. */
	ccfc_buf_clear(&out);
	assert_int_equal(ccfc_blob_pack(&out, blobs, all, NULL, NULL), 0);
	check_refused(blobs, ccfc_buf_view(&out), &parts);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* Nothing, and a content that zstd cannot make smaller. */
static void test_odd_parts(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_parts parts = { 3, { 0, 0, 0 } };
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_packed packed;

	(void)state;
	assert_int_equal(
		ccfc_blob_pack(&out, blobs, CCFC_SLICE_LIT(""), &parts, NULL),
		0);
	assert_int_equal(
		unpacked_whole(blobs, ccfc_buf_view(&out), CCFC_SLICE_LIT("")),
		0);
	for (int i = 0; i < 50000; i++)
		ccfc_buf_putc(&in, (char)seed_next());
	parts = (struct ccfc_blob_parts){ 3, { 20000, 45000, 50000 } };
	ccfc_buf_clear(&out);
	assert_int_equal(
		ccfc_blob_pack(&out, blobs, ccfc_buf_view(&in), &parts, NULL),
		0);
	ccfc_packed_use(&packed, blobs, ccfc_buf_view(&out));
	check_packed(&packed, &parts, ccfc_buf_view(&in));
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* A flipped bit is found by whoever reads what it belongs to. */
static void test_damaged_parts(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts = cut_in_parts(&in);
	struct ccfc_slice all = ccfc_buf_view(&in), bytes;
	size_t header = (24 + 16 * parts.n) * 8;
	struct ccfc_packed packed;

	(void)state;
	assert_int_equal(ccfc_blob_pack(&out, blobs, all, &parts, NULL), 0);
	bytes = ccfc_buf_view(&out);
	ccfc_packed_use(&packed, blobs, bytes);
	for (size_t i = 0; i < header + 2000; i++) {
		size_t bit = i < header ? i : seed_next() % (out.len * 8);
		int bad = 0;

		out.ptr[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_not_equal(unpacked_whole(blobs, bytes, all), 0);
		for (uint32_t k = 0; k + 1 < parts.n; k++)
			bad += !unpacked_part(&packed, &parts, k, all);
		assert_true(bit < header ? bad == 3 : bad <= 1);
		out.ptr[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (size_t len = 0; len < out.len; len += 1 + len / 50)
		assert_int_equal(
			unpacked_whole(blobs, ccfc_slice(out.ptr, len), all),
			CCFC_ECORRUPT);
	ccfc_buf_putc(&out, 'x');
	assert_int_equal(unpacked_whole(blobs, ccfc_buf_view(&out), all),
			 CCFC_ECORRUPT);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* Replaces the frame of the last part; the checksums fit. */
static void replace_last_frame(struct ccfc_buf *packed, struct ccfc_slice frame)
{
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;
	uint32_t last;

	assert_true(ccfc_blob_read_header(&header, ccfc_buf_view(packed)));
	assert_true(
		ccfc_blob_read_table(&table, &header, ccfc_buf_view(packed)));
	last = table.parts.n - 1;
	packed->len = header.size + table.frame_ends[last - 1];
	ccfc_buf_slice(packed, frame);
	table.frame_ends[last] = (uint32_t)(packed->len - header.size);
	table.hashes[last] = ccfc_hash_slice(frame);
	ccfc_blob_write_table((unsigned char *)packed->ptr, &table);
}

/*
 * A frame that says it has more bytes than zstd can have made of the part is
 * not read, also if zstd would read it: what follows is one that zstd skips.
 */
static void test_too_long_a_frame(void **state)
{
	static const char skipped[8] = "\x50\x2a\x4d\x18\x00\x00\x01";
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_parts parts = { 2, { 5, 10 } };
	struct ccfc_slice all = CCFC_SLICE_LIT("helloworld");
	struct ccfc_buf out = CCFC_BUF_INIT, frame = CCFC_BUF_INIT;
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;

	(void)state;
	assert_int_equal(ccfc_blob_pack(&out, blobs, all, &parts, NULL), 0);
	assert_true(ccfc_blob_read_header(&header, ccfc_buf_view(&out)));
	assert_true(ccfc_blob_read_table(&table, &header, ccfc_buf_view(&out)));
	ccfc_buf_slice(&frame,
		       ccfc_slice_from(ccfc_buf_view(&out),
				       header.size + table.frame_ends[0]));
	replace_last_frame(&out, ccfc_buf_view(&frame));
	assert_int_equal(unpacked_whole(blobs, ccfc_buf_view(&out), all), 0);
	ccfc_buf_append(&frame, skipped, sizeof(skipped));
	for (int i = 0; i < 0x10000; i++)
		ccfc_buf_putc(&frame, 'x');
	replace_last_frame(&out, ccfc_buf_view(&frame));
	assert_int_equal(unpacked_whole(blobs, ccfc_buf_view(&out), all),
			 CCFC_ECORRUPT);
	ccfc_buf_release(&frame);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* The file of a content in parts is damaged. */
static void test_damaged_parts_on_disk(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_buf in = CCFC_BUF_INIT, file = CCFC_BUF_INIT;
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts = cut_in_parts(&in);
	struct ccfc_slice all = ccfc_buf_view(&in);
	struct ccfc_blob_key key;

	(void)state;
	assert_int_equal(ccfc_blobs_put_parts(blobs, &key, all, &parts, NULL),
			 0);
	assert_int_equal(ccfc_blob_pack(&file, blobs, all, &parts, NULL), 0);
	for (int i = 0; i < 200; i++) {
		size_t bit = seed_next() % (file.len * 8);

		file.ptr[bit / 8] ^= (char)(1 << bit % 8);
		write_file(path_of(&key), file.ptr, file.len);
		assert_int_equal(
			ccfc_blobs_get(&out, blobs, &key, in.len, NULL),
			CCFC_ECORRUPT);
		assert_int_equal(out.len, 0);
		file.ptr[bit / 8] ^= (char)(1 << bit % 8);
	}
	/* Putting it again mends it. */
	assert_int_equal(ccfc_blobs_put_parts(blobs, &key, all, &parts, NULL),
			 0);
	assert_int_equal(ccfc_blobs_get(&out, blobs, &key, in.len, NULL), 0);
	ccfc_buf_release(&in);
	ccfc_buf_release(&file);
	ccfc_buf_release(&out);
	ccfc_blobs_free(blobs);
}

/* The file of a blob as an earlier version wrote it. */
static void check_earlier(const char *text, const unsigned char *file,
			  size_t len)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_key key = put(blobs, text);
	struct ccfc_slice want = ccfc_slice_str(text);
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_blob_parts parts;
	struct ccfc_packed packed;
	char back[100];

	write_file(path_of(&key), (const char *)file, len);
	assert_int_equal(got(blobs, &key, text), 0);
	assert_int_equal(ccfc_packed_open(&packed, blobs, &key, NULL), 0);
	assert_true(ccfc_packed_parts(&parts, &packed));
	assert_true(parts.n == 1 && parts.ends[0] == want.len);
	assert_true(ccfc_packed_part(back, &packed, &parts, 0, NULL));
	assert_memory_equal(back, text, want.len);
	ccfc_packed_close(&packed);
	ccfc_buf_append(&bytes, file, len);
	assert_int_equal(unpacked_whole(blobs, ccfc_buf_view(&bytes), want), 0);
	bytes.ptr[len - 10] ^= 1;
	assert_int_equal(unpacked_whole(blobs, ccfc_buf_view(&bytes), want),
			 CCFC_ECORRUPT);
	ccfc_buf_release(&bytes);
	ccfc_blobs_free(blobs);
}

/* The first form has its checksum in the frame. */
static void test_first_form(void **state)
{
	static const unsigned char file[] =
		"ccfcblb1\x19\0\0\0\0\0\0\0"
		"\x28\xb5\x2f\xfd\x04\x58\xc9\x00\x00"
		"a blob of the first form\n\xd9\x39\x56\x63";

	(void)state;
	check_earlier("a blob of the first form\n", file, sizeof(file) - 1);
}

/* The second form may have a block that ends after a part. */
static void test_second_form(void **state)
{
	static const unsigned char file[] =
		"ccfcblb2\x1e\0\0\0\0\0\0\0\x0d\0\0\0\0\0\0\0"
		"\x16\x66\x91\xe0\x37\x09\x7d\x5d"
		"\x28\xb5\x2f\xfd\x20\x1e\x68\x00\x00"
		"a first part,\x89\x00\x00 and another one\n";

	(void)state;
	check_earlier("a first part, and another one\n", file,
		      sizeof(file) - 1);
}

/* Another content under the key of this one is damage, too. */
static void test_swapped(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_key a = put(blobs, "a"), b = put(blobs, "b");
	char path[PATH_MAX];

	(void)state;
	strcpy(path, path_of(&a));
	assert_int_equal(rename(path_of(&b), path), 0);
	assert_int_equal(got(blobs, &a, "a"), CCFC_ECORRUPT);
	ccfc_blobs_free(blobs);
}

/* --- kills --- */

static void write_some(void)
{
	struct ccfc_blobs *blobs = NULL;
	struct ccfc_blob_key key;

	if (ccfc_blobs_new(&blobs, dir, NULL))
		_exit(1);
	ccfc_blobs_put(blobs, &key, CCFC_SLICE_LIT(TEXT), NULL);
	ccfc_blobs_put(blobs, &key, CCFC_SLICE_LIT("second"), NULL);
	_exit(0);
}

/* Lets a child go `calls` times into or out of the system, and kills it. */
static bool run_killed(int calls)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		write_some();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < calls; i++) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			return false;
		}
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return true;
}

static bool has_unfinished(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool found = false;

	assert_non_null(d);
	while ((entry = readdir(d)))
		found |= !strncmp(entry->d_name, "new-", 4);
	closedir(d);
	return found;
}

static void test_killed_at_every_call(void **state)
{
	struct ccfc_blob_key first = ccfc_blob_key(CCFC_SLICE_LIT(TEXT));
	struct ccfc_blob_key second = ccfc_blob_key(CCFC_SLICE_LIT("second"));
	int unfinished = 0, calls = 1;

	(void)state;
	for (bool killed = true; killed; calls++) {
		struct ccfc_blobs *blobs;
		int r;

		killed = run_killed(calls);
		unfinished += has_unfinished();
		blobs = open_blobs();
		assert_false(has_unfinished());
		r = got(blobs, &first, TEXT);
		assert_true(!r || (killed && r == CCFC_ENOTFOUND));
		r = got(blobs, &second, "second");
		assert_true(!r || (killed && r == CCFC_ENOTFOUND));
		ccfc_blobs_remove(blobs, &first, NULL);
		ccfc_blobs_remove(blobs, &second, NULL);
		ccfc_blobs_free(blobs);
	}
	/* It was killed while it wrote, now and then. */
	assert_true(unfinished > 4 && calls > 20);
}

/* --- age and budget --- */

static void set_age(const struct ccfc_blob_key *key, time_t seconds)
{
	struct timespec now, times[2];

	clock_gettime(CLOCK_REALTIME, &now);
	times[0] = times[1] = (struct timespec){ now.tv_sec - seconds, 0 };
	assert_int_equal(utimensat(AT_FDCWD, path_of(key), times, 0), 0);
}

static void test_the_oldest_go(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_limits limits = { .bytes = 10 * 4096, .age = 1000 };
	struct ccfc_blob_key keys[20];
	struct ccfc_blob_stats stats;

	(void)state;
	for (int i = 0; i < 20; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		keys[i] = put(blobs, text);
		set_age(&keys[i], i * 10);
	}
	/* It is put again: it is the youngest one. */
	put(blobs, "19");
	assert_true(ccfc_blobs_is_full(blobs, &limits));
	ccfc_blobs_sweep(blobs, &limits);
	assert_false(ccfc_blobs_is_full(blobs, &limits));
	for (int i = 0; i < 19; i++)
		assert_int_equal(ccfc_blobs_has(blobs, &keys[i]), i < 8);
	assert_true(ccfc_blobs_has(blobs, &keys[19]));
	ccfc_blobs_stats(blobs, &stats);
	assert_int_equal(stats.blobs, 9);
	assert_int_equal(stats.removed, 11);
	ccfc_blobs_free(blobs);
}

static void test_too_old(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_limits limits = { .bytes = 1 << 20, .age = 1000 };
	struct ccfc_blob_key old = put(blobs, "old"), young = put(blobs, "y");

	(void)state;
	set_age(&old, 1100);
	set_age(&young, 900);
	ccfc_blobs_sweep(blobs, &limits);
	assert_false(ccfc_blobs_has(blobs, &old));
	assert_true(ccfc_blobs_has(blobs, &young));
	ccfc_blobs_free(blobs);
}

/* --- the directory --- */

static void test_directory_removed(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_key key = put(blobs, "before");

	(void)state;
	assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	assert_int_equal(got(blobs, &key, ""), CCFC_ENOTFOUND);
	key = put(blobs, "after");
	assert_int_equal(got(blobs, &key, "after"), 0);
	ccfc_blobs_free(blobs);
}

static void test_not_a_directory(void **state)
{
	struct ccfc_blobs *blobs = NULL;
	char path[128];
	struct ccfc_err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/x", dir);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(ccfc_blobs_new(&blobs, path, &err), CCFC_EDENIED);
	assert_null(blobs);
}

/* A blob that was given up leaves nothing. */
static void test_abort(void **state)
{
	struct ccfc_blobs *blobs = open_blobs();
	struct ccfc_blob_writer *writer;

	(void)state;
	assert_int_equal(ccfc_blobs_begin(&writer, blobs, NULL), 0);
	assert_int_equal(ccfc_blobs_add(writer, CCFC_SLICE_LIT("x"), NULL), 0);
	assert_true(has_unfinished());
	ccfc_blobs_abort(writer);
	assert_false(has_unfinished());
	ccfc_blobs_free(blobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_key_is_the_sha256),
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_put_and_get),
		T(test_remove),
		T(test_flipped_bits),
		T(test_in_parts),
		T(test_other_parts),
		T(test_odd_parts),
		T(test_damaged_parts),
		T(test_too_long_a_frame),
		T(test_damaged_parts_on_disk),
		T(test_first_form),
		T(test_second_form),
		T(test_swapped),
		T(test_the_oldest_go),
		T(test_too_old),
		T(test_abort),
		T(test_directory_removed),
		T(test_not_a_directory),
		T(test_killed_at_every_call),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

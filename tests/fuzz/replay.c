/*
 * All harnesses without libFuzzer, for the suite:
 *
 *	fuzz_replay HARNESS DIRECTORY RUNS [FILE]
 *
 * feeds each file of the directory (or that one) to the harness, as it is and
 * RUNS times changed. The changes follow from the file's name and the number
 * of the run alone, so a failure comes back with the same command. What was
 * fed when the process died is left as crash-HARNESS, to be added to the
 * directory. The build makes harnesses.def.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>

#define HARNESS(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "harnesses.def"
#undef HARNESS

static const struct harness {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} harnesses[] = {
#define HARNESS(name) { #name, fuzz_##name },
#include "harnesses.def"
#undef HARNESS
};

#define CHANGES_MAX 4 /* in one run */
#define GROWTH_MAX  64

struct input {
	uint8_t *data;
	size_t size;
};

/* ---- what was fed last ---- */

static struct {
	struct input input;
	const char *harness, *file;
	unsigned long run;
} now;

static void leave_crash(void)
{
	char path[64], text[256];
	int fd, n;

	if (!now.input.data)
		return;
	snprintf(path, sizeof(path), "crash-%s", now.harness);
	n = snprintf(text, sizeof(text), "FAIL %s/%s (run %lu: see %s)\n",
		     now.harness, now.file, now.run, path);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, now.input.data, now.input.size) < 0 ||
	    write(STDOUT_FILENO, text, (size_t)n) < 0)
		_exit(2);
	now.input.data = NULL;
}

static void on_signal(int sig)
{
	leave_crash();
	signal(sig, SIG_DFL);
	raise(sig);
}

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

static void watch_for_crashes(void)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_set_death_callback(leave_crash);
#endif
	/* ctest ends what takes too long with SIGTERM first, if it can. */
	signal(SIGABRT, on_signal);
	signal(SIGTERM, on_signal);
}

/* ---- changing an input ---- */

static uint64_t state;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t below(size_t n)
{
	return n ? (size_t)(draw() % n) : 0;
}

static void seed(const char *file, unsigned long run)
{
	state = run;
	for (; *file; file++)
		state = (state ^ (uint8_t)*file) * 0x100000001b3u;
}

/* Bytes that mean something to one parser or another. */
static const uint8_t telling[] = {
	0,    1,    '\t', '\n', '\r', ' ',  '"',  '#',	'%',  '*',  ',',
	'-',  '.',  '/',  '0',	'9',  ':',  '=',  '?',	'[',  '\\', ']',
	'{',  '}',  'u',  'e',	0x7f, 0x80, 0xa0, 0xbf, 0xc0, 0xc1, 0xc4,
	0xc6, 0xc7, 0xc9, 0xcb, 0xcf, 0xd3, 0xd8, 0xd9, 0xda, 0xdb, 0xdc,
	0xdd, 0xde, 0xdf, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xfe, 0xff,
};

/* `n` bytes of `from` (which may lie in `in`) put in at `at`. */
static void put_in(struct input *in, size_t at, const uint8_t *from, size_t n)
{
	uint8_t copy[GROWTH_MAX];

	memcpy(copy, from, n);
	memmove(in->data + at + n, in->data + at, in->size - at);
	memcpy(in->data + at, copy, n);
	in->size += n;
}

static void cut_out(struct input *in, size_t at, size_t n)
{
	memmove(in->data + at, in->data + at + n, in->size - at - n);
	in->size -= n;
}

/* A number that is at the edge of something, over bytes of the input. */
static void put_number(struct input *in, size_t at)
{
	static const uint64_t edges[] = {
		0,	    1,		0x7f,	    0x80,      0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX,
	};
	uint64_t v = edges[below(sizeof(edges) / sizeof(*edges))];
	size_t width = (size_t)1 << below(4);

	if (draw() & 1)
		v = __builtin_bswap64(v) >> (64 - 8 * width);
	if (width <= in->size - at)
		memcpy(in->data + at, &v, width);
}

static void change(struct input *in, const struct input *other)
{
	size_t at = below(in->size), n = 1 + below(GROWTH_MAX), from;
	const struct input *source = draw() & 1 ? in : other;

	switch (in->size ? below(7) : 6) {
	case 0:
		in->data[at] ^= (uint8_t)(1u << below(8));
		return;
	case 1:
		in->data[at] = telling[below(sizeof(telling))];
		return;
	case 2:
		put_in(in, at, &telling[below(sizeof(telling))], 1);
		return;
	case 3:
		put_number(in, at);
		return;
	case 4:
		cut_out(in, at, n < in->size - at ? n : in->size - at);
		return;
	case 5: /* torn */
		if (!below(4))
			in->size = at;
		return;
	default: /* a piece twice, or one of another file */
		from = below(source->size);
		if (n > source->size - from)
			n = source->size - from;
		put_in(in, at, source->data + from, n);
	}
}

/* ---- replaying ---- */

static void feed(const struct harness *h, const struct input *in)
{
	now.input = *in;
	h->run(in->data, in->size);
	now.input.data = NULL;
}

static void feed_changed(const struct harness *h, const struct input *in,
			 const struct input *other)
{
	struct input copy = {
		(uint8_t *)fuzz_copy(in->data, in->size,
				     CHANGES_MAX * GROWTH_MAX, 0),
		in->size,
	};

	seed(now.file, now.run);
	for (size_t i = 1 + below(CHANGES_MAX); i; i--)
		change(&copy, other);
	feed(h, &copy);
	free(copy.data);
}

static struct input read_input(const char *dir, const char *name)
{
	struct input in = { ccfc_malloc(FUZZ_MAX), 0 };
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "rbe");
	if (!file) {
		perror(path);
		exit(2);
	}
	in.size = fread(in.data, 1, FUZZ_MAX, file);
	fclose(file);
	return in;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* In the order of their names, so that runs are alike. */
static int replay(const struct harness *h, const char *dir, unsigned long runs,
		  const char *only)
{
	struct input other = { ccfc_malloc(1), 0 };
	struct dirent **names;
	int n = scandir(dir, &names, not_hidden, alphasort);

	if (n <= 0) {
		fprintf(stderr, "%s: no inputs\n", dir);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		struct input in = read_input(dir, names[i]->d_name);

		now.harness = h->name;
		now.file = names[i]->d_name;
		now.run = 0;
		if (!only || !strcmp(only, now.file)) {
			feed(h, &in);
			while (now.run++ < runs)
				feed_changed(h, &in, &other);
			printf("ok   %s/%s\n", h->name, now.file);
			fflush(stdout);
		}
		free(other.data);
		other = in;
		free(names[i]);
	}
	free(other.data);
	free(names);
	return 0;
}

int main(int argc, char **argv)
{
	watch_for_crashes();
	for (size_t i = 0; i < sizeof(harnesses) / sizeof(*harnesses); i++)
		if (argc >= 4 && !strcmp(argv[1], harnesses[i].name))
			return replay(&harnesses[i], argv[2],
				      strtoul(argv[3], NULL, 10) *
					      (getenv("CCFC_SOAK") ? 10 : 1),
				      argv[4]);
	fprintf(stderr, "usage: fuzz_replay HARNESS DIRECTORY RUNS [FILE]\n");
	return 2;
}

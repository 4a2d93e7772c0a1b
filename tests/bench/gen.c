/*
 * Generates a history of made-up transcripts, for benchmarks: sizes of files
 * and lines, tools, errors, agents and copies are drawn from the
 * distributions measured on some thousand published transcripts. The same
 * seed and size always give the same bytes.
 *
 *   gen DIR BYTES [SEED]     writes DIR/projects/…
 *
 * A distribution is kept as five quantiles (p10, p50, p90, p99, max) and
 * sampled by interpolating their logarithms.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POOL_LINES 4096
#define PROJECTS   29
#define FORK_BYTES (64u << 10)

struct quantiles {
	double p10, p50, p90, p99, max;
};

static const struct quantiles main_bytes = { 2.6e3, 241e3, 1.78e6, 4e6, 50e6 };
static const struct quantiles agent_bytes = { 1.7e3, 106e3, 441e3, 1.4e6,
					      3.2e6 };
static const struct quantiles assistant_line = { 840, 1060, 2400, 12e3, 2e5 };
static const struct quantiles user_line = { 573, 2000, 21e3, 90e3, 2.8e6 };
static const struct quantiles write_call = { 1100, 1900, 7800, 23e3, 95e3 };
static const struct quantiles write_result = { 700, 10.8e3, 39.8e3, 102e3,
					       509e3 };

enum tool_kind { TOOL_OTHER, TOOL_SHELL, TOOL_EDIT, TOOL_WRITE, TOOL_MULTI };

/* Shares of all tool calls, in tenths of a percent. */
static const struct tool {
	const char *name;
	unsigned share;
	enum tool_kind kind;
} tools[] = {
	{ "Bash", 290, TOOL_SHELL },	{ "Read", 240, TOOL_OTHER },
	{ "Edit", 140, TOOL_EDIT },	{ "TodoWrite", 65, TOOL_OTHER },
	{ "Grep", 64, TOOL_OTHER },	{ "Write", 43, TOOL_WRITE },
	{ "Glob", 29, TOOL_OTHER },	{ "Task", 23, TOOL_OTHER },
	{ "MultiEdit", 4, TOOL_MULTI }, { "WebFetch", 102, TOOL_OTHER },
};

/*
 * What Bash is asked to run, in about the shares of published transcripts: half
 * only looks, six in a hundred plainly change files. %s is a file.
 */
static const struct {
	const char *text;
	unsigned share; /* in a thousand */
} commands[] = {
	{ "ls -la src && git status --short", 130 },
	{ "grep -rn \\\"TODO\\\" %s | head -20", 150 },
	{ "cd /home/dev/src && cat %s | sed -n '1,80p'", 120 },
	{ "git diff --stat HEAD~1 && git log --oneline -5", 100 },
	{ "npm test -- --runInBand 2>&1 | tail -40", 140 },
	{ "python3 -m pytest tests -q -k 'not slow' 2>&1 | tail -20", 100 },
	{ "cargo build --release && ./target/release/app --check %s", 60 },
	{ "for f in src/*.ts; do npx tsc --noEmit \\\"$f\\\"; done", 30 },
	{ "git add -A && git commit -m \\\"Fix the parser\\\" && git push",
	  70 },
	{ "cat > %s <<'EOF'\\nconst a = 1;\\nexport default a;\\nEOF", 25 },
	{ "sed -i 's/foo/bar/g' %s && git diff %s", 10 },
	{ "rm -f %s; mkdir -p build && make -j4", 20 },
	{ "mv %s /tmp/old.ts && echo done >> notes.md", 10 },
	{ "if [ -f %s ]; then cp %s backup.ts; fi", 10 },
	{ "curl -s localhost:3000/health | jq .status", 25 },
};

static uint64_t state;
static char *pool[POOL_LINES];
static size_t pool_len[POOL_LINES];
static uint64_t total, limit;
static int64_t now_ms = 1735689600000; /* 2025-01-01 */

struct file {
	FILE *out;
	uint64_t size;
	char session[40];
	char agent[24]; /* empty: a session's own file */
	char uuid[40];	/* of the last record */
	unsigned project;
	bool late_keys; /* the newer order of keys */
};

static char fork_lines[FORK_BYTES];
static size_t fork_len;
static char fork_session[40];

static uint64_t rnd(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned below(unsigned n)
{
	return (unsigned)(rnd() % n);
}

static bool chance(unsigned permille)
{
	return below(1000) < permille;
}

static double between(double lo, double hi, double part)
{
	return exp(log(lo) + (log(hi) - log(lo)) * part);
}

static size_t draw(const struct quantiles *q)
{
	double u = (double)(rnd() >> 11) / 9007199254740992.0;

	if (u < 0.1)
		return (size_t)between(q->p10 / 2, q->p10, u / 0.1);
	if (u < 0.5)
		return (size_t)between(q->p10, q->p50, (u - 0.1) / 0.4);
	if (u < 0.9)
		return (size_t)between(q->p50, q->p90, (u - 0.5) / 0.4);
	if (u < 0.99)
		return (size_t)between(q->p90, q->p99, (u - 0.9) / 0.09);
	return (size_t)between(q->p99, q->max, (u - 0.99) / 0.01);
}

static void make_uuid(char out[40])
{
	uint64_t a = rnd(), b = rnd();

	snprintf(out, 40, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(a >> 32),
		 (unsigned)(a >> 16) & 0xffff, (unsigned)a & 0xfff,
		 (unsigned)(b >> 52), (unsigned long long)b & 0xffffffffffffu);
}

/* Source-like lines, already escaped for JSON, cut at their ends only. */
static void make_pool(void)
{
	static const char *const words[] = {
		"return",
		"if (error)",
		"const",
		"value",
		"index",
		"\\\"key\\\"",
		"await",
		"function",
		"import",
		"// see above",
		"0x1f",
		"buffer",
		"=>",
		"\\u00e9t\\u00e9",
		"\xe2\x98\x83",
		"path.join",
		"for (;;)",
		"{",
		"}",
		"size_t n",
	};
	char text[400];

	for (size_t i = 0; i < POOL_LINES; i++) {
		size_t n = 0, want = 4 + below(90);

		for (unsigned k = below(4); k; k--)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "\\t");
		while (n < want)
			n += (size_t)snprintf(
				text + n, sizeof(text) - n, "%s ",
				words[below(sizeof(words) / sizeof(*words))]);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\\n");
		pool[i] = strdup(text);
		pool_len[i] = n;
	}
}

__attribute__((format(printf, 2, 3))) static void put(struct file *f,
						      const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vfprintf(f->out, fmt, args);
	va_end(args);
	if (n > 0)
		f->size += (size_t)n;
}

/* About `want` bytes of text. */
static void filler(struct file *f, size_t want)
{
	size_t at = below(POOL_LINES), n = 0;

	while (n < want) {
		fwrite(pool[at], 1, pool_len[at], f->out);
		n += pool_len[at];
		at = (at + 1) % POOL_LINES;
	}
	f->size += n;
}

static void timestamp(char out[40])
{
	time_t s;
	struct tm tm;

	now_ms += chance(31) ? -(int)below(900) : (int)below(4000);
	s = (time_t)(now_ms / 1000);
	gmtime_r(&s, &tm);
	strftime(out, 24, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + 19, 8, ".%03dZ", (int)(now_ms % 1000));
}

static void common(struct file *f)
{
	put(f,
	    "\"userType\":\"external\",\"cwd\":\"/home/dev/src/p%u\","
	    "\"sessionId\":\"%s\",\"version\":\"2.1.%d\","
	    "\"gitBranch\":\"main\"",
	    f->project, f->session, f->late_keys ? 120 : 50);
}

/* The part of a record before its message. */
static void head(struct file *f, const char *type)
{
	put(f, "{\"parentUuid\":\"%s\",\"isSidechain\":%s,", f->uuid,
	    f->agent[0] ? "true" : "false");
	if (f->agent[0])
		put(f, "\"agentId\":\"%s\",", f->agent);
	if (!f->late_keys) {
		common(f);
		put(f, ",");
	}
	put(f, "\"type\":\"%s\",", type);
}

/* The part of a record after its message. */
static void tail(struct file *f)
{
	char when[40];

	timestamp(when);
	make_uuid(f->uuid);
	put(f, ",\"uuid\":\"%s\",\"timestamp\":\"%s\"", f->uuid, when);
	if (f->late_keys) {
		put(f, ",");
		common(f);
	}
	put(f, "}\n");
}

static void assistant_head(struct file *f)
{
	head(f, "assistant");
	put(f,
	    "\"message\":{\"id\":\"msg_01%016llx\",\"type\":\"message\","
	    "\"role\":\"assistant\",\"model\":\"%s\",\"content\":[",
	    (unsigned long long)rnd(),
	    chance(300) ? "claude-haiku-4-5-20251001"
			: "claude-opus-4-5-20251101");
}

static void assistant_tail(struct file *f)
{
	put(f,
	    "],\"stop_reason\":null,\"usage\":{\"input_tokens\":%u,"
	    "\"cache_read_input_tokens\":%u,\"output_tokens\":%u}},"
	    "\"requestId\":\"req_011%08x\"",
	    below(2000), below(90000), below(900), (unsigned)rnd());
	tail(f);
}

static void text_line(struct file *f)
{
	const char *kind;

	assistant_head(f);
	kind = chance(300) ? "thinking" : "text";
	put(f, "{\"type\":\"%s\",\"%s\":\"", kind, kind);
	filler(f, draw(&assistant_line) - 400);
	put(f, "\"}");
	assistant_tail(f);
}

static void prompt_line(struct file *f)
{
	head(f, "user");
	put(f, "\"message\":{\"role\":\"user\",\"content\":\"");
	filler(f, 40 + below(600));
	put(f, "\"}");
	tail(f);
}

static void progress_line(struct file *f)
{
	head(f, "progress");
	put(f, "\"data\":{\"type\":\"hook_progress\",\"hookName\":\"x\","
	       "\"output\":\"");
	filler(f, 100 + below(500));
	put(f, "\"},\"toolUseID\":\"toolu_01x\"");
	tail(f);
}

static void other_line(struct file *f)
{
	switch (below(3)) {
	case 0:
		put(f,
		    "{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
		    "\"sessionId\":\"%s\",\"content\":\"",
		    f->session);
		filler(f, 80);
		put(f, "\"}\n");
		break;
	case 1:
		put(f,
		    "{\"type\":\"file-history-snapshot\",\"messageId\":\"%s\","
		    "\"snapshot\":{\"messageId\":\"%s\","
		    "\"trackedFileBackups\":{\"src/f%u.c\":{"
		    "\"backupFileName\":\"%016llx@v2\",\"version\":2,"
		    "\"backupTime\":\"2025-06-01T00:00:00.000Z\"}},"
		    "\"timestamp\":\"2025-06-01T00:00:00.000Z\"},"
		    "\"isSnapshotUpdate\":false}\n",
		    f->uuid, f->uuid, below(400), (unsigned long long)rnd());
		break;
	default:
		head(f, "system");
		put(f, "\"subtype\":\"turn_duration\",\"durationMs\":%u",
		    below(90000));
		tail(f);
	}
}

/* Few files are changed often, most of them once. */
static void pick_path(struct file *f, char *out, size_t cap)
{
	unsigned n = below(1u << below(12));

	snprintf(out, cap, "/home/dev/src/p%u/src/dir%u/file%u.%s", f->project,
		 n % 17, n, n % 5 ? "ts" : "md");
}

static void command_text(struct file *f, const char *path)
{
	unsigned u = below(1000), i = 0;

	while (u >= commands[i].share &&
	       i + 1 < sizeof(commands) / sizeof(*commands))
		u -= commands[i++].share;
	for (const char *p = commands[i].text; *p; p++) {
		if (p[0] == '%' && p[1] == 's') {
			put(f, "%s", path);
			p++;
		} else {
			put(f, "%c", *p);
		}
	}
}

static void call_line(struct file *f, const struct tool *tool, const char *id,
		      const char *path, size_t want)
{
	assistant_head(f);
	put(f,
	    "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"%s\","
	    "\"input\":{",
	    id, tool->name);
	want = want > 900 ? want - 900 : 10;
	switch (tool->kind) {
	case TOOL_EDIT:
		put(f, "\"file_path\":\"%s\",\"old_string\":\"", path);
		filler(f, want / 2);
		put(f, "\",\"new_string\":\"");
		filler(f, want / 2);
		put(f, "\",\"replace_all\":false");
		break;
	case TOOL_WRITE:
		put(f, "\"file_path\":\"%s\",\"content\":\"", path);
		filler(f, want);
		put(f, "\"");
		break;
	case TOOL_MULTI:
		put(f, "\"file_path\":\"%s\",\"edits\":[{\"old_string\":\"",
		    path);
		filler(f, want / 2);
		put(f, "\",\"new_string\":\"");
		filler(f, want / 2);
		put(f, "\"}]");
		break;
	case TOOL_SHELL:
		put(f, "\"command\":\"");
		command_text(f, path);
		put(f, "\",\"description\":\"");
		filler(f, want / 4 + 20);
		put(f, "\"");
		break;
	case TOOL_OTHER:
		put(f, "\"command\":\"");
		filler(f, want / 4 + 20);
		put(f, "\"");
	}
	put(f, "}}");
	assistant_tail(f);
}

static void patch(struct file *f)
{
	unsigned lines = 1 + below(6);

	put(f,
	    "\"structuredPatch\":[{\"oldStart\":%u,\"oldLines\":%u,"
	    "\"newStart\":%u,\"newLines\":%u,\"lines\":[",
	    below(500), lines, below(500), lines);
	for (unsigned i = 0; i < lines; i++) {
		size_t at = below(POOL_LINES);

		put(f, "%s\"-%.*s\",\"+%.*s\"", i ? "," : "",
		    (int)pool_len[at] - 2, pool[at], (int)pool_len[at] - 2,
		    pool[at]);
	}
	put(f, "]}]");
}

static void detail(struct file *f, const struct tool *tool, const char *path,
		   size_t want)
{
	put(f, ",\"toolUseResult\":{");
	if (tool->kind == TOOL_WRITE) {
		put(f, "\"type\":\"%s\",\"filePath\":\"%s\",\"content\":\"",
		    chance(700) ? "create" : "update", path);
		filler(f, want);
		put(f, "\",\"structuredPatch\":[]");
	} else if (tool->kind < TOOL_EDIT) {
		put(f, "\"stdout\":\"");
		filler(f, want);
		put(f, "\",\"stderr\":\"\",\"interrupted\":false,"
		       "\"isImage\":false");
	} else {
		put(f, "\"filePath\":\"%s\",\"oldString\":\"", path);
		filler(f, want / 8);
		put(f, "\",\"newString\":\"");
		filler(f, want / 8);
		put(f, "\",\"originalFile\":\"");
		filler(f, want - want / 4);
		put(f, "\",");
		patch(f);
		put(f, ",\"userModified\":false,\"replaceAll\":false");
	}
	put(f, "}");
}

static void result_line(struct file *f, const struct tool *tool, const char *id,
			const char *path, size_t want)
{
	bool error = chance(61);

	want = want > 700 ? want - 700 : 10;
	head(f, "user");
	put(f,
	    "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":"
	    "\"%s\",\"type\":\"tool_result\",\"content\":\"",
	    id);
	filler(f, tool->kind < TOOL_EDIT ? want / 2 : 120);
	put(f, "\"%s}]}", error ? ",\"is_error\":true" : "");
	if (error)
		put(f, ",\"toolUseResult\":\"Error: String not found\"");
	else if (!f->agent[0])
		detail(f, tool, path, want / 2);
	tail(f);
}

static void tool_step(struct file *f)
{
	const struct tool *tool = tools;
	unsigned at = below(1000);
	bool writes;
	char id[40], path[128];

	while (at >= tool->share) {
		at -= tool->share;
		tool++;
	}
	writes = tool->kind >= TOOL_EDIT;
	snprintf(id, sizeof(id), "toolu_01%016llx%06x",
		 (unsigned long long)rnd(), below(1u << 24));
	pick_path(f, path, sizeof(path));
	call_line(f, tool, id, path,
		  draw(writes ? &write_call : &assistant_line));
	if (!chance(2))
		result_line(f, tool, id, path,
			    draw(writes ? &write_result : &user_line));
}

static void body(struct file *f, uint64_t want)
{
	prompt_line(f);
	while (f->size < want && total + f->size < limit) {
		unsigned at = below(755);

		/* Shares of lines, a call and its result being one step. */
		if (at < 245)
			tool_step(f);
		else if (at < 440)
			text_line(f);
		else if (at < 475)
			prompt_line(f);
		else if (at < 675)
			progress_line(f);
		else
			other_line(f);
	}
}

static void make_dirs(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST) {
			perror(path);
			exit(2);
		}
		*p = '/';
	}
}

static void open_file(struct file *f, char *path)
{
	make_dirs(path);
	f->out = fopen(path, "w+");
	if (!f->out) {
		perror(path);
		exit(2);
	}
	setvbuf(f->out, NULL, _IOFBF, 1 << 20);
	f->size = 0;
	make_uuid(f->uuid);
}

/* Keeps whole lines of this file for a later fork. */
static void keep_for_fork(struct file *f)
{
	char *end;

	fflush(f->out);
	rewind(f->out);
	fork_len = fread(fork_lines, 1, sizeof(fork_lines), f->out);
	end = memrchr(fork_lines, '\n', fork_len);
	fork_len = end ? (size_t)(end + 1 - fork_lines) : 0;
	memcpy(fork_session, f->session, sizeof(fork_session));
}

static void copy_fork(struct file *f)
{
	char *p = fork_lines, *end = fork_lines + fork_len;
	size_t n = strlen(f->session);

	while ((p = memmem(p, (size_t)(end - p), fork_session, n)))
		memcpy(p, f->session, n);
	fwrite(fork_lines, 1, fork_len, f->out);
	f->size += fork_len;
	fork_len = 0;
}

static void close_file(struct file *f)
{
	if (fclose(f->out)) {
		perror("gen");
		exit(2);
	}
	total += f->size;
}

static void one_agent(const struct file *session, const char *dir)
{
	struct file f = *session;
	char path[4096];

	snprintf(f.agent, sizeof(f.agent), "a%016llx",
		 (unsigned long long)rnd());
	snprintf(path, sizeof(path), "%s/%s/subagents/agent-%s.jsonl", dir,
		 f.session, f.agent);
	open_file(&f, path);
	body(&f, draw(&agent_bytes));
	close_file(&f);
}

static void one_session(const char *top)
{
	struct file f = { .project = below(1 + below(PROJECTS)) };
	char dir[2048], path[4096];
	unsigned agents = chance(300) ? below(22) : 0;

	make_uuid(f.session);
	f.late_keys = chance(400);
	snprintf(dir, sizeof(dir), "%s/projects/-home-dev-src-p%u", top,
		 f.project);
	snprintf(path, sizeof(path), "%s/%s.jsonl", dir, f.session);
	open_file(&f, path);
	if (fork_len && chance(40))
		copy_fork(&f);
	body(&f, chance(50) ? 4000000 + rnd() % 46000000 : draw(&main_bytes));
	keep_for_fork(&f);
	close_file(&f);
	while (agents-- && total < limit)
		one_agent(&f, dir);
}

int main(int argc, char **argv)
{
	unsigned sessions = 0;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: gen DIR BYTES [SEED]\n");
		return 2;
	}
	limit = strtoull(argv[2], NULL, 10);
	state = argc == 4 ? strtoull(argv[3], NULL, 10) : 1;
	make_pool();
	for (; total < limit; sessions++)
		one_session(argv[1]);
	printf("%llu bytes, %u sessions\n", (unsigned long long)total,
	       sessions);
	for (size_t i = 0; i < POOL_LINES; i++)
		free(pool[i]);
	return 0;
}

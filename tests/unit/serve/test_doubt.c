/*
 * What history must not be sure of, and what it must not miss: backups of
 * another moment, files that change while they are asked about, steps that
 * several texts lead through.
 */
#include "told.h"

#include "base/sha256.h"

#define F1    "ctx\nold\nend\n"
#define F2    "ctx\nnew\nend\n"
#define F1END "ctx\nold\nEND\n"
#define F2END "ctx\nnew\nEND\n"
#define LEAN                                                                   \
	"{\"oldStart\":1,\"oldLines\":2,\"newStart\":1,\"newLines\":2,"        \
	"\"lines\":[\" ctx\",\"-old\",\"+new\"]}"

/* The name of version N of a file's backups. */
static const char *backup_name(struct told *t, const char *file, int version)
{
	char hex[CCFC_SHA256_HEX + 1];
	static char name[40];

	ccfc_sha256_hex(hex, ccfc_slice_str(told_path(t, file)));
	snprintf(name, sizeof(name), "%.16s@v%d", hex, version);
	return name;
}

/* The copy itself. */
static void put_backup(struct told *t, const char *session, const char *file,
		       int version, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/file-history", t->w->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/file-history/%s", t->w->dir, session);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/file-history/%s/%s", t->w->dir,
		 session, backup_name(t, file, version));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/*
 * A snapshot at 10:MM:SS that names it, made then or at an earlier minute.
 */
static void tell_backup(struct told *t, const char *session, const char *file,
			int version, int made, int minute, int second)
{
	ccfc_buf_printf(
		&t->lines,
		"{\"type\":\"file-history-snapshot\",\"messageId\":\"p\","
		"\"snapshot\":{\"messageId\":\"p\",\"trackedFileBackups\":{"
		"\"%s\":{\"backupFileName\":\"%s\",\"version\":%d,"
		"\"backupTime\":\"2025-12-10T10:%02d:%02d.000Z\"}},"
		"\"timestamp\":\"2025-12-10T10:%02d:%02d.000Z\"},"
		"\"isSnapshotUpdate\":false",
		told_path(t, file), backup_name(t, file, version), version,
		made, second, minute, second);
	told_end(t, session);
}

/* An Edit of an agent: only what was asked for is known. */
static void tell_call_only(struct told *t, const char *session, const char *id,
			   const char *file, const char *old, const char *new)
{
	told_call(t, session, id, "Edit", file);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "old_string", old);
	ccfc_buf_putc(&t->lines, ',');
	told_key(t, "new_string", new);
	told_result(t, session, id, false);
	told_end(t, session);
}

static struct ccfc_obj get(struct told *t, const char *change)
{
	char options[80];

	snprintf(options, sizeof(options), "change=%s;includeContent:true",
		 change);
	return world_get(t->w, "change.get", options);
}

/*
 * The user's prompt makes a backup; a command of the same turn changes the
 * file where the edit's patch does not look.
 */
static void test_backup_of_the_turn(void **state)
{
	struct told *t = *state;
	int minute = t->minute + 1;

	put_backup(t, SESSION_B, "g", 2, F1);
	tell_backup(t, SESSION_B, "g", 2, minute, minute, 0);
	t->minute++;
	told_lean(t, SESSION_B, "toolu_31", "g", LEAN);
	told_disk(t, "g", F2END);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "reconstructed" },
	      { "before/source", "backup" },
	      { "after/fidelity", "reconstructed" });
	/* What comes after may say that it was right. */
	told_disk(t, "g", F2);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "exact" },
	      { "before/content", F1 }, { "after/fidelity", "exact" },
	      { "after/content", F2 });
}

/* The first one is made by the edit itself. */
static void test_backup_of_the_edit(void **state)
{
	struct told *t = *state;
	int minute = t->minute + 1;

	put_backup(t, SESSION_B, "g", 1, F1);
	tell_backup(t, SESSION_B, "g", 1, minute, minute, 1);
	told_lean(t, SESSION_B, "toolu_31", "g", LEAN);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "exact" },
	      { "before/content", F1 }, { "after/fidelity", "exact" },
	      { "after/content", F2 });
}

/* Taken back by the client: a snapshot names the old version again. */
static void test_rewind(void **state)
{
	struct told *t = *state;
	int made = t->minute + 1;

	put_backup(t, SESSION_B, "g", 1, F1);
	tell_backup(t, SESSION_B, "g", 1, made, made, 1);
	told_edit(t, SESSION_B, "toolu_31", "g", F1, F1END);
	t->minute++;
	tell_backup(t, SESSION_B, "g", 1, made, t->minute, 1);
	told_lean(t, SESSION_B, "toolu_32", "g", LEAN);
	told_disk(t, "g", F2);
	CHECK(get(t, "toolu_32"), { "before/content", F1 },
	      { "after/content", F2 }, { "after/fidelity", "exact" });
	CHECK(world_get(t->w, "file.log", on(t, "g", "")), { "steps", "[3]" },
	      { "steps/1/kind", "returned" },
	      { "steps/1/returnedTo", "toolu_31" },
	      { "steps/1/returnedSide", "before" },
	      { "steps/1/overwrittenBy", "(none)" });
}

/* The backup is found, or is written anew, after the first question. */
static void test_backups_that_come_later(void **state)
{
	struct told *t = *state;
	int minute = t->minute + 1;

	told_lean(t, SESSION_B, "toolu_31", "g", LEAN);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "partial" });
	put_backup(t, SESSION_B, "g", 1, F1);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "reconstructed" },
	      { "before/content", F1 });
	tell_backup(t, SESSION_B, "g", 1, minute, minute, 1);
	CHECK(get(t, "toolu_31"), { "before/fidelity", "exact" });
	put_backup(t, SESSION_B, "g", 1, F1END);
	CHECK(get(t, "toolu_31"), { "before/content", F1END },
	      { "after/content", F2END });
}

/* A person may write as often as they like, and as much as before. */
static void test_a_disk_that_changes(void **state)
{
	const struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };
	struct told *t = *state;

	for (int i = 0; i < 20; i++) {
		told_disk(t, "f.txt", i % 2 ? T4 : T3);
		assert_int_equal(
			utimensat(AT_FDCWD, told_path(t, "f.txt"), times, 0),
			0);
		CHECK(world_get(t->w, "file.log", on(t, "f.txt", "limit:1")),
		      { "steps/0/kind", i % 2 ? "change" : "returned" });
	}
}

/* What cannot be looked at was not deleted. */
static void test_files_out_of_sight(void **state)
{
	struct told *t = *state;

	told_call(t, SESSION_B, "toolu_41", "Write", NULL);
	ccfc_buf_puts(&t->lines,
		      "\"file_path\":\"C:\\\\x\\\\y.txt\",\"content\":\"a\"");
	told_result(t, SESSION_B, "toolu_41", false);
	ccfc_buf_puts(&t->lines,
		      ",\"toolUseResult\":{\"type\":\"create\",\"filePath\":"
		      "\"C:\\\\x\\\\y.txt\",\"content\":\"a\","
		      "\"structuredPatch\":[]}");
	told_end(t, SESSION_B);
	CHECK(world_get(t->w, "file.log", "path=C:\\x\\y.txt"),
	      { "steps", "[2]" }, { "steps/0/kind", "unknown" },
	      { "steps/1/after/content", "(none)" });
}

/* An edit that is as asked for leaves nothing to guess: that was no other. */
static void test_outside_after_a_call(void **state)
{
	struct told *t = *state;

	told_create(t, SESSION_B, "toolu_51", "h", F1);
	tell_call_only(t, SESSION_B, "toolu_52", "h", "old", "new");
	told_edit(t, SESSION_B, "toolu_53", "h", F2END, "ctx\nnew\nEnd\n");
	CHECK(world_get(t->w, "file.log", on(t, "h", "limit:9;offset:2")),
	      { "steps/0/kind", "outside" },
	      { "steps/1/changeId", "toolu_52" });
}

/* A line was moved, then removed: where it had been nobody knows. */
static void test_steps_that_lose(void **state)
{
	struct told *t = *state;

	told_create(t, SESSION_B, "toolu_61", "h", "gone\na\nb\n");
	/* Somebody makes it "a\ngone\nb\n". */
	tell_call_only(t, SESSION_B, "toolu_62", "h", "gone", "");
	told_edit(t, SESSION_B, "toolu_63", "h", "a\nb\n", "a\nc\n");
	CHECK(get(t, "toolu_62"), { "before/fidelity", "reconstructed" },
	      { "after/fidelity", "exact" }, { "after/content", "a\nb\n" });
}

/* A formatter may have run before the result was noted. */
static void test_disk_is_no_proof(void **state)
{
	struct told *t = *state;
	struct timespec times[2] = { { 1765360800 + 60, 500000000 },
				     { 1765360800 + 60, 500000000 } };

	times[0].tv_sec += 60L * t->minute;
	times[1] = times[0];
	told_lean(t, SESSION_B, "toolu_71", "g", LEAN);
	told_disk(t, "g", F2);
	assert_int_equal(utimensat(AT_FDCWD, told_path(t, "g"), times, 0), 0);
	CHECK(get(t, "toolu_71"), { "after/content", F2 },
	      { "after/fidelity", "reconstructed" },
	      { "after/source", "disk" });
}

/* A hook kept A's result back; B worked on what A had left. */
static void test_results_out_of_order(void **state)
{
	struct told *t = *state;

	told_call(t, SESSION_A, "toolu_81", "Edit", "g");
	ccfc_buf_puts(&t->lines, ",\"old_string\":\"old\",\"new_string\":"
				 "\"new\"");
	t->minute += 2;
	told_result(t, SESSION_A, "toolu_81", false);
	t->minute -= 2;
	ccfc_buf_puts(&t->lines, ",\"toolUseResult\":{");
	told_key(t, "filePath", told_path(t, "g"));
	ccfc_buf_puts(&t->lines, ",\"oldString\":\"old\",\"newString\":"
				 "\"new\",");
	told_key(t, "originalFile", F1);
	told_patch(t, F1, F2);
	ccfc_buf_putc(&t->lines, '}');
	told_end(t, SESSION_A);
	told_edit(t, SESSION_B, "toolu_82", "g", F2, F2END);
	told_disk(t, "g", F2END);
	CHECK(world_get(t->w, "file.log", on(t, "g", "")), { "steps", "[2]" },
	      { "steps/0/changeId", "toolu_82" },
	      { "steps/1/changeId", "toolu_81" });
	CHECK(world_get(t->w, "file.at", on(t, "g", "")),
	      { "state/content", F2END }, { "changeId", "toolu_82" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_backup_of_the_turn),
		TEST(test_backup_of_the_edit),
		TEST(test_rewind),
		TEST(test_backups_that_come_later),
		TEST(test_a_disk_that_changes),
		TEST(test_files_out_of_sight),
		TEST(test_outside_after_a_call),
		TEST(test_steps_that_lose),
		TEST(test_disk_is_no_proof),
		TEST(test_results_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

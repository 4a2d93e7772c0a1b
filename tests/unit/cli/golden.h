/* The replies behind the example outputs of the specification. */
#ifndef CCFC_TESTS_GOLDEN_H
#define CCFC_TESTS_GOLDEN_H

#include "cli_test.h"

struct golden_file {
	const char *path, *first;
	int changes;
	const char *tools[3];
};

static const struct golden_file golden_files[] = {
	{ "/home/user/my-project/src/auth/login.ts",
	  "2025-12-10T10:05:23.000Z",
	  4,
	  { "Edit" } },
	{ "/home/user/my-project/src/auth/logout.ts",
	  "2025-12-10T10:15:42.000Z",
	  2,
	  { "Edit", "Write" } },
	{ "/home/user/my-project/src/models/user.ts",
	  "2025-12-10T10:22:11.000Z",
	  3,
	  { "Edit" } },
	{ "/home/user/my-project/tests/auth.test.ts",
	  "2025-12-10T11:45:33.000Z",
	  2,
	  { "Write" } },
	{ "/home/user/my-project/README.md",
	  "2025-12-10T12:28:01.000Z",
	  1,
	  { "Edit" } },
};

static inline void golden_pack_file(struct ccfc_pack *p,
				    const struct golden_file *file)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", file->path);
	ccfc_pack_kv_int(p, "changeCount", file->changes);
	ccfc_pack_kv_cstr(p, "firstModified", file->first);
	pack_strings(p, "toolsUsed", file->tools);
	ccfc_pack_end(p);
}

static inline void golden_pack_tallies(struct ccfc_pack *p)
{
	ccfc_pack_cstr(p, "byExtension");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, ".md", 1);
	ccfc_pack_kv_int(p, ".ts", 4);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "byDirectory");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "./", 1);
	ccfc_pack_kv_int(p, "src/auth/", 2);
	ccfc_pack_kv_int(p, "src/models/", 1);
	ccfc_pack_kv_int(p, "tests/", 1);
	ccfc_pack_end(p);
}

/* The summary up to `files`; the caller packs those and ends the map. */
static inline void golden_pack_head(struct ccfc_pack *p, int files, int changes)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "abc123-def456");
	ccfc_pack_kv_cstr(p, "projectPath", "/home/user/my-project");
	ccfc_pack_kv_cstr(p, "gitBranch", "feature/auth");
	ccfc_pack_kv_cstr(p, "sessionStart", "2025-12-10T10:00:00.000Z");
	ccfc_pack_kv_cstr(p, "sessionEnd", "2025-12-10T12:30:00.000Z");
	ccfc_pack_kv_int(p, "totalFilesChanged", files);
	ccfc_pack_kv_int(p, "totalChanges", changes);
}

static inline void golden_pack_summary(struct ccfc_pack *p)
{
	golden_pack_head(p, 5, 12);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (size_t i = 0; i < sizeof(golden_files) / sizeof(*golden_files);
	     i++)
		golden_pack_file(p, &golden_files[i]);
	ccfc_pack_end(p);
	golden_pack_tallies(p);
	ccfc_pack_end(p);
}

static inline void golden_pack_match(struct ccfc_pack *p, const char *id,
				     const char *branch, int changes,
				     const char *last)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", id);
	ccfc_pack_kv_cstr(p, "projectPath", "/home/user/my-project");
	ccfc_pack_cstr(p, "gitBranch");
	if (branch)
		ccfc_pack_cstr(p, branch);
	else
		ccfc_pack_nil(p);
	ccfc_pack_kv_int(p, "changeCount", changes);
	ccfc_pack_kv_cstr(p, "lastChange", last);
	ccfc_pack_end(p);
}

static inline void golden_pack_history(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/home/user/my-project/src/auth/login.ts");
	ccfc_pack_kv_int(p, "totalSessions", 3);
	ccfc_pack_kv_int(p, "totalChanges", 7);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	golden_pack_match(p, "abc123-def456", "feature/auth", 4,
			  "2025-12-10T12:30:00.000Z");
	golden_pack_match(p, "xyz789-uvw012", "main", 2,
			  "2025-12-08T15:22:59.999Z");
	golden_pack_match(p, "mno345-pqr678", "fix/login-bug", 1,
			  "2025-12-05T09:15:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

#endif

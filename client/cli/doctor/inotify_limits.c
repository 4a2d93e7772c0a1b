/*
 * Reading inotify's limits and use; see inotify_limits.h. A container can have
 * its own limits below those of the system: the smaller limit applies.
 */
#include "cli/doctor/inotify_limits.h"

#include "base/buf.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTANCE "anon_inode:inotify"

static int64_t read_number(const char *proc, const char *name)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	char text[32];
	int64_t number = -1;
	FILE *f;

	ccfc_buf_printf(&path, "%s/sys/%s", proc, name);
	f = fopen(path.ptr, "re");
	ccfc_buf_release(&path);
	if (!f)
		return -1;
	if (fgets(text, sizeof(text), f))
		number = strtoll(text, NULL, 10);
	fclose(f);
	return number;
}

/* The smaller of two limits, from files `names`, and its sysctl name. */
static void read_limit(struct ccfc_inotify_limit *out, const char *proc,
		       const char *const names[2],
		       const char *const settings[2])
{
	for (int i = 0; i < 2; i++) {
		int64_t max = read_number(proc, names[i]);

		if (max < 0 || (out->max >= 0 && max >= out->max))
			continue;
		out->max = max;
		out->setting = settings[i];
	}
}

/* A line of fdinfo for each watch: "inotify wd:1 …". */
static int64_t count_watches(const char *fdinfo)
{
	FILE *f = fopen(fdinfo, "re");
	char line[512];
	int64_t n = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "inotify ", 8);
	fclose(f);
	return n;
}

static void count_process(struct ccfc_inotify_limits *out, const char *process)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct dirent *e;
	DIR *fds;

	ccfc_buf_printf(&path, "%s/fd", process);
	fds = opendir(path.ptr);
	while (fds && (e = readdir(fds))) {
		char target[64];
		ssize_t n;

		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/fd/%s", process, e->d_name);
		n = readlink(path.ptr, target, sizeof(target));
		if (n < 0 ||
		    !ccfc_slice_is(ccfc_slice(target, (size_t)n), INSTANCE))
			continue;
		out->instances.used++;
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/fdinfo/%s", process, e->d_name);
		out->watches.used += count_watches(path.ptr);
	}
	if (fds)
		closedir(fds);
	ccfc_buf_release(&path);
}

static void count_use(struct ccfc_inotify_limits *out, const char *proc)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	DIR *dir = opendir(proc);
	struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", proc, e->d_name);
		if (!stat(path.ptr, &st) && st.st_uid == geteuid())
			count_process(out, path.ptr);
	}
	if (dir)
		closedir(dir);
	ccfc_buf_release(&path);
}

bool ccfc_inotify_limits_read(struct ccfc_inotify_limits *out, const char *proc)
{
	static const char *const watches[] = { "fs/inotify/max_user_watches",
					       "user/max_inotify_watches" };
	static const char *const instances[] = {
		"fs/inotify/max_user_instances", "user/max_inotify_instances"
	};
	static const char *const set_watches[] = {
		"fs.inotify.max_user_watches", "user.max_inotify_watches"
	};
	static const char *const set_instances[] = {
		"fs.inotify.max_user_instances", "user.max_inotify_instances"
	};

	*out = (struct ccfc_inotify_limits){ .watches.max = -1,
					     .instances.max = -1 };
	read_limit(&out->watches, proc, watches, set_watches);
	read_limit(&out->instances, proc, instances, set_instances);
	if (out->watches.max < 0 || out->instances.max < 0)
		return false;
	count_use(out, proc);
	return true;
}

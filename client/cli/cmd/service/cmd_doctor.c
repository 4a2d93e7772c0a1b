/* ccfc doctor: what is wrong, and how to fix it; see doctor.h. */
#include "cli/doctor/doctor.h"

enum { OPT_DEEP, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_DEEP] = { "deep", 0, CCFC_OPT_FLAG,
		       .help = "also check every row, the archive and "
			       "contents" },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default) or json",
			 .choices = "text|json" },
	{ 0 },
};

static int run_doctor(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_doctor d;
	int status;

	ccfc_doctor_init(&d, cli);
	ccfc_doctor_daemon(&d);
	ccfc_doctor_service(&d);
	ccfc_doctor_files(&d);
	ccfc_doctor_watch(&d);
	ccfc_doctor_sources(&d);
	ccfc_doctor_store(&d, ccfc_opts_own(opts, OPT_DEEP)->set);
	ccfc_doctor_retention(&d);
	if (ccfc_opts_own(opts, OPT_FORMAT)->num)
		ccfc_doctor_print_json(&d);
	else
		ccfc_doctor_print(&d);
	status = ccfc_doctor_worst(&d) >= CCFC_LEVEL_WARN ? CCFC_EXIT_NOTHING
							  : CCFC_EXIT_FOUND;
	ccfc_doctor_release(&d);
	return status;
}

const struct ccfc_command ccfc_cmd_doctor = {
	.name = "doctor",
	.usage = "doctor [options]",
	.summary = "find problems, and how to fix them",
	.about = "Checks the daemon, its version, its service, permissions, "
		 "watch limits, the\n"
		 "transcripts, the store, and what Claude Code will delete "
		 "next. Each finding is a\n"
		 "line: ok, note (good to know), warn (works, but could be "
		 "better) or fail; the\n"
		 "command that fixes the problem is below the finding. "
		 "Nothing is changed, and no\n"
		 "daemon is started.\n"
		 "\n"
		 "Exits with 0 if all is fine, with 1 if there is a warn or a "
		 "fail.",
	.examples = "  ccfc doctor\n"
		    "  ccfc doctor --format=json | jq -r '.findings[].fix'\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_doctor,
};

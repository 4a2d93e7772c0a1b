/* IndexStats as text; see totals_print.h. */
#include "cli/report/totals_print.h"

#include "cli/out/render.h"

void ccfc_stats_line(struct ccfc_out *out, const char *label, const char *fmt,
		     ...)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	ccfc_render_line(out, label, CCFC_STATS_COLUMN, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void line_count(struct ccfc_out *out, const char *label,
		       struct ccfc_obj stats, const char *key)
{
	ccfc_stats_line(out, label, "%lld",
			(long long)ccfc_obj_get_int(stats, key, 0));
}

/* "12 applied, 3 failed": the total, then every other state that occurs. */
static void line_changes(struct ccfc_out *out, struct ccfc_obj stats)
{
	struct ccfc_obj states = ccfc_obj_get(stats, "changesByState");
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%lld applied",
			(long long)ccfc_obj_get_int(stats, "totalChanges", 0));
	for (uint32_t i = 0; i < ccfc_obj_len(states); i++) {
		struct ccfc_slice state =
			ccfc_obj_str(ccfc_obj_key_at(states, i));
		int64_t n = ccfc_obj_int(ccfc_obj_value_at(states, i), 0);

		if (!n || ccfc_slice_is(state, "applied"))
			continue;
		ccfc_buf_printf(&text, ", %lld ", (long long)n);
		ccfc_buf_slice(&text, state);
	}
	ccfc_render_line(out, "Changes", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/*
 * "3 of the changes while commands ran; 12 commands that may change files, the
 * effects of 4 are not known"; nothing where there are no commands.
 */
static void line_shell(struct ccfc_out *out, struct ccfc_obj stats)
{
	int64_t changes = ccfc_obj_get_int(stats, "shellChanges", 0);
	int64_t commands = ccfc_obj_get_int(stats, "commands", 0);
	int64_t unknown = ccfc_obj_get_int(stats, "unknownCommands", 0);
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (changes || commands) {
		ccfc_buf_printf(&text, "%lld of the changes; ",
				(long long)changes);
		ccfc_render_count(&text, commands, "command");
		ccfc_buf_printf(&text,
				" that may change files, the effects of %lld "
				"are not known",
				(long long)unknown);
	}
	ccfc_render_line(out, "Shell", CCFC_STATS_COLUMN, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void line_bytes(struct ccfc_out *out, const char *label,
		       struct ccfc_obj stats, const char *key)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int64_t n = ccfc_obj_get_int(stats, key, -1);

	if (n >= 0)
		ccfc_render_bytes(&text, n);
	ccfc_render_line(out, label, CCFC_STATS_COLUMN, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void line_sources(struct ccfc_out *out, struct ccfc_obj sources)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%lld present (",
			(long long)ccfc_obj_get_int(sources, "present", 0));
	ccfc_render_bytes(&text, ccfc_obj_get_int(sources, "bytes", 0));
	ccfc_buf_printf(&text, "), %lld gone",
			(long long)ccfc_obj_get_int(sources, "gone", 0));
	ccfc_render_line(out, "Transcripts", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void line_lines(struct ccfc_out *out, struct ccfc_obj lines)
{
	static const struct {
		const char *key, *text;
	} kinds[] = {
		{ "read", "read" },
		{ "malformed", "malformed" },
		{ "unknown", "of unknown type" },
		{ "damaged", "not UTF-8" },
		{ "tooLong", "too long" },
		{ "blank", "blank" },
	};
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		ccfc_buf_printf(
			&text, "%s%lld %s", i ? ", " : "",
			(long long)ccfc_obj_get_int(lines, kinds[i].key, 0),
			kinds[i].text);
	ccfc_render_line(out, "Lines", CCFC_STATS_COLUMN, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void line_texts(struct ccfc_out *out, struct ccfc_obj stats)
{
	int64_t dead = ccfc_obj_get_int(stats, "textDead", 0);
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_bytes(&text, ccfc_obj_get_int(stats, "textBytes", 0));
	if (dead) {
		ccfc_buf_puts(&text, ", ");
		ccfc_render_bytes(&text, dead);
		ccfc_buf_puts(&text, " written twice");
	}
	ccfc_render_line(out, "Texts", CCFC_STATS_COLUMN, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

void ccfc_stats_print(struct ccfc_out *out, struct ccfc_obj stats)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	line_count(out, "Sessions", stats, "totalSessions");
	line_count(out, "Files", stats, "totalFiles");
	line_changes(out, stats);
	line_shell(out, stats);
	line_sources(out, ccfc_obj_get(stats, "sources"));
	line_lines(out, ccfc_obj_get(stats, "lines"));
	ccfc_render_tally(&text, ccfc_obj_get(stats, "unknownTypes"), NULL);
	ccfc_render_line(out, "Unknown types", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	line_bytes(out, "Index size", stats, "indexSize");
	line_texts(out, stats);
	line_bytes(out, "Memory", stats, "memory");
	ccfc_buf_clear(&text);
	ccfc_render_time(&text, ccfc_obj_get(stats, "lastIndexed"),
			 CCFC_RENDER_SECOND);
	ccfc_render_line(out, "Last indexed", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_render_line(out, "Clock", CCFC_STATS_COLUMN,
			 ccfc_obj_get_str(stats, "clock"));
	ccfc_buf_release(&text);
}

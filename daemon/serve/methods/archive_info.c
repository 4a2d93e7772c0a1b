/* What the archive keeps, as part of server.info and store.check. */
#include "serve/methods/archive_info.h"

#define DAY (24 * 60 * 60)

void ccfc_reply_archive(struct ccfc_pack *p, const struct ccfc_service *service)
{
	static const char *const modes[] = {
		[CCFC_ARCHIVE_ALL] = "all",
		[CCFC_ARCHIVE_CHANGES] = "changes",
		[CCFC_ARCHIVE_OFF] = "off",
	};
	struct ccfc_archive_limits limits;
	struct ccfc_archive_stats stats;

	if (!service->archive)
		return;
	ccfc_archive_stats(service->archive, &stats);
	ccfc_archive_limits(service->archive, &limits);
	ccfc_pack_cstr(p, "archive");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "mode", modes[limits.mode]);
	ccfc_pack_kv_uint(p, "transcripts", stats.transcripts);
	ccfc_pack_kv_uint(p, "bytes", stats.bytes);
	ccfc_pack_kv_uint(p, "lineBytes", stats.lines_bytes);
	ccfc_pack_kv_uint(p, "budget", limits.bytes);
	ccfc_pack_kv_int(p, "age", limits.age / DAY);
	ccfc_pack_kv_uint(p, "waiting", stats.waiting);
	ccfc_pack_kv_uint(p, "purged", stats.purged);
	ccfc_pack_kv_bool(p, "due", stats.due);
	if (stats.oldest)
		ccfc_pack_kv_time(p, "oldest", stats.oldest * 1000);
	if (stats.error[0])
		ccfc_pack_kv_cstr(p, "error", stats.error);
	ccfc_pack_end(p);
}

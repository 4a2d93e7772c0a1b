/* The archive in replies. Core thread. */
#ifndef CCFC_SERVE_METHODS_ARCHIVE_INFO_H
#define CCFC_SERVE_METHODS_ARCHIVE_INFO_H

#include "serve/rpc/service.h"
#include "wire/pack.h"

/* The key `archive`, if there is one. */
void ccfc_reply_archive(struct ccfc_pack *p,
			const struct ccfc_service *service);

#endif

/* web.start and web.stop: the REST API and the page, on or off. */
#include "serve/rpc/reply.h"

static void pack_address(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_buf url = CCFC_BUF_INIT;
	int port = service->web_port(service->ctx, &url);

	ccfc_pack_kv_int(p, "port", port);
	ccfc_pack_kv_str(p, "url", ccfc_buf_view(&url));
	ccfc_buf_release(&url);
}

int ccfc_method_web_start(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_service *service = rq->service;
	int r = service->web_start(service->ctx, (int)rq->opt.port, err);

	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	pack_address(rq->pack, service);
	ccfc_reply_clock(rq->pack, service);
	ccfc_pack_end(rq->pack);
	return 0;
}

int ccfc_method_web_stop(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_service *service = rq->service;
	struct ccfc_buf url = CCFC_BUF_INIT;
	int port = service->web_port(service->ctx, &url);

	(void)err;
	ccfc_buf_release(&url);
	service->web_stop(service->ctx);
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_bool(rq->pack, "stopped", port >= 0);
	ccfc_pack_end(rq->pack);
	return 0;
}

/*
 * Helpers of the tests of client/cli: replies packed here and read back, as
 * the daemon's would be, and output that stays in memory.
 */
#ifndef CCFC_TESTS_CLI_TEST_H
#define CCFC_TESTS_CLI_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* The header of cmocka needs the headers above. */
#include <cmocka.h>

#include "cli/out/out.h"
#include "wire/obj.h"
#include "wire/pack.h"

#include <stdlib.h>
#include <time.h>

struct packed {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
	struct ccfc_doc *doc;
};

static inline struct ccfc_pack *packed_init(struct packed *p)
{
	ccfc_buf_init(&p->buf);
	ccfc_pack_init(&p->pack, &p->buf);
	p->doc = NULL;
	return &p->pack;
}

static inline struct ccfc_obj packed_root(struct packed *p)
{
	struct ccfc_err err;

	assert_int_equal(ccfc_doc_parse(&p->doc, ccfc_buf_view(&p->buf), &err),
			 0);
	return ccfc_doc_root(p->doc);
}

static inline void packed_release(struct packed *p)
{
	ccfc_doc_free(p->doc);
	ccfc_buf_release(&p->buf);
}

/* Output into memory; what a terminal of `width` columns gets if not 0. */
static inline struct ccfc_out memory_out(unsigned width)
{
	return (struct ccfc_out){ .fd = -1, .tty = width, .width = width };
}

static inline void pack_strings(struct ccfc_pack *p, const char *key,
				const char *const *items)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_array(p);
	for (; items && *items; items++)
		ccfc_pack_cstr(p, *items);
	ccfc_pack_end(p);
}

/* Local times in the golden texts are UTC. */
static inline int use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

#endif

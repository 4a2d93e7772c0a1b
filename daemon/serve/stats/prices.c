/* What tokens cost; see prices.h. */
#include "serve/stats/prices.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/config_file.h"
#include "os/dirs.h"

#include <math.h>
#include <stdlib.h>

#define PRICES_MAX 4096u
#define MILLION	   1e6

static const char *const kinds[] = { "input", "output", "cache-write",
				     "cache-read" };

/* "MODEL KIND": the last word is the kind. */
static int read_name(struct ccfc_price *price, const char *key)
{
	const char *space = strrchr(key, ' ');
	size_t len = space ? (size_t)(space - key) : 0;

	while (len && key[len - 1] == ' ')
		len--;
	if (!len)
		return CCFC_ENOTFOUND;
	for (int i = 0; i < 4; i++)
		if (!strcmp(space + 1, kinds[i])) {
			price->kind = i;
			price->model = ccfc_strndup(key, len);
			return 0;
		}
	return CCFC_ENOTFOUND;
}

/* "15", or "15 2025-06-01": from that day on. */
static int read_value(struct ccfc_price *price, const char *value)
{
	char *end;

	price->dollars = strtod(value, &end);
	if (end == value || !isfinite(price->dollars) || price->dollars < 0)
		return CCFC_EINVAL;
	while (*end == ' ' || *end == '\t')
		end++;
	price->from = INT64_MIN;
	if (!*end)
		return 0;
	price->from = ccfc_time_parse_user(ccfc_slice_str(end), false);
	return price->from == CCFC_TIME_NONE ? CCFC_EINVAL : 0;
}

static int add_price(void *data, const char *key, char *value)
{
	struct ccfc_prices *prices = data;
	struct ccfc_price price = { 0 };
	int r = prices->all.n < PRICES_MAX ? read_name(&price, key)
					   : CCFC_ETOOBIG;

	if (!r)
		r = read_value(&price, value);
	if (r < 0)
		free(price.model);
	else
		CCFC_VEC_PUSH(prices->all, price);
	return r;
}

int ccfc_prices_read(struct ccfc_prices *prices, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = ccfc_dirs_user_config(&path, "ccfc/prices", err);

	*prices = (struct ccfc_prices){ 0 };
	if (!r)
		r = ccfc_config_file_read(path.ptr, false, add_price, prices,
					  err);
	ccfc_buf_release(&path);
	return r;
}

void ccfc_prices_release(struct ccfc_prices *prices)
{
	for (uint32_t i = 0; i < prices->all.n; i++)
		free(prices->all.items[i].model);
	free(prices->all.items);
	*prices = (struct ccfc_prices){ 0 };
}

/* How much of the name the price's is; 0: it is of another model. */
static size_t model_fit(const struct ccfc_price *price, struct ccfc_slice model)
{
	size_t n = strlen(price->model);
	bool begins = n && price->model[n - 1] == '*';

	n -= begins;
	if (model.len < n || memcmp(model.ptr, price->model, n) != 0)
		return 0;
	if (!begins)
		return model.len == n ? SIZE_MAX : 0;
	return n + 1;
}

static const struct ccfc_price *find_price(const struct ccfc_prices *prices,
					   struct ccfc_slice model, int kind,
					   int64_t time)
{
	const struct ccfc_price *best = NULL;
	size_t best_fit = 0;

	for (uint32_t i = 0; i < prices->all.n; i++) {
		const struct ccfc_price *p = &prices->all.items[i];
		size_t f = p->kind == kind && p->from <= time
				   ? model_fit(p, model)
				   : 0;

		if (f > best_fit ||
		    (f && f == best_fit && p->from > best->from)) {
			best = p;
			best_fit = f;
		}
	}
	return best;
}

uint64_t ccfc_prices_add(const struct ccfc_prices *prices, double *dollars,
			 struct ccfc_slice model, int64_t time,
			 const struct ccfc_tokens *tokens)
{
	const uint64_t counts[] = { tokens->input, tokens->output,
				    tokens->cache_write, tokens->cache_read };
	uint64_t without = 0;

	for (int kind = 0; kind < 4; kind++) {
		const struct ccfc_price *price =
			counts[kind] ? find_price(prices, model, kind, time)
				     : NULL;

		if (price)
			*dollars +=
				(double)counts[kind] * price->dollars / MILLION;
		else
			without += counts[kind];
	}
	return without;
}

/* The findings of doctor, and how they are printed; see doctor.h. */
#include "cli/doctor/doctor.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "os/dirs.h"

#include <stdlib.h>

/* How long to wait for a silent daemon. */
#define ANSWER_MS 5000

static const char *const level_names[] = { "ok", "note", "warn", "fail" };

/* ---- gathering ---- */

struct ccfc_obj ccfc_doctor_info(const struct ccfc_doctor *d)
{
	return d->info ? ccfc_cli_value(d->info) : (struct ccfc_obj){ 0 };
}

static void find_roots(struct ccfc_doctor *d)
{
	struct ccfc_obj roots = ccfc_obj_get(ccfc_doctor_info(d), "roots");

	for (uint32_t i = 0; i < ccfc_obj_len(roots); i++) {
		struct ccfc_slice path =
			ccfc_obj_get_str(ccfc_obj_at(roots, i), "path");
		char *copy = ccfc_strndup(path.len ? path.ptr : "", path.len);

		ccfc_claude_roots_add(&d->roots, copy);
		free(copy);
	}
	if (!d->roots.n)
		ccfc_claude_roots_add_all(&d->roots);
}

/* A daemon that hangs must not hang doctor. */
static int ask_info(struct ccfc_doctor *d, struct ccfc_err *err)
{
	struct ccfc_client_options options = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *client = NULL;
	int code;

	options.spawn = CCFC_SPAWN_NEVER;
	options.timeout_ms = ccfc_time_patience(ANSWER_MS);
	code = ccfc_client_new(&client, &options, err);
	if (!code)
		code = ccfc_server_info(&d->info, client, err);
	ccfc_client_free(client);
	return code;
}

static void ask_daemon(struct ccfc_doctor *d)
{
	if (ask_info(d, &d->daemon_err) < 0)
		return;
	d->daemon_err.code = 0;
	if (ccfc_cli_connect(d->cli, CCFC_SPAWN_NEVER, NULL) < 0 ||
	    ccfc_source_list(&d->sources, d->cli->client, NULL) < 0)
		d->sources = NULL;
}

void ccfc_doctor_init(struct ccfc_doctor *d, struct ccfc_cli *cli)
{
	*d = (struct ccfc_doctor){ .cli = cli, .now = ccfc_time_now() };
	if (ccfc_dirs_state(&d->state, NULL) < 0)
		ccfc_buf_clear(&d->state);
	if (ccfc_dirs_socket(&d->socket, NULL) < 0)
		ccfc_buf_clear(&d->socket);
	if (ccfc_service_probe(&d->service, &d->service_err) == 0)
		d->service_err.code = 0;
	ask_daemon(d);
	find_roots(d);
	ccfc_transcripts_find(&d->transcripts, &d->roots);
}

void ccfc_doctor_release(struct ccfc_doctor *d)
{
	for (uint32_t i = 0; i < d->findings.n; i++) {
		struct ccfc_finding *f = d->findings.items[i];

		ccfc_buf_release(&f->what);
		ccfc_buf_release(&f->why);
		ccfc_buf_release(&f->fix);
		free(f);
	}
	free(d->findings.items);
	ccfc_transcripts_release(&d->transcripts);
	ccfc_reply_free(d->sources);
	ccfc_reply_free(d->info);
	ccfc_service_release(&d->service);
	ccfc_claude_roots_release(&d->roots);
	ccfc_buf_release(&d->socket);
	ccfc_buf_release(&d->state);
}

/* ---- findings ---- */

struct ccfc_finding *ccfc_doctor_add(struct ccfc_doctor *d,
				     enum ccfc_level level, const char *check)
{
	struct ccfc_finding *f = ccfc_calloc(1, sizeof(*f));

	f->level = level;
	f->check = check;
	CCFC_VEC_PUSH(d->findings, f);
	return f;
}

struct ccfc_finding *ccfc_doctor_say(struct ccfc_doctor *d,
				     enum ccfc_level level, const char *check,
				     const char *fmt, ...)
{
	struct ccfc_finding *f = ccfc_doctor_add(d, level, check);
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(&f->what, fmt, ap);
	va_end(ap);
	return f;
}

enum ccfc_level ccfc_doctor_worst(const struct ccfc_doctor *d)
{
	enum ccfc_level worst = CCFC_LEVEL_OK;

	for (uint32_t i = 0; i < d->findings.n; i++)
		if (d->findings.items[i]->level > worst)
			worst = d->findings.items[i]->level;
	return worst;
}

/* ---- commands ---- */

void ccfc_doctor_quote(struct ccfc_buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+=:@%";

	if (*word && *word != '-' && strspn(word, plain) == strlen(word)) {
		ccfc_buf_puts(out, word);
		return;
	}
	ccfc_buf_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			ccfc_buf_puts(out, "'\\''");
		else
			ccfc_buf_putc(out, *word);
	}
	ccfc_buf_putc(out, '\'');
}

static bool is_systemd(const struct ccfc_doctor *d)
{
	return d->service.manager == CCFC_MANAGER_SYSTEMD &&
	       !d->service_err.code && d->service.found;
}

/*
 * A daemon of the service manager must be stopped by the manager, which would
 * start the daemon again otherwise.
 */
void ccfc_doctor_stop(const struct ccfc_doctor *d, struct ccfc_buf *out)
{
	if (is_systemd(d) && d->service.active)
		ccfc_buf_puts(out, "systemctl --user stop " CCFC_SERVICE_UNIT);
	else
		ccfc_buf_puts(out, "ccfc stop");
}

void ccfc_doctor_start(const struct ccfc_doctor *d, struct ccfc_buf *out)
{
	/* A running daemon that does not answer is restarted. */
	if (is_systemd(d) && d->service.enabled)
		ccfc_buf_printf(out, "systemctl --user %s " CCFC_SERVICE_UNIT,
				d->service.active && !d->info ? "restart"
							      : "start");
	else
		ccfc_buf_puts(out, "ccfc start");
}

/* ---- printing ---- */

static enum ccfc_style style_of_level(enum ccfc_level level)
{
	switch (level) {
	case CCFC_LEVEL_OK:
		return CCFC_STYLE_NEW;
	case CCFC_LEVEL_NOTE:
		return CCFC_STYLE_HEAD;
	case CCFC_LEVEL_WARN:
		return CCFC_STYLE_ALERT;
	default:
		return CCFC_STYLE_OLD;
	}
}

static void print_finding(struct ccfc_out *out, const struct ccfc_finding *f)
{
	ccfc_buf_printf(&out->buf, "%s%-4s%s  %s: ",
			ccfc_out_on(out, style_of_level(f->level)),
			level_names[f->level], ccfc_out_off(out), f->check);
	ccfc_out_field(out, ccfc_buf_view(&f->what));
	if (f->why.len) {
		ccfc_buf_puts(&out->buf, ": ");
		ccfc_out_field(out, ccfc_buf_view(&f->why));
	}
	ccfc_buf_putc(&out->buf, '\n');
	if (f->fix.len) {
		ccfc_buf_puts(&out->buf, "      ");
		ccfc_out_field(out, ccfc_buf_view(&f->fix));
		ccfc_buf_putc(&out->buf, '\n');
	}
}

void ccfc_doctor_print(const struct ccfc_doctor *d)
{
	for (uint32_t i = 0; i < d->findings.n; i++)
		print_finding(&d->cli->out, d->findings.items[i]);
}

static void pack_text(struct ccfc_pack *p, const char *key,
		      const struct ccfc_buf *text)
{
	ccfc_pack_cstr(p, key);
	if (text->len)
		ccfc_pack_str(p, ccfc_buf_view(text));
	else
		ccfc_pack_nil(p);
}

static void pack_findings(struct ccfc_pack *p, const struct ccfc_doctor *d)
{
	enum ccfc_level worst = ccfc_doctor_worst(d);

	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "ok", worst < CCFC_LEVEL_WARN);
	ccfc_pack_kv_cstr(p, "worst", level_names[worst]);
	ccfc_pack_cstr(p, "findings");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < d->findings.n; i++) {
		const struct ccfc_finding *f = d->findings.items[i];

		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "level", level_names[f->level]);
		ccfc_pack_kv_cstr(p, "check", f->check);
		pack_text(p, "what", &f->what);
		pack_text(p, "why", &f->why);
		pack_text(p, "fix", &f->fix);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

void ccfc_doctor_print_json(const struct ccfc_doctor *d)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack pack;

	ccfc_pack_init(&pack, &packed);
	pack_findings(&pack, d);
	if (!ccfc_doc_parse(&doc, ccfc_buf_view(&packed), NULL))
		ccfc_render_json(&d->cli->out, ccfc_doc_root(doc), 2);
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
}

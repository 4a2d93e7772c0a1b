/*
 * Different versions of the daemon and this program; see version_skew.h. After
 * an upgrade the old daemon keeps running until somebody stops it. There is no
 * greeting on a connection, since a round trip is a large part of a command's
 * time: versions are compared only after an error.
 */
#include "cli/frame/version_skew.h"

#include "base/time.h"
#include "cli/frame/connect.h"

/* This request follows an error: it must not take long. */
#define ASK_MS 2000

#define STOP_IT "ccfc stop, and ask again"

/*
 * Methods and options are never removed, and a command sends nothing unknown to
 * a daemon of its own version. Errors about the command line name options with
 * their dashes.
 */
static bool is_sign(const struct ccfc_err *err)
{
	static const char unknown[] = "unknown option '";
	const char *at;

	if (err->code == CCFC_EMETHOD || err->code == CCFC_EPROTO)
		return true;
	if (err->code != CCFC_EINVAL)
		return false;
	at = strstr(err->what, unknown);
	return at && at[sizeof(unknown) - 1] != '-';
}

static void other_protocol(struct ccfc_err *err, struct ccfc_slice version,
			   long long protocol)
{
	ccfc_err_set(err, CCFC_EPROTO,
		     "the daemon is version %.*s and speaks protocol %lld; "
		     "this ccfc is %s and speaks protocol %d",
		     version.len > 32 ? 32 : (int)version.len, version.ptr,
		     protocol, CCFC_VERSION, CCFC_PROTOCOL_VERSION);
	if (protocol < CCFC_PROTOCOL_VERSION)
		ccfc_err_hint(err, STOP_IT);
	else
		ccfc_err_hint(err, "upgrade ccfc; or " STOP_IT);
}

static void compare_with_daemon(struct ccfc_err *err, struct ccfc_obj info)
{
	struct ccfc_slice version = ccfc_obj_get_str(info, "version");
	long long protocol = (long long)ccfc_obj_get_int(info, "protocol", 0);

	if (protocol != CCFC_PROTOCOL_VERSION)
		other_protocol(err, version, protocol);
	else if (err->code == CCFC_EPROTO)
		return; /* the error has another cause */
	else if (ccfc_slice_is(version, CCFC_VERSION))
		ccfc_err_hint(err,
			      "the daemon is older than this ccfc: " STOP_IT);
	else
		ccfc_err_hint(err,
			      "the daemon is version %.*s, this ccfc "
			      "is " CCFC_VERSION ": " STOP_IT,
			      version.len > 32 ? 32 : (int)version.len,
			      version.ptr);
}

void ccfc_version_skew_explain(struct ccfc_err *err)
{
	struct ccfc_client_options options = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *client = NULL;
	struct ccfc_reply *reply = NULL;

	if (!is_sign(err))
		return;
	options.spawn = CCFC_SPAWN_NEVER;
	options.timeout_ms = ccfc_time_patience(ASK_MS);
	if (!ccfc_client_new(&client, &options, NULL) &&
	    !ccfc_server_info(&reply, client, NULL))
		compare_with_daemon(err, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	ccfc_client_free(client);
}

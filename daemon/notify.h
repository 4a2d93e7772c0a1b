/* Status messages to the service manager (sd_notify's protocol). */
#ifndef CCFC_NOTIFY_H
#define CCFC_NOTIFY_H

/*
 * Sends `state` ("READY=1\nSTATUS=…") to $NOTIFY_SOCKET, if that is set.
 * Failures are ignored. A state that is only a STATUS is dropped if sending it
 * would block.
 */
void ccfc_notify(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

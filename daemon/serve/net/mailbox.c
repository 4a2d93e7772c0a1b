/*
 * The mailbox; see mailbox.h. The descriptor is an eventfd on Linux and a pipe
 * elsewhere. It is rung once for any number of posts: `rung` says that a
 * wake-up is under way and is cleared by ccfc_mailbox_open, before it counts
 * the mail. A late ring (after the mail was taken) is a needless wake-up, never
 * a lost one.
 */
#include "serve/net/mailbox.h"

#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define RING_TRIES 1000

#ifdef __linux__
#include <sys/eventfd.h>

static int open_bell(struct ccfc_mailbox *box)
{
	box->rfd = box->wfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return box->rfd < 0 ? -1 : 0;
}
#else
static int open_bell(struct ccfc_mailbox *box)
{
	int fds[2];

	if (ccfc_bell(fds) < 0)
		return -1;
	box->rfd = fds[0];
	box->wfd = fds[1];
	return 0;
}
#endif

int ccfc_mailbox_init(struct ccfc_mailbox *box, struct ccfc_err *err)
{
	pthread_condattr_t attr;

	*box = (struct ccfc_mailbox){ .rfd = -1, .wfd = -1 };
	if (open_bell(box) < 0)
		return ccfc_err_errno(err, errno, "mailbox");
	pthread_mutex_init(&box->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&box->idle, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void ccfc_mailbox_release(struct ccfc_mailbox *box)
{
	if (box->rfd < 0)
		return;
	pthread_cond_destroy(&box->idle);
	pthread_mutex_destroy(&box->lock);
	if (box->wfd != box->rfd)
		close(box->wfd);
	close(box->rfd);
	box->rfd = box->wfd = -1;
}

bool ccfc_mailbox_post(struct ccfc_mailbox *box, struct ccfc_mail *mail)
{
	bool ring = !box->rung;

	if (mail->posted)
		return false;
	mail->posted = true;
	mail->next = NULL;
	if (box->tail)
		box->tail->next = mail;
	else
		box->head = mail;
	box->tail = mail;
	box->n++;
	box->rung = true;
	return ring;
}

void ccfc_mailbox_ring(struct ccfc_mailbox *box)
{
	uint64_t one = 1;
	int tries = 0;

	/*
	 * A full pipe (EAGAIN) is readable, so it has rung. After any other
	 * error nobody would read the box.
	 */
	while (write(box->wfd, &one, sizeof(one)) < 0 && errno != EAGAIN &&
	       tries++ < RING_TRIES)
		;
}

uint32_t ccfc_mailbox_open(struct ccfc_mailbox *box)
{
	char sink[64];
	uint32_t n;

	while (read(box->rfd, sink, sizeof(sink)) == (ssize_t)sizeof(sink))
		;
	ccfc_mailbox_lock(box);
	box->rung = false;
	n = box->n;
	ccfc_mailbox_unlock(box);
	return n;
}

struct ccfc_mail *ccfc_mailbox_pop(struct ccfc_mailbox *box)
{
	struct ccfc_mail *mail;

	ccfc_mailbox_lock(box);
	mail = box->head;
	if (mail)
		ccfc_mailbox_remove(box, mail);
	ccfc_mailbox_unlock(box);
	return mail;
}

void ccfc_mailbox_remove(struct ccfc_mailbox *box, struct ccfc_mail *mail)
{
	struct ccfc_mail **at = &box->head, *before = NULL;

	if (!mail->posted)
		return;
	while (*at != mail) {
		before = *at;
		at = &before->next;
	}
	*at = mail->next;
	if (box->tail == mail)
		box->tail = before;
	box->n--;
	mail->posted = false;
}

bool ccfc_mailbox_wait(struct ccfc_mailbox *box,
		       const struct timespec *deadline)
{
	return pthread_cond_timedwait(&box->idle, &box->lock, deadline) == 0;
}

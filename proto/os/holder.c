/* Who holds a state directory; see holder.h. */
#include "os/holder.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_MAX 1024

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

void ccfc_holder_claim(int fd)
{
	struct flock lock = whole_file();

	/*
	 * If the lock is refused (see holder.h), clients cannot signal the
	 * daemon.
	 */
	(void)fcntl(fd, F_SETLK, &lock);
}

static void put_line(struct ccfc_buf *out, const char *text)
{
	if (text && !strchr(text, '\n'))
		ccfc_buf_puts(out, text);
	ccfc_buf_putc(out, '\n');
}

void ccfc_holder_write(int fd, const char *socket, uint64_t looks,
		       const char *why)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%ld\n", (long)getpid());
	put_line(&text, socket);
	ccfc_buf_printf(&text, "%llu\n", (unsigned long long)looks);
	put_line(&text, why);
	/* A failure only makes clients wait longer. */
	if (pwrite(fd, text.ptr, text.len, 0) == (ssize_t)text.len &&
	    ftruncate(fd, (off_t)text.len)) {
	}
	ccfc_buf_release(&text);
}

static size_t read_lock_text(int fd, char *text, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, text, size - 1, 0);
	while (n < 0 && errno == EINTR);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

long ccfc_holder_written(int fd)
{
	char text[TEXT_MAX];

	return read_lock_text(fd, text, sizeof(text)) ? strtol(text, NULL, 10)
						      : 0;
}

/* The owner of the record lock according to the kernel; 0: none. */
static long lock_owner(int fd)
{
	struct flock lock = whole_file();

	if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK ||
	    lock.l_pid <= 1)
		return 0;
	return (long)lock.l_pid;
}

/* The next line of a text that ends with one; NULL if it is too long. */
static const char *take_line(char *out, size_t size, const char *text)
{
	size_t n = strcspn(text, "\n");

	out[0] = '\0';
	if (!text[n] || n >= size)
		return NULL;
	memcpy(out, text, n);
	out[n] = '\0';
	return text + n + 1;
}

/* False: the text is being written, or is an older daemon's. */
static bool parse_holder(struct ccfc_holder *out, const char *text)
{
	char number[32];

	text = take_line(number, sizeof(number), text);
	if (!text || strtol(number, NULL, 10) != out->pid)
		return false;
	text = take_line(out->socket, sizeof(out->socket), text);
	if (text)
		text = take_line(number, sizeof(number), text);
	if (!text)
		return false;
	out->looks = strtoull(number, NULL, 10);
	return take_line(out->why, sizeof(out->why), text);
}

static int open_file(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct stat st;
	int fd;

	ccfc_buf_printf(&path, "%s/" CCFC_HOLDER_FILE, dir);
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ccfc_buf_release(&path);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
			st.st_uid != geteuid())) {
		close(fd);
		return -1;
	}
	return fd;
}

void ccfc_holder_read(struct ccfc_holder *out, const char *dir)
{
	char text[TEXT_MAX];
	int fd = open_file(dir);

	*out = (struct ccfc_holder){ 0 };
	if (fd < 0)
		return;
	out->pid = lock_owner(fd);
	read_lock_text(fd, text, sizeof(text));
	if (out->pid && !parse_holder(out, text))
		out->socket[0] = '\0';
	close(fd);
}

static int pidfd_of(long pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#else
	(void)pid;
	errno = ENOSYS;
	return -1;
#endif
}

static bool send_hangup(int pidfd, long pid)
{
#ifdef SYS_pidfd_send_signal
	if (pidfd >= 0)
		return !syscall(SYS_pidfd_send_signal, pidfd, SIGHUP, NULL, 0);
#else
	(void)pidfd;
#endif
	return !kill((pid_t)pid, SIGHUP);
}

/*
 * The process is opened before it is checked to be the owner, so another
 * process that gets the same pid cannot receive the signal.
 */
bool ccfc_holder_poke(const char *dir, long pid)
{
	bool poked = false;
	int fd = open_file(dir), pidfd;

	if (fd < 0)
		return false;
	pidfd = pidfd_of(pid);
	if ((pidfd >= 0 || errno == ENOSYS) && lock_owner(fd) == pid)
		poked = send_hangup(pidfd, pid);
	if (pidfd >= 0)
		close(pidfd);
	close(fd);
	return poked;
}

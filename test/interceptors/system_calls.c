/*===- system_calls.c - What the kernel reads and writes by libc's calls --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Granules of 64 bytes hold each size to the byte where it ends one.
// RUN: %known_sets --ways O2,O2/access,O2/rw/6 --flag=-fno-builtin %s
// RUN: %known_sets --ways O2 --flag=-fno-builtin --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static char *a, *b;

/* Memory is set and looked at by code that marks nothing. */
HIDDEN static char *text(char *begin, const char *s) {
  size_t i = 0;
  do
    ((volatile char *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}
HIDDEN static void put(void *p, long value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)p)[i] = (char)(value >> i * 8);
}
HIDDEN static int get(const void *p) { return *(const volatile int *)p; }

static void may(const void *p, size_t bytes, const char *what) {
  expect_at(known_period_, thread_id(), p, bytes, what);
}

static void sockets(void) {
  struct sockaddr_in here = {0};
  socklen_t bytes = sizeof here;
  here.sin_family = AF_INET, here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  require(bind(listener, (struct sockaddr *)&here, sizeof here) == 0);
  require(listen(listener, 1) == 0);
  struct sockaddr *address = (struct sockaddr *)(a + PAGE - 8);
  socklen_t *length = (socklen_t *)(b + PAGE);
  put(length, sizeof here, 4);
  require(getsockname(listener, address, length) == 0);
  expect_write(address, 16), expect_both(length, 4), end_period();
  int one = socket(AF_INET, SOCK_STREAM, 0);
  require(connect(one, address, sizeof here) == 0);
  expect_read(address, 16), end_period();
  put(length, 5, 4); /* less than the address has: the first page only */
  int other = accept(listener, address, length);
  require(other >= 0 && get(length) == 16);
  expect_write(address, 5), expect_both(length, 4), end_period();
  put(length, sizeof here, 4);
  require(getpeername(other, address, length) == 0);
  expect_write(address, 16), expect_both(length, 4), end_period();
  int *option = (int *)(a + 3 * PAGE);
  put(option, 1, 4);
  require(setsockopt(one, SOL_SOCKET, SO_KEEPALIVE, option, 4) == 0);
  expect_read(option, 4), end_period();
  put(length, 4, 4);
  require(getsockopt(one, SOL_SOCKET, SO_KEEPALIVE, option, length) == 0);
  expect_write(option, 4), expect_both(length, 4), end_period();
  int *pair = (int *)(a + 5 * PAGE - 4);
  require(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  expect_write(pair, 8), end_period();
  int packets[2] = {get(pair), get(pair + 1)};

  struct mmsghdr *messages = (struct mmsghdr *)(a + 8 * PAGE);
  struct iovec *pieces = (struct iovec *)(a + 10 * PAGE);
  char *from = a + 12 * PAGE, *to = b + 12 * PAGE;
  for (int i = 0; i < 2; ++i) {
    put(&pieces[i].iov_base, (long)(from + (size_t)i * 5 * PAGE), 8);
    put(&pieces[i].iov_len, 5000, 8);
    put(&messages[i].msg_hdr.msg_iov, (long)(pieces + i), 8);
    put(&messages[i].msg_hdr.msg_iovlen, 1, 8);
  }
  require(sendmmsg(packets[0], messages, 2, 0) == 2);
  expect_read(messages, 56), expect_read(messages + 1, 56);
  expect_read(pieces, 32), expect_read(from, 5000);
  expect_read(from + 5 * PAGE, 5000);
  expect_write(&messages[0].msg_len, 4), expect_write(&messages[1].msg_len, 4);
  end_period();
  for (int i = 0; i < 2; ++i)
    put(&pieces[i].iov_base, (long)(to + (size_t)i * 5 * PAGE), 8);
  require(recvmmsg(packets[1], messages, 2, 0, NULL) == 2);
  expect_both(messages, 56), expect_both(messages + 1, 56);
  expect_read(pieces, 32), expect_write(to, 5000);
  expect_write(to + 5 * PAGE, 5000);
  expect_write(&messages[0].msg_len, 4), expect_write(&messages[1].msg_len, 4);
  end_period();
  close(listener), close(one), close(other);
  close(packets[0]), close(packets[1]);
}

static void waiting(void) {
  int *pair = (int *)(a + PAGE - 4);
  require(pipe(pair) == 0);
  expect_write(pair, 8), end_period();
  int out = get(pair), in = get(pair + 1);
  /* The first entry's fields straddle; what was found is written. */
  struct pollfd *entries = (struct pollfd *)(a + PAGE - 6);
  put(&entries[0].fd, out, 4), put(&entries[0].events, POLLIN, 2);
  put(&entries[1].fd, in, 4), put(&entries[1].events, POLLOUT, 2);
  require(poll(entries, 2, 0) == 1);
  expect_read(entries, 16), expect_write(a + PAGE, 10), end_period();
  struct timespec *zero = (struct timespec *)(b + 3 * PAGE);
  require(ppoll(entries, 2, zero, NULL) == 1);
  expect_read(entries, 16), expect_write(a + PAGE, 10), expect_read(zero, 16);
  end_period();
  fd_set *set = (fd_set *)(a + 3 * PAGE - 8);
  put(set, 1L << in, 8);
  struct timeval *limit = (struct timeval *)(b + 5 * PAGE);
  require(select(in + 1, NULL, set, NULL, limit) == 1);
  expect_both(set, 8), expect_both(limit, 16), end_period(); /* one page */
  int set_fd = epoll_create1(0);
  struct epoll_event *event = (struct epoll_event *)(a + 5 * PAGE - 8);
  put(&event->events, EPOLLOUT, 4);
  require(epoll_ctl(set_fd, EPOLL_CTL_ADD, in, event) == 0);
  expect_read(event, 12), end_period();
  require(epoll_wait(set_fd, event, 8, 0) == 1);
  expect_write(event, 12), end_period();
  require(epoll_wait(set_fd, event - 1, 8, 0) == 1); /* the first page only */
  expect_write(event - 1, 12), end_period();
  close(set_fd), close(in), close(out);
}

static void files(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/pagetide-%d", (int)getpid());
  char *path = text(a + PAGE - 3, name), *p = b + PAGE - 10;
  size_t bytes = strlen(name) + 1;
  end_period();
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  require(fd >= 0);
  expect_read(path, bytes), end_period();
  struct stat *status = (struct stat *)p;
  require(stat(path, status) == 0);
  expect_read(path, bytes), expect_write(p, 144), end_period();
  require(fstat(fd, (struct stat *)(b + PAGE - 144)) == 0);
  expect_write(b + PAGE - 144, 144), end_period(); /* it fits exactly */
  require(stat("/no/such/file", status) == -1);
  end_period();
  require(stat((char *)8, status) == -1 && errno == EFAULT);
  may(status, 144, "mw"), end_period();
  char *other = text(a + 5 * PAGE, "/tmp/pagetide-link-");
  sprintf(other + strlen(other), "%d", (int)getpid());
  size_t other_bytes = strlen(other) + 1;
  expect_both(other, other_bytes), end_period();
  require(symlink(path, other) == 0);
  expect_read(path, bytes), expect_read(other, other_bytes), end_period();
  require(readlink(other, p, 10) == 10); /* to the page's end */
  expect_read(other, other_bytes), expect_write(p, 10), end_period();
  require(realpath(other, p) == p);
  expect_read(other, other_bytes), expect_write(p, bytes), end_period();
  require(unlink(other) == 0);
  expect_read(other, other_bytes), end_period();
  require(unlink(path) == 0);
  expect_read(path, bytes), end_period();
  /* A kernel may refuse the first name before it reads the second. */
  require(rename(path, other) == -1 && errno == ENOENT);
  expect_read(path, bytes), may(other, other_bytes, "mr"), end_period();
  char *pattern = text(a + 7 * PAGE - 14, "/tmp/ptXXXXXX");
  int made = mkstemp(pattern);
  require(made >= 0);
  expect_read(pattern, 14), expect_write(pattern + 7, 6), end_period();
  require(unlink(pattern) == 0);
  expect_read(pattern, 14), end_period();
  require(chdir("/tmp") == 0);
  require(getcwd(p, 4000) == p);
  expect_write(p, 5), end_period();
  off_t *at = (off_t *)(b + 5 * PAGE);
  require(write(made, "0123456789", 10) == 10);
  end_period();
  require(sendfile(fd, made, at, 5) == 5);
  expect_both(at, 8), end_period();
  close(fd), close(made);
}

static void times_and_signals(void) {
  char *p = a + PAGE - 8;
  require(clock_gettime(CLOCK_MONOTONIC, (struct timespec *)p) == 0);
  expect_write(p, 16), end_period();
  require(gettimeofday((struct timeval *)p, NULL) == 0);
  expect_write(p, 16), end_period();
  require(time((time_t *)p) > 0);
  expect_write(p, 8), end_period(); /* the first page only */
  put(p, 0, 8), put(p + 8, 1, 8);
  require(nanosleep((struct timespec *)p, (struct timespec *)b) == 0);
  expect_read(p, 16), end_period();
  struct tm *tm = (struct tm *)(a + 3 * PAGE - 4);
  put(p, 86400, 8);
  require(gmtime_r((time_t *)p, tm) == tm);
  expect_read(p, 8), expect_write(tm, 56), end_period();
  char *d = b + PAGE - 2;
  require(strftime(d, 100, "%Y", tm) == 4);
  expect_read(tm, 56), expect_write(d, 5), end_period();
  require(timegm(tm) == 86400);
  expect_both(tm, 56), end_period();

  /* 8 bytes of the set's 128. */
  sigset_t *set = (sigset_t *)p, *old = (sigset_t *)(b + PAGE - 8);
  require(sigemptyset(set) == 0);
  expect_write(set, 8), end_period();
  require(sigfillset(set) == 0);
  expect_write(set, 8), end_period();
  require(sigdelset(set, SIGKILL) == 0);
  expect_both(set, 8), end_period();
  require(sigismember(set, SIGUSR1) == 1);
  expect_read(set, 8), end_period();
  require(sigprocmask(SIG_BLOCK, set, old) == 0);
  expect_read(set, 8), expect_write(old, 8), end_period();
  kill(getpid(), SIGUSR1);
  require(sigpending(old) == 0);
  expect_write(old, 8), end_period();
  int *number = (int *)(b + 3 * PAGE);
  require(sigwait(old, number) == 0 && get(number) == SIGUSR1);
  expect_read(old, 8), expect_write(number, 4), end_period();
}

static void processes(void) {
  int *status = (int *)(a + PAGE - 2);
  struct rusage *usage = (struct rusage *)(b + PAGE - 144);
  pid_t child = fork();
  if (child == 0)
    _exit(3);
  while (wait4(child, status, WNOHANG, usage) == 0) {
    end_period(); /* nothing was written */
    usleep(1000);
  }
  expect_write(status, 4), expect_write(usage, 144), end_period();
  require(waitpid(-1, status, 0) == -1 && errno == ECHILD);
  end_period();
  struct rlimit *limit = (struct rlimit *)(a + 5 * PAGE);
  require(getrlimit(RLIMIT_NOFILE, limit) == 0);
  expect_write(limit, 16), end_period();
  require(setrlimit(RLIMIT_NOFILE, limit) == 0);
  expect_read(limit, 16), end_period();
  require(getrlimit(RLIMIT_AS, limit) == 0);
  expect_write(limit, 16), end_period();
  struct sigaction *action = (struct sigaction *)(a + 6 * PAGE);
  require(sigaction(SIGUSR2, NULL, action) == 0);
  expect_write(action, sizeof *action), end_period();
  require(sigaction(SIGUSR2, action, NULL) == 0);
  expect_read(action, sizeof *action), end_period();
  require(sigaction(SIGSEGV, NULL, action) == 0);
  expect_write(action, sizeof *action), end_period();
  require(prctl(PR_GET_NAME, a + 5 * PAGE) == 0);
  expect_write(a + 5 * PAGE, 16), end_period();
  require(getrusage(RUSAGE_SELF, usage) == 0);
  expect_write(usage, 144), end_period();
  int *ids = (int *)(a + 3 * PAGE);
  require(getresuid((uid_t *)ids, (uid_t *)(ids + 1024), (uid_t *)(ids + 2048)) ==
          0);
  expect_write(ids, 4), expect_write(ids + 1024, 4), expect_write(ids + 2048, 4);
  end_period();
  char name[256];
  require(gethostname(name, sizeof name) == 0);
  end_period();
  require(gethostname(a + 9 * PAGE, 2000) == 0);
  expect_write(a + 9 * PAGE, strlen(name) + 1), end_period();
}

int main(void) {
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  end_period();
  sockets();
  waiting();
  files();
  times_and_signals();
  processes();
  return 0;
}

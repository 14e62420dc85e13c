/*===- raw_numbers.c - What syscall() reads and writes, by its number -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O0,O2/access,O2/rw/6 %s

#include "known_sets.h"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

HIDDEN static char *text(char *begin, const char *s) {
  size_t i = 0;
  do
    ((volatile char *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}
HIDDEN static void put(void *p, long value) { *(volatile long *)p = value; }
HIDDEN static int get(const void *p) { return *(const volatile int *)p; }

int main(void) {
  char *a = arena(0, 64 * PAGE), *b = arena(1, 64 * PAGE);
  end_period();
  long fd = syscall(SYS_memfd_create, text(a + PAGE - 2, "name"), 0);
  require(fd >= 0);
  expect_read(a + PAGE - 2, 5), end_period();
  require_equal(syscall(SYS_write, fd, a + 100, 5000), 5000);
  expect_read(a + 100, 5000), end_period();
  require_equal(syscall(SYS_pread64, fd, b + 100, 9000, 3000), 2000);
  expect_write(b + 100, 2000), end_period(); /* all that there is */
  require(syscall(SYS_read, -1, b, 100) == -1 && errno == EBADF);
  end_period();
  require_equal(mprotect(b + 9 * PAGE, PAGE, PROT_READ), 0);
  require(syscall(SYS_pread64, fd, b + 9 * PAGE, 100, 0) == -1);
  require(errno == EFAULT);
  expect_at(known_period_, thread_id(), b + 9 * PAGE, 100, "mw"), end_period();
  struct iovec *pieces = (struct iovec *)(a + 8 * PAGE);
  put(&pieces[0].iov_base, (long)b), put(&pieces[0].iov_len, 10);
  put(&pieces[1].iov_base, (long)(b + 5 * PAGE)), put(&pieces[1].iov_len, 5000);
  require_equal(syscall(SYS_preadv2, fd, pieces, 2, 0L, 0L, 0), 5000);
  expect_read(pieces, 32), expect_write(b, 10);
  expect_write(b + 5 * PAGE, 4990), end_period();
  require_equal(syscall(SYS_getrandom, b + PAGE - 5, 10, 0), 10);
  expect_write(b + PAGE - 5, 10), end_period();
  struct stat *status = (struct stat *)(b + PAGE - 8);
  require_equal(syscall(SYS_fstat, fd, status), 0);
  expect_write(status, 144), end_period();
  require_equal(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, b + PAGE - 8), 0);
  expect_write(b + PAGE - 8, 16), end_period();
  int *word = (int *)(a + 12 * PAGE);
  require(syscall(SYS_futex, word, FUTEX_WAIT, 1, NULL) == -1);
  require(errno == EAGAIN);
  expect_read(word, 4), end_period();
  require_equal(syscall(SYS_futex, word, FUTEX_WAKE, 1), 0);
  end_period();
  require_equal(syscall(SYS_prctl, PR_GET_NAME, b + PAGE - 8), 0);
  expect_write(b + PAGE - 8, 16), end_period();
  require_equal(syscall(SYS_prctl, PR_SET_NAME, b + PAGE - 8), 0);
  expect_read(b + PAGE - 8, sizeof "program"), end_period();
  int *pair = (int *)(a + 15 * PAGE - 4);
  require_equal(syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair), 0);
  expect_write(pair, 8), end_period();
  require_equal(syscall(SYS_sendto, get(pair), a, 100, 0, NULL, 0), 100);
  expect_read(a, 100), end_period();
  require_equal(
      syscall(SYS_recvfrom, get(pair + 1), b + PAGE - 50, 9000, 0, NULL, NULL),
      100);
  expect_write(b + PAGE - 50, 100), end_period();
  struct pollfd *entry = (struct pollfd *)(a + 20 * PAGE - 6);
  put(entry, get(pair) | (long)POLLOUT << 32);
  require_equal(syscall(SYS_poll, entry, 1, 0), 1);
  expect_read(entry, 8), expect_write(a + 20 * PAGE, 2), end_period();
  int cpus = (int)syscall(SYS_sched_getaffinity, 0, 2048, b);
  require(cpus > 0 && cpus < 2048);
  expect_write(b, (size_t)cpus), end_period();

  /* Calls that return twice do so to the program. */
  long child = syscall(SYS_fork);
  if (child == 0)
    syscall(SYS_exit_group, 7);
  int *result = (int *)(b + 20 * PAGE - 2);
  require_equal(syscall(SYS_wait4, child, result, 0, NULL), child);
  expect_write(result, 4), end_period();
  require(WEXITSTATUS(get(result)) == 7);
  return 0;
}

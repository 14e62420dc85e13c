/*===- fortified_calls.c - The checked variants that _FORTIFY_SOURCE calls -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/write --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <sys/socket.h>

static char to[32 * 4096] __attribute__((aligned(4096)));
static char from[32 * 4096] __attribute__((aligned(4096)));

int main(void) {
  require_status(pagetide_watch(to, sizeof to), PAGETIDE_OK);
  require_status(pagetide_watch(from, sizeof from), PAGETIDE_OK);
  end_period();
  /* Sizes that the compiler cannot prove: each call checks. */
  size_t n = 5000;
  OPAQUE(n);
  memcpy(to + 100, from + 4000, n);
  expect_write(to + 100, n), expect_read(from + 4000, n), end_period();
  memmove(to + 200, to + 100, n);
  expect_write(to + 200, n), expect_read(to + 100, n), end_period();
  memset(to + 8192, 1, n);
  expect_write(to + 8192, n), end_period();
  char *end = (char *)mempcpy(to + 100, from + 4000, n);
  require(end == to + 100 + n);
  expect_write(to + 100, n), expect_read(from + 4000, n), end_period();

  int fd = (int)syscall(SYS_memfd_create, "file", 0);
  require_equal(write(fd, from, n), n);
  expect_read(from, n), end_period();
  require_equal(pread(fd, to + 10, n, 0), n);
  expect_write(to + 10, n), end_period();
  require_equal(lseek(fd, 0, SEEK_SET), 0);
  require_equal(read(fd, to + 20, n), n);
  expect_write(to + 20, n), end_period();
  int packets[2];
  require(socketpair(AF_UNIX, SOCK_DGRAM, 0, packets) == 0);
  require_equal(send(packets[0], from, n, 0), n);
  expect_read(from, n), end_period();
  require_equal(recv(packets[1], to + 30, n, 0), n);
  expect_write(to + 30, n), end_period();
  return 0;
}

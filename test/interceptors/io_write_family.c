/*===- io_write_family.c - What the kernel reads from memory, by call ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O0,O2,O2/access,O2/write,O2/rw/6 %s

#include "known_sets.h"

#include <sys/socket.h>
#include <sys/uio.h>

static char *a;
static char *arena_page(size_t page) { return a + page * PAGE; }

static void drain(int fd) {
  static char block[65536];
  while (read(fd, block, sizeof block) > 0) {
  }
}

static void files(void) {
  int fd = (int)syscall(SYS_memfd_create, "file", 0);
  require(fd >= 0);
  char *p = arena_page(1) - 10;
  require_equal(write(fd, p, 20), 20);
  expect_read(p, 20), end_period();
  require_equal(pwrite(fd, p, 5000, 7), 5000);
  expect_read(p, 5000), end_period();
  require_equal(pwrite64(fd, p, 90000, 7), 90000);
  expect_read(p, 90000), end_period();
  require_equal(write(fd, p, 0), 0);
  require_equal(write(-1, p, 100), -1);
  require_equal(pwrite(fd, p, 100, -5), -1);
  end_period();
  struct iovec some[4] = {{arena_page(10) + 5, 100},
                          {arena_page(12), 0},
                          {arena_page(14) - 50, 100},
                          {arena_page(16), 3 * PAGE}};
  require_equal(writev(fd, some, 4), 200 + 3 * PAGE);
  expect_read(arena_page(10) + 5, 100), expect_read(arena_page(14) - 50, 100);
  expect_read(arena_page(16), 3 * PAGE), end_period();
  require_equal(pwritev(fd, some, 3, 0), 200);
  expect_read(arena_page(10) + 5, 100), expect_read(arena_page(14) - 50, 100);
  end_period();
  close(fd);

  /* A pipe with room for part of it. */
  int channel[2];
  require(pipe2(channel, O_NONBLOCK) == 0);
  require_equal(fcntl(channel[1], F_SETPIPE_SZ, 65536), 65536);
  require_equal(write(channel[1], arena_page(20), 100 * KIB), 65536);
  expect_read(arena_page(20), 65536), end_period();
  require(write(channel[1], arena_page(20), 100) == -1 && errno == EAGAIN);
  end_period();
}

static void sockets(void) {
  int stream[2], packets[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, stream) == 0);
  require(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, packets) == 0);
  char *p = arena_page(50) - 8;
  require_equal(send(stream[1], p, 100, 0), 100);
  expect_read(p, 100), end_period();
  require_equal(sendto(packets[1], p, 3000, 0, NULL, 0), 3000);
  expect_read(p, 3000), end_period();
  struct iovec some[2] = {{arena_page(52), 10}, {arena_page(54), PAGE}};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = some, message.msg_iovlen = 2;
  require_equal(sendmsg(packets[1], &message, 0), 10 + PAGE);
  expect_read(arena_page(52), 10), expect_read(arena_page(54), PAGE);
  end_period();
  drain(stream[0]);
  drain(packets[0]);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  files();
  sockets();
  return 0;
}

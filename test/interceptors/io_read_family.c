/*===- io_read_family.c - What the kernel writes into memory, by call ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O0,O2,O2/access,O2/write,O2/rw/6 %s
// RUN: %known_sets --ways O2 --flag=-D_FORTIFY_SOURCE=2 %s

#include "known_sets.h"

#include <sys/socket.h>
#include <sys/uio.h>

static char *a;
static char *arena_page(size_t page) { return a + page * PAGE; }

static int file_of(size_t bytes) {
  int fd = (int)syscall(SYS_memfd_create, "file", 0);
  require(fd >= 0);
  char block[4096];
  memset(block, 'x', sizeof block);
  for (size_t at = 0; at < bytes; at += sizeof block)
    require(write(fd, block, sizeof block) == sizeof block);
  require(ftruncate(fd, (off_t)bytes) == 0);
  require(lseek(fd, 0, SEEK_SET) == 0);
  return fd;
}
static void fill(int fd, size_t bytes) {
  static char block[65536];
  require(bytes <= sizeof block);
  require(write(fd, block, bytes) == (ssize_t)bytes);
}

static void files(void) {
  int fd = file_of(100000);
  char *p = arena_page(1) - 10;
  require_equal(read(fd, p, 20), 20);
  expect_write(p, 20), end_period();
  /* Less than was asked for: only what came. */
  require_equal(lseek(fd, 99000, SEEK_SET), 99000);
  require_equal(read(fd, arena_page(4), 20 * PAGE), 1000);
  expect_write(arena_page(4), 1000), end_period();
  require_equal(read(fd, arena_page(4), 20 * PAGE), 0);
  require_equal(read(fd, arena_page(5), 0), 0);
  end_period();
  require_equal(pread(fd, p, 5000, 100), 5000);
  expect_write(p, 5000), end_period();
  require_equal(pread64(fd, p, 5000, 98000), 2000);
  expect_write(p, 2000), end_period();
  require_equal(pread(fd, p, 90000, 0), 90000); /* more than 64 KiB */
  expect_write(p, 90000), end_period();

  struct iovec some[4] = {{arena_page(10) + 5, 100},
                          {arena_page(12), 0},
                          {arena_page(14) - 50, 100},
                          {arena_page(16), 3 * PAGE}};
  require_equal(lseek(fd, 0, SEEK_SET), 0);
  require_equal(readv(fd, some, 4), 200 + 3 * PAGE);
  expect_write(arena_page(10) + 5, 100), expect_write(arena_page(14) - 50, 100);
  expect_write(arena_page(16), 3 * PAGE), end_period();
  /* It ends within the second that has room. */
  require_equal(preadv(fd, some, 4, 100000 - 151), 151);
  expect_write(arena_page(10) + 5, 100), expect_write(arena_page(14) - 50, 51);
  end_period();

  /* Calls that cannot have written anything. */
  require_equal(read(-1, p, 100), -1);
  require_equal(pread(fd, p, 100, -5), -1);
  require_equal(readv(fd, some, -1), -1);
  require_equal(recv(fd, p, 100, 0), -1); /* no socket */
  int empty[2];
  require(pipe2(empty, O_NONBLOCK) == 0);
  require(read(empty[0], p, 100) == -1 && errno == EAGAIN);
  end_period();
  close(fd);
}

static void sockets(void) {
  int stream[2], packets[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
  require(socketpair(AF_UNIX, SOCK_DGRAM, 0, packets) == 0);
  char *p = arena_page(20) - 8;
  fill(stream[1], 100);
  require_equal(recv(stream[0], p, 4000, 0), 100);
  expect_write(p, 100), end_period();
  fill(stream[1], 100);
  require_equal(recv(stream[0], p, 4000, MSG_PEEK), 100);
  expect_write(p, 100), end_period();
  require_equal(recvfrom(stream[0], p, 7, 0, NULL, NULL), 7);
  expect_write(p, 7), end_period();
  require_equal(read(stream[0], p, 4000), 93);
  expect_write(p, 93), end_period();

  /* MSG_TRUNC tells the packet's length, which is more than was written. */
  fill(packets[1], 9000);
  require_equal(recv(packets[0], p, 10, MSG_TRUNC), 9000);
  expect_write(p, 10), end_period();
  fill(packets[1], 9000);
  require_equal(recvfrom(packets[0], p, 10, MSG_TRUNC, NULL, NULL), 9000);
  expect_write(p, 10), end_period();

  struct iovec some[3] = {{arena_page(30), 10},
                          {arena_page(32), PAGE},
                          {arena_page(34), PAGE}};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = some, message.msg_iovlen = 3;
  fill(packets[1], 1000);
  require_equal(recvmsg(packets[0], &message, 0), 1000);
  expect_write(arena_page(30), 10), expect_write(arena_page(32), 990);
  end_period();
  fill(packets[1], 20000);
  require_equal(recvmsg(packets[0], &message, MSG_TRUNC), 20000);
  expect_write(arena_page(30), 10), expect_write(arena_page(32), PAGE);
  expect_write(arena_page(34), PAGE), end_period();
}

/* A fault on the way. For a file the kernel tells what it had read before. For
 * a pipe or a packet it does not, so everything that it could have written is
 * may. */
static void faults(void) {
  char *bad = arena_page(61);
  require(mprotect(bad, PAGE, PROT_NONE) == 0);
  int fd = file_of(100000);
  require_equal(read(fd, bad - 100, 500), 100);
  expect_write(bad - 100, 100), end_period();
  require(read(fd, bad, 500) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), bad, 500, "mw"), end_period();

  int channel[2], packets[2];
  require(pipe(channel) == 0);
  require(socketpair(AF_UNIX, SOCK_DGRAM, 0, packets) == 0);
  fill(channel[1], 500);
  require(read(channel[0], bad - 100, 500) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), bad - 100, 500, "mw");
  end_period();

  fill(packets[1], 6000);
  require(recv(packets[0], bad - PAGE, 2 * PAGE, 0) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), bad - PAGE, 2 * PAGE, "mw");
  end_period();
  struct iovec some[2] = {{arena_page(50), 100}, {bad, 100}};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = some, message.msg_iovlen = 2;
  fill(packets[1], 150);
  require(recvmsg(packets[0], &message, 0) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), arena_page(50), 100, "mw");
  expect_at(known_period_, thread_id(), bad, 100, "mw");
  end_period();
  /* A may gives way to a certain write of the same page, before or after. */
  *(volatile char *)arena_page(50) = 1;
  fill(packets[1], 150);
  require(recvmsg(packets[0], &message, 0) == -1 && errno == EFAULT);
  expect_write(arena_page(50), 1);
  expect_at(known_period_, thread_id(), arena_page(50), 100, "mw");
  expect_at(known_period_, thread_id(), bad, 100, "mw");
  *(volatile char *)arena_page(50) = 2;
  end_period();
}

int main(void) {
  a = arena(0, 64 * PAGE);
  files();
  sockets();
  faults();
  return 0;
}

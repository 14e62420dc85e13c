/*===- io_write_faults.c - Calls that fail while they read -----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// What the kernel may have read of the program's memory is listed as a may.
// RUN: %known_sets --ways O0,O2,O2/access,O2/rw/6 %s

#include "known_sets.h"

#include <sys/socket.h>

int main(void) {
  char *a = arena(0, 64 * PAGE);
  char *bad = a + 61 * PAGE;
  require(mprotect(bad, PAGE, PROT_NONE) == 0);
  int packets[2];
  require(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, packets) == 0);
  require(send(packets[1], bad - 100, 200, 0) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), bad - 100, 200, "mr"), end_period();
  int fd = (int)syscall(SYS_memfd_create, "file", 0);
  require(write(fd, bad, 200) == -1 && errno == EFAULT);
  expect_at(known_period_, thread_id(), bad, 200, "mr"), end_period();
  return 0;
}

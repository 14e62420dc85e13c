/*===- descriptors_closed.c - The program closes and reuses every number ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// The recorder's descriptors are in a table of its own: a program may close all
// it has, take any number, and share or unshare its table.
// RUN: for how in closefrom close_range unshare loop dup2 daemon; do \
// RUN:   %known_sets --ways O1 --modes process --checksum written --arg $how \
// RUN:     --plain %support/reference_hash.c %s || exit 1; done
// RUN: %known_sets --ways O1 --checksum written --arg daemon --under-record \
// RUN:   --plain %support/reference_hash.c %s
// Nothing is recorded at first; a fork that has closed everything starts to.
// RUN: %clang_pagetide -std=gnu99 -O1 -I%include -I%support -DLATE -c %s -o %t.late.o
// RUN: %clang -I%support -c %support/reference_hash.c -o %t.hash.o
// RUN: %clang %t.late.o %t.hash.o %link_pagetide -pthread -o %t.late
// RUN: rm -f %t.late.trace* && PAGETIDE_TRUTH=%t.late.truth %t.late %t.late.trace
// RUN: %pagetide info %t.late.trace | grep 'ended by exit'
// RUN: %pagetide export --format csv %t.late.trace | grep -c '0x10000000' | grep -x 1

#include "known_sets.h"
#include "reference_hash.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern int close_range(unsigned, unsigned, int);
extern void closefrom(int);

static char *a;

static void work(int from) {
  for (int i = from; i < from + 3; ++i) {
    char *p = a + i * PAGE;
    p[5] = (char)i;
    expect_write(p + 5, 1);
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)p,
               (unsigned long long)reference_hash(p, PAGE));
    end_period();
  }
}

/* Nobody but the program has taken a number. */
static void expect_free(int from, int to) {
  for (int fd = from; fd < to; ++fd)
    require(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
}

static void close_all(const char *how) {
  if (strcmp(how, "closefrom") == 0) {
    closefrom(3);
  } else if (strcmp(how, "close_range") == 0) {
    require(close_range(3, ~0u, 0) == 0);
  } else if (strcmp(how, "unshare") == 0) {
    require(close_range(3, ~0u, 2 /* CLOSE_RANGE_UNSHARE */) == 0);
  } else if (strcmp(how, "dup2") == 0) {
    int file = open("/dev/null", O_RDWR);
    require(file >= 0);
    for (int fd = 3; fd < 200; ++fd)
      require(fd == file || dup2(file, fd) == fd);
    work(20);
    closefrom(3);
  } else {
    for (int fd = 3; fd < 4096; ++fd)
      close(fd);
  }
}

#ifdef LATE
int main(int argc, char **argv) {
  require(argc > 1);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    close_all("loop");
    /* The lowest free number is what every program expects it to be. */
    char name[] = "/tmp/pagetide-test-XXXXXX";
    int file = mkstemp(name);
    require(file == 3 && write(file, "mine", 4) == 4 && unlink(name) == 0);
    a = map_arena(0, 16 * PAGE);
    pagetide_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.trace_path = argv[1];
    require_status(pagetide_watch(a, 16 * PAGE), PAGETIDE_OK);
    require_status(pagetide_start(&config), PAGETIDE_OK);
    a[0] = 1;
    require_status(pagetide_period_end(), PAGETIDE_OK);
    struct stat status;
    require(fstat(file, &status) == 0 && status.st_size == 4);
    expect_free(4, 200);
    exit(0);
  }
  int status;
  require(waitpid(pid, &status, 0) == pid && status == 0);
  return 0;
}
#else
int main(int argc, char **argv) {
  require(argc > 1);
  const char *how = argv[1];
  a = arena(0, 64 * PAGE);
  work(0);
  expect_free(3, 100);
  if (strcmp(how, "daemon") == 0) {
    /* As programs do that go into the background. */
    int ends[2];
    require(pipe(ends) == 0);
    int pid = fork();
    require(pid >= 0);
    if (pid) { /* its writes are its last period's */
      char byte;
      close(ends[1]);
      require(read(ends[0], &byte, 1) == 0); /* when the daemon has ended */
      work(3);
      require(waitpid(pid, NULL, 0) == pid);
      return 0;
    }
    known_sets_after_fork();
    require(setsid() > 0 && chdir("/") == 0);
    pid = fork();
    require(pid >= 0);
    if (pid)
      _exit(0);
    known_sets_after_fork();
    int keep = dup2(ends[1], 500);
    for (int fd = 0; fd < 500; ++fd)
      close(fd);
    closefrom(501);
    require(keep == 500 && open("/dev/null", O_RDWR) == 0 && dup(0) == 1 &&
            dup(0) == 2);
    work(6);
    expect_free(3, 500);
    return 0;
  }
  close_all(how);
  expect_free(3, 200);
  work(30);
  int fds[50];
  for (int i = 0; i < 50; ++i)
    require((fds[i] = open("/dev/zero", O_RDONLY)) == i + 3);
  work(40);
  for (int i = 0; i < 50; ++i) {
    char byte = 1;
    require(read(fds[i], &byte, 1) == 1 && byte == 0);
  }
  close_all(how);
  work(50);
  return 0;
}
#endif

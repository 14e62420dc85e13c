/*===- works.c - Some of everything: pages, a thread, a fork, checksums ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* Run under the conditions that the tests beside it set up. */

#include "known_sets.h"
#include "reference_hash.h"

#include <pthread.h>
#include <sys/uio.h>
#include <sys/wait.h>

static char *a;

static void expect_hash(const char *page) {
  truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)page,
             (unsigned long long)reference_hash(page, PAGE));
}

static void write_page(size_t page) {
  a[page * PAGE] = (char)page;
  expect_write(a + page * PAGE, 1);
}

static void *run(void *arg) {
  write_page((size_t)arg);
  return NULL;
}

int main(int argc, char **argv) {
  const char *without = argc > 1 ? argv[1] : "";
  a = arena(0, 64 * PAGE);
  write_page(1);
  expect_hash(a + PAGE);
  volatile char byte = a[2 * PAGE];
  (void)byte;
  expect_read(a + 2 * PAGE, 1);
  end_period();

  /* What the kernel writes by a vector that lies in memory. */
  int ends[2];
  require(pipe(ends) == 0 && write(ends[1], "0123456789", 10) == 10);
  struct iovec pieces[2] = {{a + 4 * PAGE, 4}, {a + 6 * PAGE, 6}};
  require(readv(ends[0], pieces, 2) == 10);
  expect_write(a + 4 * PAGE, 4), expect_write(a + 6 * PAGE, 6);
  expect_hash(a + 4 * PAGE), expect_hash(a + 6 * PAGE);
  close(ends[0]), close(ends[1]);
  end_period();

  if (strstr(without, "thread") == NULL) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, run, (void *)8) == 0);
    require(pthread_join(thread, NULL) == 0);
    expect_hash(a + 8 * PAGE);
    end_period();
  }
  if (strstr(without, "fork") == NULL) {
    int pid = fork();
    require(pid >= 0);
    if (pid == 0) {
      known_sets_after_fork();
      write_page(10);
      expect_hash(a + 10 * PAGE);
      end_period();
      write_page(11);
      expect_hash(a + 11 * PAGE);
      exit(0);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid && status == 0);
    end_period();
  }
  write_page(12);
  expect_hash(a + 12 * PAGE);
  return 0;
}

/*===- userfaultfd_of_program.c - A program that handles its faults --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Pages that the program fills in as they are touched: an access that waits for
// one is between its mark and itself, and the page is carried until it is made.
// REQUIRES: userfaultfd
// RUN: %known_sets --ways O1 --checksum written \
// RUN:   --plain %support/reference_hash.c %s
// RUN: %known_sets --ways O1 --checksum written --unstable cut \
// RUN:   --plain %support/reference_hash.c %s
// What the runtime does not see may raise an event. It goes on all the same.
// RUN: %known_sets --ways O1 --checksum written --unstable cut --arg unseen \
// RUN:   --plain %support/reference_hash.c %s

#include "known_sets.h"
#include "reference_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>

enum { FILLED = 8, PAGES = 100 };

static char *a;
static int uffd, filled;

static void *fill(void *arg) {
  static char page[4096];
  for (int i = 0; i < FILLED; ++i) {
    struct uffd_msg message;
    require(read(uffd, &message, sizeof message) == sizeof message);
    require(message.event == UFFD_EVENT_PAGEFAULT);
    memset(page, 'a' + i, sizeof page);
    struct uffdio_copy copy;
    memset(&copy, 0, sizeof copy);
    copy.dst = message.arg.pagefault.address & ~UINT64_C(4095);
    copy.src = (uintptr_t)page;
    copy.len = PAGE;
    const uint64_t period = known_period_;
    require(ioctl(uffd, UFFDIO_COPY, &copy) == 0);
    /* The memory may be another process's. */
    expect_at(period, thread_id(), (char *)(uintptr_t)copy.dst, PAGE, "mw");
    __atomic_store_n(&filled, i + 1, __ATOMIC_RELEASE);
  }
  return arg;
}

static int make_unseen(long flags) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"((long)SYS_userfaultfd), "D"(flags)
                   : "rcx", "r11", "memory");
  return (int)result;
}

int main(int argc, char **argv) {
  (void)argv;
  const long flags = O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */;
  a = arena(0, PAGES * PAGE);
  uffd = argc > 1 ? make_unseen(flags) : (int)syscall(SYS_userfaultfd, flags);
  require(uffd >= 0);
  struct uffdio_api api = {UFFD_API, 0, 0};
  require(ioctl(uffd, UFFDIO_API, &api) == 0);
  struct uffdio_register region;
  memset(&region, 0, sizeof region);
  region.range.start = (uintptr_t)a;
  region.range.len = PAGES * PAGE;
  region.mode = UFFDIO_REGISTER_MODE_MISSING;
  require(ioctl(uffd, UFFDIO_REGISTER, &region) == 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, fill, NULL) == 0);
  for (int i = 0; i < FILLED; ++i) {
    a[i * PAGE] += 1;
    expect_both(a + i * PAGE, 1);
    require(a[i * PAGE + 1] == 'a' + i);
    expect_read(a + i * PAGE + 1, 1);
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + i * PAGE),
               (unsigned long long)reference_hash(a + i * PAGE, PAGE));
    while (__atomic_load_n(&filled, __ATOMIC_ACQUIRE) <= i)
      sched_yield(); /* the handler has marked what it filled */
    if (i % 3 == 2)
      end_period();
  }
  require(pthread_join(thread, NULL) == 0);
  /* Emptied, and not touched since: hashing raises no event that a
   * user-mode-only descriptor takes; the pages cannot be read. */
  region.mode = 0;
  require(ioctl(uffd, UFFDIO_UNREGISTER, &region.range) == 0);
  memset(a, 1, PAGES * PAGE);
  expect_write(a, PAGES * PAGE);
  region.mode = UFFDIO_REGISTER_MODE_MISSING;
  require(ioctl(uffd, UFFDIO_REGISTER, &region) == 0);
  require(madvise(a, PAGES * PAGE, MADV_DONTNEED) == 0);
  for (int i = 0; i < PAGES; ++i)
    truth_line("checksum %d %llu 0x%llx unreadable\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + i * PAGE));
  end_period();
  struct uffd_msg message;
  require(fcntl(uffd, F_SETFL, O_NONBLOCK) == 0);
  require(argc > 1 ||
          (read(uffd, &message, sizeof message) == -1 && errno == EAGAIN));
  return 0;
}

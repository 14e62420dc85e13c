/*===- userfaultfd_of_program.c - A program that handles its own page faults -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// Pages that the program fills in as they are touched: an access that waits for
// one is between its mark and itself, and the page is carried until it is made.
// REQUIRES: userfaultfd
// RUN: %known_sets --ways O1 --checksum written \
// RUN:   --plain %support/reference_hash.c %s

#include "known_sets.h"
#include "reference_hash.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>

static char *a;
static int uffd;

static void *fill(void *arg) {
  static char page[4096];
  for (int i = 0; i < 8; ++i) {
    struct uffd_msg message;
    require(read(uffd, &message, sizeof message) == sizeof message);
    require(message.event == UFFD_EVENT_PAGEFAULT);
    memset(page, 'a' + i, sizeof page);
    struct uffdio_copy copy;
    memset(&copy, 0, sizeof copy);
    copy.dst = message.arg.pagefault.address & ~UINT64_C(4095);
    copy.src = (uintptr_t)page;
    copy.len = PAGE;
    require(ioctl(uffd, UFFDIO_COPY, &copy) == 0);
  }
  return arg;
}

int main(void) {
  a = arena(0, 16 * PAGE);
  uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
  require(uffd >= 0);
  struct uffdio_api api = {UFFD_API, 0, 0};
  require(ioctl(uffd, UFFDIO_API, &api) == 0);
  struct uffdio_register region;
  memset(&region, 0, sizeof region);
  region.range.start = (uintptr_t)a;
  region.range.len = 8 * PAGE;
  region.mode = UFFDIO_REGISTER_MODE_MISSING;
  require(ioctl(uffd, UFFDIO_REGISTER, &region) == 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, fill, NULL) == 0);
  for (int i = 0; i < 8; ++i) {
    a[i * PAGE] += 1;
    expect_both(a + i * PAGE, 1);
    require(a[i * PAGE + 1] == 'a' + i);
    expect_read(a + i * PAGE + 1, 1);
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + i * PAGE),
               (unsigned long long)reference_hash(a + i * PAGE, PAGE));
    if (i % 3 == 2)
      end_period();
  }
  require(pthread_join(thread, NULL) == 0);
  /* Emptied, and not touched since: hashing it raises no event that a
   * user-mode-only descriptor takes; the page cannot be read. */
  a[PAGE] = 1;
  expect_write(a + PAGE, 1);
  require(madvise(a + PAGE, PAGE, MADV_DONTNEED) == 0);
  truth_line("checksum %d %llu 0x%llx unreadable\n", (int)getpid(),
             (unsigned long long)known_period_,
             (unsigned long long)(uintptr_t)(a + PAGE));
  end_period();
  return 0;
}

/*===- goes_into_chroot.c - chroot into an empty place, then works on ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"
#include "reference_hash.h"

int main(void) {
  char place[] = "/tmp/pagetide-test-XXXXXX";
  require(mkdtemp(place) != NULL);
  char *a = arena(0, 8 * PAGE);
  a[0] = 1;
  expect_write(a, 1);
  /* States what the second period must hold first: the file of the truth
   * cannot be found afterwards. */
  expect_at(1, thread_id(), a + PAGE, 1, "w");
  char page[4096] = {2};
  for (int period = 0; period < 2; ++period) {
    char *p = period ? page : a;
    truth_line("checksum %d %d 0x%llx stable 0x%llx\n", (int)getpid(), period,
               (unsigned long long)(uintptr_t)(a + (size_t)period * PAGE),
               (unsigned long long)reference_hash(p, PAGE));
  }
  end_period();
  require(chroot(place) == 0 && chdir("/") == 0 && access("/proc", F_OK) != 0);
  a[PAGE] = 2;
  end_period();
  require(rmdir("/.") != 0); /* it is still there: removed from outside */
  return 0;
}

/*===- in_machine.c - Addresses beyond 47 bits; code left out --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include "known_sets.h"

int main(int argc, char **argv) {
  require(argc > 1);
  char *a = arena(0, 16 * PAGE);
  a[0] = 1;
  if (strcmp(argv[1], "leave-out") == 0) {
    require_status(pagetide_leave_out_begin(), PAGETIDE_OK);
    a[PAGE] = 1;
    require_status(pagetide_leave_out_end(), PAGETIDE_OK);
    require_equal(pagetide_query(a + PAGE, 1), 0);
    require_equal(pagetide_query(a, 1), PAGETIDE_WRITTEN);
    return 0;
  }
  void *far = (void *)(UINT64_C(1) << 50);
  char *p = (char *)mmap(far, PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p != MAP_FAILED && (uintptr_t)p >> 47 == 0);
  *p = 1;
  /* By itself the kernel would have gone there; the recorder says so. */
  p = (char *)syscall(SYS_mmap, far, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(p == far);
  usleep(200 * 1000); /* mappings are looked at every 100 ms */
  end_period();
  return 0;
}

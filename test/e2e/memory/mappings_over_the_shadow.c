/*===- mappings_over_the_shadow.c - A program that maps where the shadow is ===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// A call that would replace the shadow ends the program with a message before
// it has happened. A mapping that tests first is refused as at any used
// address.
// RUN: %build_c -O1 %s -o %t
// RUN: env PAGETIDE_OPTIONS=period=0 %t noreplace
// RUN: for how in fixed unmap move onto; do \
// RUN:   not env PAGETIDE_OPTIONS=period=0 %t $how 2>&1 | FileCheck %s || exit 1; done
// CHECK: ERROR: Pagetide: {{mmap|munmap|mremap}}(0x{{[0-9a-f]+, [0-9]+}}) would replace memory of Pagetide's shadow.
// CHECK-NOT: goes on
//
// Addresses beyond 47 bits: a hint is none, a fixed address is refused.
// RUN: env PAGETIDE_OPTIONS=period=0 %t beyond 2>&1 | FileCheck --check-prefix=BEYOND %s
// BEYOND: WARNING: Pagetide: mmap at the fixed address 0x800000000000 was refused with ENOMEM: no shadow covers addresses of more than 47 bits.
// BEYOND-NOT: WARNING
// BEYOND: goes on

#include "known_sets.h"

int main(int argc, char **argv) {
  require(argc > 1);
  const char *how = argv[1];
  const int rw = PROT_READ | PROT_WRITE, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  if (strcmp(how, "beyond") == 0) {
    void *far = (void *)(UINT64_C(1) << 47);
    void *p = mmap(far, PAGE, rw, anonymous, -1, 0);
    require(p != MAP_FAILED && (uintptr_t)p >> 47 == 0);
    *(volatile char *)p = 1;
    require(mmap(far, PAGE, rw, anonymous | MAP_FIXED, -1, 0) == MAP_FAILED &&
            errno == ENOMEM);
    require(mmap((char *)far - PAGE, 2 * PAGE, rw,
                 anonymous | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
            errno == ENOMEM);
    require(mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, far) ==
                MAP_FAILED &&
            errno == ENOMEM);
    *(volatile char *)p = 1;
    fprintf(stderr, "goes on\n");
    return 0;
  }
  char line[4096];
  uintptr_t start = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  require(maps != NULL);
  while (!start && fgets(line, sizeof line, maps))
    if (strstr(line, "pagetide-shadow"))
      start = (uintptr_t)strtoull(line, NULL, 16);
  fclose(maps);
  require(start != 0);
  void *in_it = (void *)(start + 16 * PAGE);
  void *own = mmap(NULL, 4 * PAGE, rw, anonymous, -1, 0);
  if (strcmp(how, "noreplace") == 0) {
    require(mmap(in_it, PAGE, rw, anonymous | MAP_FIXED_NOREPLACE, -1, 0) ==
                MAP_FAILED &&
            errno == EEXIST);
    /* A hint is not obeyed there. */
    require(mmap(in_it, PAGE, rw, anonymous, -1, 0) != in_it);
    return 0;
  }
  if (strcmp(how, "fixed") == 0)
    mmap(in_it, PAGE, rw, anonymous | MAP_FIXED, -1, 0);
  else if (strcmp(how, "unmap") == 0)
    munmap((void *)(start - PAGE), 2 * PAGE);
  else if (strcmp(how, "move") == 0)
    mremap(in_it, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
  else
    mremap(own, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, in_it);
  fprintf(stderr, "goes on\n");
  return 0;
}

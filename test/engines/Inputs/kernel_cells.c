/*===- kernel_cells.c - Writes every other page of an arena ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

/* kernel_cells.sh expects these numbers. */
enum { kPages = 700, kPage = 4096, kSeconds = 1 };
static void *const arena_address = (void *)0x200000000000;

int main(void) {
  volatile uint8_t *arena =
      mmap(arena_address, 2 * kPages * kPage, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (arena != arena_address ||
      madvise(arena_address, 2 * kPages * kPage, MADV_NOHUGEPAGE) != 0)
    return 3;
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < kPages; ++i)
      arena[2 * i * kPage + 64] += 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec <= kSeconds);
  return 0;
}

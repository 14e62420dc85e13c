/*===- huge_page_advice.c - Asks for huge pages at once -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kBytes = 8 << 20, kCollapse = 25 }; // MADV_COLLAPSE

static void ask(char *p, size_t bytes) {
  // The kernel may have no huge page just now.
  const int result = madvise(p, bytes, kCollapse);
  puts(result && errno == EINVAL ? "refused" : "taken as advice");
}

int main(void) {
  char *p = mmap(0, kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(p, 1, kBytes);
  usleep(20000); // somebody looks
  ask(p, kBytes);
  ask(p, 4096);
  return p[kBytes / 2] != 1;
}

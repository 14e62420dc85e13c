/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Says where its code, its heap, its stack and new memory are. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
  int on_stack = 0;
  void *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%p %p %p %p\n", (void *)main, malloc(1), (void *)&on_stack, mapped);
  return 0;
}

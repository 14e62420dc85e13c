/*===- sets_gs.c - Sets the GS base, and loads a library if one is named ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <asm/prctl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int arch_prctl(int, unsigned long);

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "bare") == 0)
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0x1234000ul);
  else if (arch_prctl(ARCH_SET_GS, 0x1234000) != 0)
    return 1;
  if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
    fprintf(stderr, "%s\n", dlerror());
  puts("runs");
  return 0;
}

/*===- opens.c - Loads a library, calls it and closes it -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*touch)(void) = library ? (int (*)(void))dlsym(library, "touch") : NULL;
  if (!touch || touch() || dlclose(library))
    return 1;
  puts("ok");
  return 0;
}

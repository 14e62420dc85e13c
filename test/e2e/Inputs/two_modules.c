/*===- two_modules.c - A host and a library, to be built differently -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <stdio.h>

#if defined(LIBRARY)
int answer(volatile int *p) { return *p += 1; }
#elif defined(DIRECT)
int answer(volatile int *p);
int main(void) {
  int value = 41;
  printf("%d\n", answer(&value));
  return 0;
}
#else
int main(int argc, char **argv) {
  int value = 41;
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*answer)(volatile int *);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&answer = dlsym(library, "answer");
  printf("%d\n", answer(&value));
  return 0;
}
#endif

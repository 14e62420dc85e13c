/*===- load.c - Loads a library, and says how that went ---------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void (*put)(char *);

static void *write_page(void *page) {
  put(page);
  return 0;
}

/* Has it write pages of its own, in a thread of the program too. */
int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!library)
    return 1;
  put = (void (*)(char *))dlsym(library, "plain_write");
  char *(*page)(int) = (char *(*)(int))dlsym(library, "plain_page");
  if (!put || !page)
    return 1;
  put(page(0));
  pthread_t thread;
  if (pthread_create(&thread, 0, write_page, page(1)) ||
      pthread_join(thread, 0))
    return 1;
  printf("%p\n", page(1));
  return 0;
}

/*===- other_namespace.c - Libraries in a namespace of their own ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// dlmopen and LD_AUDIT load a second libc, and with an instrumented library a
// second copy of the runtime. The program runs as it does natively. A recording
// says that it lacks that library, and holds what the host touches.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %pagetide_clang -O2 -DLIBRARY -shared -fPIC %s -o library.so
// RUN: %clang -std=gnu99 %s -ldl -o plain
// RUN: %pagetide_clang -std=gnu99 -O2 %s -ldl -o host
//
// Nobody records: natively, and without a word.
// RUN: ./plain ./library.so >out 2>&1 && FileCheck --check-prefix=QUIET %s <out
// RUN: ./host ./library.so >out 2>&1 && FileCheck --check-prefix=QUIET %s <out
// RUN: env LD_AUDIT=./library.so ./plain >out 2>&1
// RUN: FileCheck --check-prefix=ALONE %s <out
// QUIET-NOT: Pagetide
// QUIET: sum 4950
// QUIET-NOT: Pagetide
// ALONE-NOT: Pagetide
// ALONE: no library
// ALONE-NOT: Pagetide
//
// RUN: %pagetide record -o host.ptrace -- ./host ./library.so >out 2>&1
// RUN: FileCheck --check-prefix=SAID %s <out
// RUN: %pagetide report --json host.ptrace | grep -q '"integrity": *"complete"'
// RUN: %pagetide record -o plain.ptrace -- ./plain ./library.so >out 2>&1
// RUN: FileCheck --check-prefix=SAID %s <out
// SAID: WARNING: Pagetide: ./library.so was loaded into a namespace of its own (by dlmopen or LD_AUDIT). What it touches there is not recorded.
// SAID-NOT: WARNING: Pagetide: ./library.so
// SAID: sum 4950
// RUN: env LD_AUDIT=./library.so %pagetide record -o audited.ptrace -- ./host \
// RUN:   >out 2>&1
// RUN: FileCheck --check-prefix=AUDIT %s <out
// AUDIT: WARNING: Pagetide: ./library.so was loaded into a namespace of its own
// AUDIT: no library
//
// Nor can the library start a recording.
// RUN: ./host ./library.so start 2>&1 | FileCheck --check-prefix=START %s
// START: marks are off and cannot be switched on: what asks for it was loaded into a namespace of its own
// START: start: unsupported
//
// Marks that cannot be off have no shadow there.
// RUN: %pagetide_clang -O2 -DLIBRARY -fpagetide-mode=always -shared -fPIC %s \
// RUN:   -o always.so
// RUN: not ./plain ./always.so 2>&1 | FileCheck --check-prefix=ALWAYS %s
// ALWAYS: ERROR: Pagetide: ./always.so was loaded into a namespace of its own {{.*}} its marks cannot be off. Build it with -fpagetide-mode=on-demand

#ifdef LIBRARY

#include <pagetide/pagetide.h>
#include <stdlib.h>
#include <string.h>

unsigned la_version(unsigned version) { return version; }

int sum_of_pages(char *pages, int count) {
  char *copy = malloc((size_t)count * 4096);
  int sum = 0;
  for (int i = 0; i < count; ++i)
    pages[i * 4096] = (char)i;
  memcpy(copy, pages, (size_t)count * 4096);
  for (int i = 0; i < count; ++i)
    sum += copy[i * 4096];
  free(copy);
  return sum;
}

const char *try_to_record(void) {
  return pagetide_start(NULL) == PAGETIDE_UNSUPPORTED ? "unsupported" : "other";
}

#else

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char pages[100 * 4096];

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv) {
  if (argc == 1)
    return puts("no library") < 0;
  void *library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  int (*sum)(char *, int) = (int (*)(char *, int))dlsym(library, "sum_of_pages");
  const char *(*start)(void) =
      (const char *(*)(void))dlsym(library, "try_to_record");
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) ||
      pthread_join(thread, NULL))
    return 2;
  const pid_t child = fork();
  if (child == 0)
    _exit(sum(pages, 10) != 45);
  int status = 1;
  if (waitpid(child, &status, 0) != child || status)
    return 3;
  printf("sum %d\n", sum(pages, 100));
  fflush(stdout);
  if (argc > 2)
    printf("start: %s\n", start());
  return dlclose(library);
}

#endif

/*===- asked_functions.c - Functions that a program asks dlsym for ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Each way to libc's memset leads to marks, for whoever asks. What a program
// can see of the addresses is as it is natively.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %plain_c -DLIBRARY -shared -fPIC %s -o libplain.so -ldl
// RUN: %plain_c -DOWN -shared -fPIC %s -o libown.so -ldl
// RUN: %plain_c -O1 %s -Wl,--no-as-needed,-rpath,%t -L. -lplain -lown -ldl \
// RUN:   -o plain
// RUN: %pagetide_clang -O1 %s -Wl,--no-as-needed,-rpath,%t -L. -lplain -lown \
// RUN:   -ldl -o host
// RUN: ./plain >native && ./host >idle && diff native idle
// RUN: for way in 1 2 3 4 5 6 7 8 9; do \
// RUN:   %pagetide record -o $way.ptrace -- ./host $way >marked && \
// RUN:   diff native marked && %pagetide export -f csv $way.ptrace >sets && \
// RUN:   grep -q '0x200000000000,[01],1,' sets || { echo $way; exit 1; }; done

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef void *fill(void *to, int byte, size_t bytes);

#if defined(OWN)

#include <unistd.h>

/* Its getppid calls libc's: it must not be given what stands for its own. */
pid_t getppid(void) {
  pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "getppid");
  return next();
}
char *gcvt(double x, int digits, char *to) {
  char *(*next)(double, int, char *) =
      (char *(*)(double, int, char *))dlsym(RTLD_NEXT, "gcvt");
  return next(x, digits, to);
}

#elif defined(LIBRARY)

void *next_of_library(const char *name) { return dlsym(RTLD_NEXT, name); }
void *version_behind_library(const char *name) {
  return dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
}
void plain_fill(void *libc, void *to) {
  ((fill *)dlsym(libc, "memset"))(to, 1, 100);
}

#else

#include <stdio.h>
#include <sys/mman.h>

void *next_of_library(const char *name);
void *version_behind_library(const char *name);
void plain_fill(void *libc, void *to);

static void say(const char *what, int holds) {
  printf("%s: %s\n", what, holds ? "yes" : "no");
}

static void addresses(void *libc) {
  void *const usual = dlsym(RTLD_DEFAULT, "memset");
  say("libc's own is the usual one", dlsym(libc, "memset") == usual);
  say("the library's next one is", next_of_library("memset") == usual);
  say("there is a version", dlvsym(libc, "memset", "GLIBC_2.2.5") == usual);
  say("there is none", dlvsym(libc, "memset", "NO_SUCH") == NULL);
  say("why", dlerror() != NULL);
  say("nothing is found",
      !dlsym(libc, "no_such") && !next_of_library("no_such"));
  say("what writes nothing", dlsym(libc, "getpid") != NULL);
  Dl_info info;
  say("it has a name", dladdr(usual, &info) && info.dli_sname);
  say("and is of", strstr(info.dli_fname, "/libc.so.6") != NULL);
  char text[9], *(*print)(double, int, char *) =
                    (char *(*)(double, int, char *))dlsym(libc, "gcvt");
  puts(gcvt(1.5, 3, text));
  puts(print(2.5, 3, text));
  char bytes[] = "abcdef";
  typedef void *move(void *to, const void *from, size_t bytes);
  ((move *)dlvsym(libc, "memcpy", "GLIBC_2.2.5"))(bytes + 1, bytes, 4);
  puts(bytes);
}

int main(int argc, char **argv) {
  void *to = mmap((void *)0x200000000000, 1 << 20, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  void *const libc = dlopen("libc.so.6", RTLD_NOW);
  if (to == MAP_FAILED || !libc)
    return 1;
  void *const plain = dlopen("libplain.so", RTLD_NOW | RTLD_NOLOAD);
  fill *const ways[] = {
      (fill *)dlsym(libc, "memset"),
      (fill *)dlvsym(libc, "memset", "GLIBC_2.2.5"),
      (fill *)next_of_library("memset"),
      (fill *)version_behind_library("memset"),
      (fill *)dlsym(RTLD_DEFAULT, "memset"),
      (fill *)dlsym(RTLD_NEXT, "memset"),
      (fill *)dlsym(plain, "memset"), // in what it brings
      (fill *)dlvsym(RTLD_DEFAULT, "memset", "GLIBC_2.2.5"),
  };
  const size_t way = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  if (way > sizeof ways / sizeof *ways)
    plain_fill(libc, to);
  else if (way)
    ways[way - 1](to, 1, 100);
  addresses(libc);
  return 0;
}

#endif

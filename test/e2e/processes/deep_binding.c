/*===- deep_binding.c - Libraries whose calls go around the runtime --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A plain library that is loaded with RTLD_DEEPBIND, or into a namespace of its
// own, calls libc itself: nobody marks what libc does for it. A warning and the
// trace name it, once. An instrumented library is linked with the runtime, so
// nothing of it is lost.
// RUN: rm -rf %t && mkdir -p %t/lib && cd %t
// RUN: %plain_c -DLIBRARY -shared -fPIC %s -o lib/libplain.so
// RUN: %pagetide_clang -O1 -DLIBRARY -shared -fPIC %s -o lib/libmarked.so
// RUN: %pagetide_clang -std=gnu99 -O1 %s -Wl,-rpath,%t/lib -ldl -o host
// RUN: %plain_c -O1 %s -Wl,-rpath,%t/lib -o plain
//
// Nobody records: without a word. The loader searches for the host.
// RUN: ./plain deep libplain.so libplain.so >native
// RUN: ./host deep libplain.so libplain.so 2>&1 | diff native -
//
// RUN: %pagetide record -o deep.ptrace -- ./host deep lib/libplain.so \
// RUN:   lib/libplain.so libplain.so >out 2>err
// RUN: FileCheck --check-prefix=DEEP %s <err
// DEEP-NOT: WARNING
// DEEP: WARNING: Pagetide: lib/libplain.so is loaded with RTLD_DEEPBIND.
// DEEP-NOT: WARNING
// DEEP: WARNING: Pagetide: libplain.so is loaded with RTLD_DEEPBIND.
// DEEP-NOT: WARNING
// RUN: %pagetide report deep.ptrace | FileCheck --check-prefix=NOTE %s
// NOTE: lost (period 0): what libc's functions touch for lib/libplain.so
// RUN: %pagetide export --format csv deep.ptrace | not grep 0x200000001000
//
// RUN: %pagetide record -o space.ptrace -- ./host space lib/libplain.so 2>&1 \
// RUN:   | FileCheck --check-prefix=SPACE %s
// SPACE: WARNING: Pagetide: lib/libplain.so is loaded into a namespace of
//
// What a library brings, marked or not, finds libc as that library does.
// RUN: %plain_c -DLIBRARY -DOUTER -shared -fPIC %s lib/libplain.so \
// RUN:   -Wl,-rpath,%t -o lib/libouter_plain.so
// RUN: %plain_c -DLIBRARY -DOUTER -shared -fPIC %s lib/libmarked.so \
// RUN:   -Wl,-rpath,%t -o lib/libouter_marked.so
// RUN: %pagetide_clang -O1 -DLIBRARY -DOUTER -shared -fPIC %s \
// RUN:   lib/libplain.so -Wl,-rpath,%t -o lib/libmarked_outer.so
// RUN: for inner in plain marked; do \
// RUN:   %pagetide record -o brings.ptrace -- ./host deep \
// RUN:     lib/libouter_$inner.so 2>err && \
// RUN:   grep 'libouter_[a-z]*.so is loaded .*so do those of' err && \
// RUN:   %pagetide export --format csv brings.ptrace >sets && \
// RUN:   not grep 0x200000001000 sets || exit 1; done
// RUN: (%pagetide audit -- ./host deep lib/libplain.so 2>&1 || true) \
// RUN:   | FileCheck --check-prefix=AUDIT %s
// AUDIT: WARNING: Pagetide: lib/libplain.so is loaded with RTLD_DEEPBIND
//
// Nothing is lost, and nothing is said.
// RUN: for run in "deep lib/libmarked.so" "shallow lib/libplain.so" \
// RUN:   "shallow libmarked.so" "deep lib/libmarked_outer.so"; do \
// RUN:   %pagetide record -o seen.ptrace -- ./host $run 2>err && \
// RUN:   ! grep WARNING err && ! %pagetide report seen.ptrace | grep lost && \
// RUN:   %pagetide export --format csv seen.ptrace >sets && \
// RUN:   grep -c '0x20000000[0-2]000,[01],1,' sets | grep -x 3 || exit 1; done

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

#if defined(OUTER)

int fill_pages(char *pages);
int fill_all(char *pages) { return fill_pages(pages); }

#elif defined(LIBRARY)

/* Has libc write one page in each of three ways. */
int fill_pages(char *pages) {
  static char source[PAGE];
  volatile size_t bytes = sizeof source;
  memcpy(pages, source, bytes);
  int fd = open("/dev/zero", O_RDONLY);
  int got = (int)read(fd, pages + PAGE, bytes);
  close(fd);
  pthread_mutex_t *mutex = (pthread_mutex_t *)(void *)(pages + 2 * PAGE);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return got;
}

#else

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
  void *pages = mmap((void *)0x200000000000, 4 * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages == MAP_FAILED)
    return 1;
  const int deep = strcmp(argv[1], "deep") ? 0 : RTLD_DEEPBIND;
  for (int i = 2; i < argc; ++i) {
    void *library = strcmp(argv[1], "space")
                        ? dlopen(argv[i], RTLD_NOW | deep)
                        : dlmopen(LM_ID_NEWLM, argv[i], RTLD_NOW);
    if (!library) {
      puts(dlerror());
      return 2;
    }
    int (*fill)(char *) = (int (*)(char *))dlsym(library, "fill_all");
    if (!fill)
      fill = (int (*)(char *))dlsym(library, "fill_pages");
    printf("%d\n", fill(pages));
  }
  return 0;
}

#endif

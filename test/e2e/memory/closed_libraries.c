/*===- closed_libraries.c - Pages of libraries that were closed ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Pages of a library keep its name if it is closed in the period in which they
// are touched, also if it was opened in it, and if another one was opened and
// closed after it. A library whose destructor closes another one does not hang.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 -fPIC -shared -DLIBRARY %s -o liba.so
// RUN: cp liba.so libb.so && cp liba.so libc1.so && cp liba.so libd.so
// RUN: %build_c -O1 -fPIC -shared -DLIBRARY -DNESTED %s -o libe.so
// RUN: %build_c -O1 %s -o program && ./program %t trace
// RUN: %pagetide report --json trace | %python %e2e/Inputs/mapping_pages.py \
// RUN:   liba.so=8 libb.so=8 libc1.so=8 libd.so=8 libe.so=8 'no:[unknown]'

#ifdef LIBRARY

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* On pages of their own. */
__attribute__((aligned(4096))) volatile char with_values[3 * 4096] = {1};
__attribute__((aligned(4096))) volatile char zeros[5 * 4096];
void touch(void) {
  for (size_t i = 0; i < sizeof with_values; i += 4096)
    with_values[i] = 1;
  for (size_t i = 0; i < sizeof zeros; i += 4096)
    zeros[i] = 1;
}

#ifdef NESTED
static void *other;
__attribute__((constructor)) static void open_other(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s/libd.so", getenv("LIBRARIES"));
  other = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!other)
    abort();
  ((void (*)(void))dlsym(other, "touch"))();
}
__attribute__((destructor)) static void close_other(void) {
  if (dlclose(other))
    abort();
}
#endif

#else

#include "recording.h"

#include <dlfcn.h>

static const char *directory;
static char gone[4096]; /* of the last period: the names of removed mappings */

static void note_removed(const pagetide_period *period, void *user) {
  (void)user;
  gone[0] = 0;
  for (size_t i = 0; i < period->removed_count; ++i)
    if (!strstr(gone, period->removed[i].name))
      snprintf(gone + strlen(gone), sizeof gone - strlen(gone), "%s\n",
               period->removed[i].name);
}

static void *open_library(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  require(library != NULL);
  return library;
}

/* The first page of the library, which the loader maps nothing else over. */
static void *touch(void *library) {
  Dl_info info;
  void *function = dlsym(library, "touch");
  require(function != NULL && dladdr(function, &info));
  ((void (*)(void))function)();
  return info.dli_fbase;
}

static void end(void) {
  require_status(pagetide_period_end(), PAGETIDE_OK);
}

int main(int argc, char **argv) {
  require(argc == 3);
  directory = argv[1];
  require(setenv("LIBRARIES", directory, 1) == 0);
  pagetide_config config = driven_config();
  config.trace_path = argv[2];
  require_status(pagetide_on_period(note_removed, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  end();

  /* Both in one period. The second one cannot lie where the first one lay. */
  void *library = open_library("liba.so");
  void *first_page = touch(library);
  require(dlclose(library) == 0);
  /* Unless the runtime has mapped something there meanwhile. */
  require(mmap(first_page, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
                 MAP_FIXED_NOREPLACE, -1, 0) == first_page ||
          errno == EEXIST);
  library = open_library("libb.so");
  require(touch(library) != first_page);
  require(dlclose(library) == 0);
  usleep(130000); /* so that the period's end reads the list too */
  end();
  require(strstr(gone, "/liba.so\n") && strstr(gone, "/libb.so\n"));

  /* Opened in one period, closed in the next. */
  library = open_library("libc1.so");
  usleep(130000);
  end();
  touch(library);
  require(dlclose(library) == 0);
  usleep(130000);
  end();
  require(strstr(gone, "/libc1.so\n"));
  require(!strstr(gone, "/liba.so\n"));

  /* Opened by a constructor, closed by a destructor. */
  library = open_library("libe.so");
  touch(library);
  require(dlclose(library) == 0);
  usleep(130000);
  end();
  require(strstr(gone, "/libd.so\n") && strstr(gone, "/libe.so\n"));
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}

#endif

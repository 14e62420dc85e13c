/*===- memory_locked.c - mlockall, with the shadow kept out ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// mlockall locks the program's memory and not the tens of gigabytes of shadow,
// now and for threads to come; its sets are what they are without it.
// REQUIRES: other-users
// RUN: %known_sets --ways O1,O1/write %s
// RUN: %known_sets --ways O1 --arg onfault %s
//
// A user with a limit that the program itself keeps to. (The shadow does not
// count; natively the whole address space does.)
// RUN: rm -rf %t && mkdir %t && chmod 777 %t && cd %t && %build_c -O1 %s -o program
// RUN: PAGETIDE_TRUTH=%t/truth PAGETIDE_OPTIONS=trace_path=%t/trace:period=0 \
// RUN:   prlimit --memlock=8388608 setpriv --reuid 64321 --clear-groups \
// RUN:   ./program current
// RUN: PAGETIDE_TRUTH=%t/truth not prlimit --memlock=65536 setpriv --reuid 64321 \
// RUN:   --clear-groups ./program current 2>&1 | FileCheck %s
// CHECK: does not hold: mlockall({{.*}}) == 0 (errno: Cannot allocate memory)

#include "known_sets.h"

#include <pthread.h>

static char *a;

static void *run(void *arg) {
  a[8 * PAGE] = 1;
  expect_write(a + 8 * PAGE, 1);
  return arg;
}

static long status_kib(const char *name) {
  char line[256];
  long kib = -1;
  FILE *file = fopen("/proc/self/status", "r");
  require(file != NULL);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0)
      kib = atol(line + strlen(name) + 1);
  fclose(file);
  return kib;
}

/* mlockall does not mind pages that it cannot load, and mappings that come and
 * go while it works. */
static volatile int enough;
static void *map_and_unmap(void *arg) {
  while (!enough)
    munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
           PAGE);
  return arg;
}
static void lock_odd_mappings(void) {
  const int file = memfd_create("short", 0);
  require(ftruncate(file, 100) == 0);
  char *beyond =
      mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(beyond != MAP_FAILED && none != MAP_FAILED);
  pthread_t other;
  require(pthread_create(&other, NULL, map_and_unmap, NULL) == 0);
  for (int i = 0; i < 30; ++i)
    require(mlockall(MCL_CURRENT) == 0);
  enough = 1;
  require(pthread_join(other, NULL) == 0);
  /* Later mappings are not locked, also if a former call locked them. */
  require(mlockall(MCL_FUTURE) == 0 && mlockall(MCL_CURRENT) == 0);
  require(munmap(beyond, 4 * PAGE) == 0 && munmap(none, PAGE) == 0);
  require(close(file) == 0 && munlockall() == 0);
  require(status_kib("VmLck") == 0);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  const int future = strcmp(how, "current") ? MCL_FUTURE : 0;
  a = arena(0, 256 * PAGE);
  a[0] = 1;
  expect_write(a, 1);
  require(status_kib("VmLck") == 0);
  require(mlockall(64) == -1 && errno == EINVAL);
  require(mlockall(0) == -1 && errno == EINVAL);
  if (future) /* a thread's stack is more than the other user may lock */
    lock_odd_mappings();
  int flags = MCL_CURRENT | future;
  if (strcmp(how, "onfault") == 0)
    flags |= MCL_ONFAULT;
  require(mlockall(flags) == 0);
  long locked = status_kib("VmLck"), resident = status_kib("VmRSS");
  require(locked >= 1024 && locked < 200 * 1024);
  require(resident < 200 * 1024);
  /* The arena's pages are there, whether touched or not. */
  unsigned char there[256];
  require(mincore(a, 256 * PAGE, there) == 0);
  if (!(flags & MCL_ONFAULT))
    for (int i = 0; i < 256; ++i)
      require(there[i] & 1);
  end_period();

  pthread_t thread;
  require(pthread_create(&thread, NULL, run, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  char *later = arena(1, 64 * PAGE);
  later[PAGE] = 1;
  expect_write(later + PAGE, 1);
  require(status_kib("VmRSS") < 300 * 1024);
  end_period();
  require(munlockall() == 0);
  require(status_kib("VmLck") == 0);
  a[PAGE] = 1;
  expect_write(a + PAGE, 1);
  return 0;
}

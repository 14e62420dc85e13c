/*===- namespaces.c - Calls that the kernel allows to processes of one thread
 *------*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// A program of one thread may enter a user namespace. The recorder's threads are
// away meanwhile, and nothing is lost: no mark, no period, no descriptor.
// REQUIRES: user-namespaces, namespaces
// RUN: %known_sets --ways O1 --checksum written --arg user --arg hash %s \
// RUN:   --plain %support/reference_hash.c
// RUN: %known_sets --ways O1 --modes process --checksum written --unstable cut \
// RUN:   --option kernel_writes=1 --arg pid --arg hash %s \
// RUN:   --plain %support/reference_hash.c
// RUN: %known_sets --ways O1 --modes process --under-record --arg fs,vm %s \
// RUN:   --plain %support/reference_hash.c
//
// By number, as it is called where libc has no function; with a callback, whose
// thread is libc's; and as setns.
// RUN: %known_sets --ways O1 --modes process --arg raw %s \
// RUN:   --plain %support/reference_hash.c
// RUN: %known_sets --ways O1 --modes process --arg callback %s \
// RUN:   --plain %support/reference_hash.c
// RUN: %known_sets --ways O1 --modes process --arg setns %s \
// RUN:   --plain %support/reference_hash.c
//
// The clock goes on, in the same trace.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang_pagetide -std=gnu99 -O1 -I%include -I%support -c %s -o o.o
// RUN: %clang -I%support -c %support/reference_hash.c -o hash.o
// RUN: %clang o.o hash.o %link_pagetide -pthread -o program
// RUN: %pagetide record -p 1ms -o trace -- ./program timed 2>err
// RUN: %pagetide info trace | FileCheck --check-prefix=INFO %s
// INFO: complete{{.*}} ended by exit
// RUN: FileCheck --check-prefix=RECORD %s <err
// RECORD-NOT: WARNING
//
// The recorder's threads keep no directory: the program leaves the one that it
// was started in, and unmounts it.
// RUN: mkdir %t/mount && unshare --mount sh -ec 'mount -t tmpfs none mount; \
// RUN:   cd mount; PAGETIDE_OPTIONS=trace_path=%t/left exec ../program leave'
//
// If no thread can start afterwards, the program runs on, a message says what
// becomes of the recording, and `record` saves what there was.
// RUN: %pagetide record -p 0 -o lost -- ./program lost 2>err
// RUN: FileCheck --check-prefix=LOST %s <err
// LOST: WARNING: Pagetide: after the program's unshare the recorder's thread cannot start
// LOST: completed after the death
// RUN: %pagetide export --format csv lost | FileCheck --check-prefix=SAVED %s
// SAVED: 0x100000000000
// SAVED: 0x100000001000

#include "known_sets.h"
#include "reference_hash.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static char *a;
static int hashes;
static volatile int periods_seen;

static void put(size_t page) {
  a[page * PAGE] = (char)page;
  expect_write(a + page * PAGE, 1);
  if (hashes)
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + page * PAGE),
               (unsigned long long)reference_hash(a + page * PAGE, PAGE));
}

static void *put_page(void *page) {
  put((size_t)page);
  return NULL;
}

static void count_period(const pagetide_period *period, void *user) {
  (void)period, (void)user;
  ++periods_seen;
}

static int count_descriptors(void) {
  int count = 0;
  DIR *list = opendir("/proc/self/fd");
  require(list != NULL);
  while (readdir(list) != NULL)
    ++count;
  closedir(list);
  return count;
}

static int unshare_as(const char *how, int flags) {
  return strcmp(how, "raw") == 0 ? (int)syscall(SYS_unshare, flags)
                                 : unshare(flags);
}

/* A process in a user namespace of its own, until the descriptor is closed. */
static int other_namespace(int *hold) {
  int up[2], down[2];
  char byte, path[64];
  require(pipe(up) == 0 && pipe(down) == 0);
  int child = fork();
  if (child == 0) {
    known_sets_after_fork();
    close(down[1]);
    require(unshare(CLONE_NEWUSER) == 0);
    require(write(up[1], "", 1) == 1 && read(down[0], &byte, 1) == 0);
    _exit(0);
  }
  require(child > 0 && read(up[0], &byte, 1) == 1);
  snprintf(path, sizeof path, "/proc/%d/ns/user", child);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  require(file >= 0);
  *hold = down[1];
  return file;
}

static void *unshare_beside(void *result) {
  *(int *)result = unshare(CLONE_NEWUSER) == 0 ? 0 : errno;
  return NULL;
}

static void lose(void) {
  a[0] = 1;
  require(unshare(CLONE_NEWPID) == 0);
  require(unshare(CLONE_NEWUSER) == 0);
  a[PAGE] = 1;
}

static void run_timed(void) {
  for (int i = 0; i < 20; ++i) {
    require(unshare(i ? CLONE_VM : CLONE_NEWUSER | CLONE_NEWNS) == 0);
    for (int n = 0; n < 3; ++n)
      usleep(1000), a[i * PAGE] += 1;
  }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  a = arena(0, 64 * PAGE);
  if (strcmp(how, "timed") == 0)
    return run_timed(), 0;
  if (strcmp(how, "lost") == 0)
    return lose(), 0;
  if (strcmp(how, "leave") == 0) {
    char left[4096];
    require(getcwd(left, sizeof left) && chdir("/") == 0 && umount(left) == 0);
    return 0;
  }
  if (strcmp(how, "callback") == 0)
    require_status(pagetide_on_period(count_period, NULL), PAGETIDE_OK);
  hashes = argc > 2;
  put(0);
  end_period();

  /* Beside another thread it fails, as natively. */
  int failure;
  pthread_t thread;
  require(pthread_create(&thread, NULL, unshare_beside, &failure) == 0);
  require(pthread_join(thread, NULL) == 0 && failure == EINVAL);

  int hold = -1, namespace = -1;
  if (strcmp(how, "setns") == 0)
  namespace = other_namespace(&hold);
  const int pid = strcmp(how, "pid") == 0;
  const int flags = strcmp(how, "fs,vm") == 0 ? CLONE_FS | CLONE_VM
                    : pid                     ? CLONE_NEWUSER | CLONE_NEWPID
                                              : CLONE_NEWUSER;
  const int before = count_descriptors();
  put(1);
  errno = E2BIG;
  if (namespace >= 0)
    require(setns(namespace, CLONE_NEWUSER) == 0);
  else
    require(unshare_as(how, flags) == 0);
  require(errno == E2BIG);
  require(count_descriptors() == before);
  put(2);
  end_period();
  put(3);
  if (!pid) { /* else no thread can be made any more */
    require(pthread_create(&thread, NULL, put_page, (void *)4) == 0);
    require(pthread_join(thread, NULL) == 0);
  }
  if (strcmp(how, "raw") == 0)
    require(unshare_as(how, CLONE_THREAD) == 0); /* again */
  end_period();
  if (strcmp(how, "callback") == 0)
    require(periods_seen >= 3);
  int child = fork(), status;
  if (child == 0) {
    known_sets_after_fork();
    put(6);
    end_period();
    return 0;
  }
  require(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  put(7);
  if (hold >= 0)
    close(hold);
  return 0;
}

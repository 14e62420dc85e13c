/*===- seccomp_filter_of_program.c - Filters that the program installs while it runs ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// A sandboxed program: from some moment on it may make only the system calls that
// it says. Its own thread is filtered, the recorder's are not, unless it asks for
// all threads.
//
// A filter of the program's thread that ends it for anything the runtime might do
// in an interceptor on its own account: nothing of that is done.
// RUN: %known_sets --ways O1 --checksum written --arg own %s \
// RUN:   --plain %support/reference_hash.c
//
// The same installed by syscall(), as libseccomp does.
// RUN: %known_sets --ways O1 --modes process --checksum written --arg own %s \
// RUN:   --env PAGETIDE_TEST_BARE=1 --plain %support/reference_hash.c
//
// A filter of all threads that forbids what the recorder does for checksums.
// RUN: %known_sets --ways O1 --checksum written --arg all-errno %s \
// RUN:   --plain %support/reference_hash.c
//
// A filter of all threads that would end the recorder's, or the process: a message
// names filter and call, the recording ends in order, and the program runs on.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang_pagetide -std=gnu99 -O1 -I%include -I%support -c %s -o %t/o.o
// RUN: %clang -I%support -c %support/reference_hash.c -o %t/hash.o
// RUN: %clang o.o hash.o %link_pagetide -pthread -o program
// RUN: for how in kill kill-thread trap; do for call in lseek writev futex; do \
// RUN:   PAGETIDE_TRUTH=%t/truth %pagetide record -p 1ms -o $how-$call -- \
// RUN:     ./program all-$how $call 2>err || exit 1; \
// RUN:   FileCheck -DCALL=$call --check-prefix=ENDS %s <err || exit 1; \
// RUN:   not %pagetide info $how-$call | FileCheck --check-prefix=INFO %s || exit 1; \
// RUN:   %pagetide export --format csv $how-$call | \
// RUN:   FileCheck --check-prefix=SAVED %s || exit 1; done; done
// ENDS: WARNING: Pagetide: a system call filter (seccomp) that the program installs for all of its threads ends what calls [[CALL]], as recording does. The recording ends here.
// ENDS: status -2
// ENDS-NOT: completed after the death
// INFO: INCOMPLETE: the runtime could not go on (a system call filter (seccomp) that the program installs
// SAVED: 0x100000000000
// SAVED: 0x100000001000
// RUN: PAGETIDE_TRUTH=%t/truth not %pagetide record -p 0 --on-failure stop -o stop -- \
// RUN:   ./program all-trap lseek 2>&1 | FileCheck --check-prefix=STOP %s
// STOP: ERROR: Pagetide: a system call filter (seccomp) that the program installs
//
// A filter that was not tried, since an earlier one forbids it: the program runs
// on, a message says that recording has ended, and `record` saves what there was.
// RUN: PAGETIDE_TRUTH=%t/truth %pagetide record -p 0 -o trace -- \
// RUN:   ./program untried-kill lseek 2>err
// RUN: FileCheck --check-prefix=UNTRIED %s <err
// UNTRIED: WARNING: Pagetide: the recorder's thread has been ended from outside, as by a seccomp filter
// UNTRIED: status -2
// UNTRIED: completed after the death
// RUN: %pagetide export --format csv trace | FileCheck --check-prefix=SAVED %s
//
// The same for the writer's thread alone.
// RUN: PAGETIDE_TRUTH=%t/truth %pagetide record -p 0 -o writer -- \
// RUN:   ./program writer-kill 2>err
// RUN: FileCheck --check-prefix=WRITER %s <err
// WRITER: completed after the death
// RUN: %pagetide export --format csv writer | FileCheck --check-prefix=SAVED %s

#include "known_sets.h"
#include "reference_hash.h"

#include "../Inputs/filter.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

static char *a;

static void put(size_t page, int hash) {
  a[page * PAGE] = (char)page;
  expect_write(a + page * PAGE, 1);
  if (hash)
    truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
               (unsigned long long)known_period_,
               (unsigned long long)(uintptr_t)(a + page * PAGE),
               (unsigned long long)reference_hash(a + page * PAGE, PAGE));
}

static void *put_page(void *page) {
  put((size_t)page, 1);
  return NULL;
}

/* On stacks of our own: libc gives back parts of its own by madvise. */
static void start_threads(size_t first) {
  enum { THREADS = 5, STACK = 64 * 1024 };
  static char stacks[THREADS][STACK] __attribute__((aligned(4096)));
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t) {
    pthread_attr_t attributes;
    require(pthread_attr_init(&attributes) == 0);
    require(pthread_attr_setstack(&attributes, stacks[t], STACK) == 0);
    require(pthread_create(&threads[t], &attributes, put_page,
                           (void *)(first + t)) == 0);
  }
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
}

int main(int argc, char **argv) {
  require(argc > 1);
  const char *how = argv[1];
  a = arena(0, 64 * PAGE);
  put(0, 1);
  end_period();
  if (strcmp(how, "own") == 0) {
    int ends[2], pair[2];
    require(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    void *library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
    require(library != NULL);
    require(install_filter("kill",
                           "process_vm_readv,tgkill,mincore,madvise,pidfd_open,"
                           "prctl,memfd_create,lseek,userfaultfd,getrlimit,"
                           "mremap",
                           0));
    put(1, 1);
    end_period();
    /* Vectors, and messages, which the runtime looks into. */
    require(write(ends[1], "0123456789", 10) == 10);
    struct iovec pieces[2] = {{a + 4 * PAGE, 4}, {a + 6 * PAGE, 6}};
    require(readv(ends[0], pieces, 2) == 10);
    expect_write(a + 4 * PAGE, 4), expect_write(a + 6 * PAGE, 6);
    require(write(pair[1], "abc", 3) == 3);
    struct iovec piece = {a + 8 * PAGE, 16};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &piece, message.msg_iovlen = 1;
    require(recvmsg(pair[0], &message, 0) == 3);
    expect_write(a + 8 * PAGE, 3);
    for (size_t page = 4; page <= 8; page += 2)
      truth_line("checksum %d %llu 0x%llx stable 0x%llx\n", (int)getpid(),
                 (unsigned long long)known_period_,
                 (unsigned long long)(uintptr_t)(a + page * PAGE),
                 (unsigned long long)reference_hash(a + page * PAGE, PAGE));
    end_period();
    require(dlclose(library) == 0); /* the runtime reads no list of mappings */
    put(9, 1);
    start_threads(10);
    return 0;
  }
  if (strcmp(how, "all-errno") == 0) {
    require(install_filter("errno", "process_vm_readv,tgkill,madvise,pidfd_open",
                           SECCOMP_FILTER_FLAG_TSYNC));
    for (size_t page = 1; page < 20; ++page) {
      put(page, 1);
      if (page % 5 == 0)
        end_period();
    }
    return 0;
  }
  a[PAGE] = 1;
  /* The runtime tries no filter in a child that it may not wait for. */
  if (strncmp(how, "all-", 4) != 0)
    require(install_filter("kill", "wait4", 0));
  if (strcmp(how, "writer-kill") == 0) {
    require(install_filter("kill-thread", "writev", SECCOMP_FILTER_FLAG_TSYNC));
    for (int i = 0; i < 3; ++i)
      pagetide_period_end();
    return 0;
  }
  const char *action = strcmp(how, "untried-kill") == 0 ? "kill-thread" : how + 4;
  require(install_filter(action, argv[2], SECCOMP_FILTER_FLAG_TSYNC));
  for (int i = 0; i < 2; ++i) {
    int status = pagetide_period_end();
    require_status(status, PAGETIDE_NOT_RECORDING);
    fprintf(stderr, "status %d\n", status);
  }
  return 0;
}

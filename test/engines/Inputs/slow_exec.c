/*===- slow_exec.c - exec takes 300 ms, and may fail then ------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// usage: slow_exec FILE [exit|kill]
// A child has a lease on FILE, which it keeps 300 ms longer than it is asked to.
// The open of exec waits for that, while a thread writes the second page. If
// exec fails, the third page is written, and the program ends as it is told.

#define _GNU_SOURCE
#include "require.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile char *pages;

static void *write_on(void *argument) {
  for (;;) {
    ++pages[4096];
    usleep(1000);
  }
  return argument;
}

static void hold_lease(const char *file, int ready) {
  sigset_t set;
  int signal;
  sigemptyset(&set);
  sigaddset(&set, SIGIO);
  require(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  const int fd = open(file, O_RDONLY);
  require(fd >= 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0);
  require(write(ready, "", 1) == 1);
  require(sigwait(&set, &signal) == 0);
  usleep(300000);
  _exit(0);
}

int main(int argc, char **argv) {
  require(argc >= 2);
  pages = mmap((void *)0x100000000000, 3 * 4096, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  int ready[2];
  char byte;
  require(pages != MAP_FAILED && pipe2(ready, O_CLOEXEC) == 0);
  const pid_t child = fork();
  require(child >= 0);
  if (child == 0)
    hold_lease(argv[1], ready[1]);
  require(read(ready[0], &byte, 1) == 1);
  pthread_t thread;
  require(pthread_create(&thread, NULL, write_on, NULL) == 0);
  pages[0] = 1;
  char *arguments[] = {argv[1], NULL};
  execv(argv[1], arguments);
  require(errno == ENOEXEC && argc == 3);
  pages[8192] = 1;
  if (strcmp(argv[2], "kill") == 0)
    raise(SIGKILL);
  return 3;
}

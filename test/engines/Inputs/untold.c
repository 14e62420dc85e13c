/*===- untold.c - Killed before the watcher knows what it has made ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// usage: untold process|thread
// `record` watches from outside. While it is stopped, a child makes a process or a
// thread, and is killed. So no stop of the child tells of what it has made. A new
// process prints "lives". Exits with 7.

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define require(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "line %d: does not hold: %s: %s\n", __LINE__,            \
              #condition, strerror(errno));                                    \
      kill(watcher, SIGCONT);                                                  \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)

static pid_t watcher;

static pid_t tracer(void) {
  char line[256];
  int pid = 0;
  FILE *file = fopen("/proc/self/status", "r");
  require(file);
  while (fgets(line, sizeof(line), file))
    sscanf(line, "TracerPid: %d", &pid);
  fclose(file);
  return pid;
}

static void await_state(pid_t process, char wanted) {
  char path[64], text[256], state = 0;
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
  for (int i = 0; state != wanted; ++i) {
    require(i < 5000);
    usleep(1000);
    FILE *file = fopen(path, "r");
    require(file && fgets(text, sizeof(text), file));
    sscanf(strrchr(text, ')') + 1, " %c", &state);
    fclose(file);
  }
}

static int do_nothing(void *argument) { return argument != NULL; }

/* Waits without a system call: each could be a stop. */
static void make(const char *what, volatile int *turn) {
  *turn = 1;
  while (*turn != 2)
    ;
  static char stack[65536];
  if (strcmp(what, "thread") == 0)
    clone(do_nothing, stack + sizeof(stack),
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, 0);
  else if (fork() == 0)
    _exit(write(1, "lives\n", 6) != 6);
  _exit(98);
}

int main(int argc, char **argv) {
  watcher = tracer();
  volatile int *turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status;
  // Who is made is this process's child when its parent has been killed.
  require(argc == 2 && watcher > 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  const pid_t child = fork();
  if (child == 0)
    make(argv[1], turn);
  while (*turn != 1)
    ;
  require(kill(watcher, SIGSTOP) == 0);
  await_state(watcher, 'T');
  *turn = 2;
  await_state(child, 't');
  usleep(50000); // the new one stops too
  require(kill(child, SIGKILL) == 0);
  usleep(50000);
  require(kill(watcher, SIGCONT) == 0);
  require(waitpid(child, &status, 0) == child);
  require(WTERMSIG(status) == SIGKILL);
  while (wait(&status) > 0)
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 7;
}

/*===- outside_life.c - A program that notices if it is disturbed ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// usage: outside_life SECONDS THREADS
// Threads compute, sleep, wait for events, start threads and processes. Signals
// come. At the end all sums are right, no call has failed with EINTR in a
// thread that blocks signals, and no descriptor has been left. Prints "ok" and
// exits with 7.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define require(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("line %d: does not hold: %s: %s\n", __LINE__, #condition,         \
             strerror(errno));                                                 \
      fflush(stdout);                                                          \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)

static atomic_bool ends;
static atomic_long ticks;
static void tick(int signal) {
  (void)signal;
  ++ticks;
}

static void *compute(void *argument) {
  char *memory = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED);
  unsigned long rounds = 0;
  double real = 1.0;
  while (!ends) {
    ++memory[rounds++ % 64 * 4096];
    real = real * 1.5 - 0.5; // 1.0, in a register of the vector unit
    if (rounds % 64 == 0)
      usleep(5000);
  }
  unsigned char sum = 0;
  for (int i = 0; i < 64; ++i)
    sum = (unsigned char)(sum + memory[i * 4096]);
  require(sum == (unsigned char)rounds && real == 1.0);
  return argument;
}

static void *wait_for_events(void *argument) {
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  struct timespec begin, end;
  // Of a traced process the kernel keeps it, and wakes a thread that may take
  // it. If another takes it first, no stop tells of the thread.
  sigset_t child_set;
  sigemptyset(&child_set);
  sigaddset(&child_set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child_set, NULL);
  require(epoll >= 0);
  while (!ends) {
    require(epoll_wait(epoll, &event, 1, 10) == 0);
    require(poll(NULL, 0, 5) == 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const struct timespec nap = {0, 5000000};
    require(nanosleep(&nap, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    require((end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec -
                begin.tv_nsec >=
            5000000);
  }
  close(epoll);
  return argument;
}

static void *start_others(void *argument) {
  while (!ends) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, (void *(*)(void *))abs, 0) == 0);
    require(pthread_join(thread, NULL) == 0);
    const pid_t child = fork();
    if (child == 0) {
      char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      *page = 5;
      if (rand() % 4 == 0)
        execl("/bin/true", "true", (char *)NULL);
      _exit(*page);
    }
    int status;
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) &&
            (WEXITSTATUS(status) == 5 || WEXITSTATUS(status) == 0));
    usleep(5000);
  }
  return argument;
}

static int descriptors(void) {
  DIR *directory = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  require(argc == 3);
  const int seconds = atoi(argv[1]), threads = atoi(argv[2]);
  static pthread_t started[1000];
  sigset_t alarm_set;
  require(threads <= 1000);
  signal(SIGALRM, tick);
  sigemptyset(&alarm_set);
  sigaddset(&alarm_set, SIGALRM);
  const int before = descriptors();
  const int huge = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
  pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
  void *(*const work[])(void *) = {start_others, compute, wait_for_events};
  for (int i = 0; i < threads; ++i)
    require(pthread_create(&started[i], NULL, work[i == 0 ? 0 : 1 + i % 2],
                           NULL) == 0);
  pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
  const struct itimerval every = {{0, 3000}, {0, 3000}};
  require(setitimer(ITIMER_REAL, &every, NULL) == 0);
  puts("ready");
  fflush(stdout);
  // Not of whole seconds of the day, of which the first may be nearly over.
  const double end = now() + seconds;
  // The threads that wait ignore this signal. Untraced, it wakes none of them.
  for (int i = 1; now() < end || ticks < 3; ++i) {
    usleep(1000);
    if (i % 8 == 0 && i / 8 % threads)
      require(pthread_kill(started[i / 8 % threads], SIGWINCH) == 0);
  }
  ends = 1;
  for (int i = 0; i < threads; ++i)
    require(pthread_join(started[i], NULL) == 0);
  const struct itimerval never = {{0, 0}, {0, 0}};
  require(setitimer(ITIMER_REAL, &never, NULL) == 0);
  require(descriptors() == before);
  require(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == huge);
  puts("ok");
  return 7;
}

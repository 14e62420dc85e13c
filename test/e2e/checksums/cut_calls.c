/*===- cut_calls.c - Cuts change nothing that a program sees ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t

// No call that waits ends with EINTR, and none is lost.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t waits

// A process under a cut forks, starts others and waits for them.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t forks

// Signals arrive, once each.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t signals

// Threads come and go.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t threads

// A child of vfork has this memory: no cut while it runs.
// RUN: PAGETIDE_OPTIONS=cut_stop=10ms %t vfork

// The system forbids ptrace: no cut, and the reason.
// RUN: PAGETIDE_OPTIONS=cut_stop=2s %t forbidden

// A stop that takes too long ends, and the program runs on.
// RUN: PAGETIDE_OPTIONS=cut_stop=1us %t too-long

#include "cut_oracle.h"

#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;

static const char *test;
static char last_reason[256];
static int said_stop_failed;
static _Atomic int rounds;

static void check(const pagetide_period *period, void *unused) {
  (void)unused;
  learn(period);
  if (period->no_cut)
    said_stop_failed |=
        strstr(period->no_cut, "cut_stop") || strstr(period->no_cut, "stopped");
  if (period->no_cut)
    snprintf(last_reason, sizeof last_reason, "%s", period->no_cut);
}

/* A thread that ends loses the signals that it has not received. */
static _Atomic int sender_runs;

static void *writes(void *unused) {
  for (int n = 1; !oracle_ends || sender_runs; ++n)
    for (int i = 0; i < 300; ++i)
      put_number(i, n);
  return unused;
}

/* Waits of a few microseconds, so that many begin while threads are stopped. */
static void *waits_for_events(void *unused) {
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  sigset_t none;
  sigemptyset(&none);
  sigaddset(&none, SIGUSR2);
  int pair[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const struct timeval soon = {0, 1000};
  require(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon) ==
          0);
  while (!oracle_ends) {
    const struct timespec moment = {0, 20000};
    char byte;
    require(epoll_wait(epoll, &event, 1, 1) == 0);
    require(epoll_wait(epoll, &event, 1, 0) == 0);
    require(sigtimedwait(&none, NULL, &moment) == -1 && errno == EAGAIN);
    require(nanosleep(&moment, NULL) == 0);
    require(recv(pair[0], &byte, 1, 0) == -1 && errno == EAGAIN);
    ++rounds;
  }
  return unused;
}

static void *forks(void *unused) {
  while (!oracle_ends) {
    char *arguments[] = {(char *)"true", NULL};
    int status;
    pid_t pid = fork();
    if (pid == 0)
      _exit(7);
    require(pid > 0 && waitpid(pid, &status, 0) == pid);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    require(posix_spawnp(&pid, "true", NULL, NULL, arguments, environ) == 0);
    require(waitpid(-1, &status, 0) == pid && status == 0);
    require(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
    ++rounds;
  }
  return unused;
}

static _Atomic int sent, arrived;
static void arrives(int number) {
  (void)number;
  ++arrived;
}
static void *sends(void *target) {
  while (!oracle_ends) {
    const union sigval value = {0};
    if (pthread_sigqueue(*(pthread_t *)target, SIGRTMIN, value) == 0)
      ++sent;
    spin(50);
  }
  usleep(10000); /* the last one is on its way */
  sender_runs = 0;
  return NULL;
}

static void *ends(void *arg) {
  put_number(400 + (int)(intptr_t)arg, 1);
  return arg;
}
static void *makes_threads(void *unused) {
  pthread_t threads[8];
  while (!oracle_ends) {
    for (int i = 0; i < 8; ++i)
      require(pthread_create(&threads[i], NULL, ends, (void *)(intptr_t)i) ==
              0);
    for (int i = 0; i < 8; ++i)
      pthread_join(threads[i], NULL);
    ++rounds;
  }
  return unused;
}

static void *vforks(void *unused) {
  while (!oracle_ends) {
    const pid_t pid = vfork();
    if (pid == 0) {
      const struct timespec long_time = {0, 100 * 1000 * 1000};
      nanosleep(&long_time, NULL);
      _exit(0);
    }
    require(waitpid(pid, NULL, 0) == pid);
    ++rounds;
  }
  return unused;
}

/* Returns how many periods ended in a cut while the threads ran. */
static int drive(int periods) {
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = PAGETIDE_UNSTABLE_CUT;
  require_status(pagetide_on_period(check, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (int i = 0; i < periods; ++i)
    require_status(pagetide_period_end(), PAGETIDE_OK);
  const int cuts_of_running = cuts;
  oracle_ends = 1;
  require_status(pagetide_stop(), PAGETIDE_OK);
  printf("%d cuts, %d without (%s), %d rounds\n", cuts, no_cuts, last_reason,
         rounds);
  return cuts_of_running;
}

int main(int argc, char **argv) {
  require(argc == 2);
  test = argv[1];
  make_oracle();
  pthread_t writer, other, sender;
  require(pthread_create(&writer, NULL, writes, NULL) == 0);
  void *(*run)(void *) = !strcmp(test, "waits")     ? waits_for_events
                         : !strcmp(test, "forks")   ? forks
                         : !strcmp(test, "threads") ? makes_threads
                         : !strcmp(test, "vfork")   ? vforks
                                                    : NULL;
  signal(SIGRTMIN, arrives);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (run)
    require(pthread_create(&other, NULL, run, NULL) == 0);
  if (!strcmp(test, "signals")) {
    sender_runs = 1;
    require(pthread_create(&sender, NULL, sends, &writer) == 0);
  }
  if (!strcmp(test, "forbidden")) {
    require(prctl(PR_SET_DUMPABLE, 0) == 0);
    /* A superuser may trace what is not dumpable. */
    const int made = drive(20);
    require(made == 0 || geteuid() == 0);
    require(made > 0 || strstr(last_reason, "ptrace"));
  } else if (!strcmp(test, "too-long")) {
    /* The helper may be too late to end a stop, and then it is a cut. */
    require(drive(50) < 50);
    require(said_stop_failed);
  } else if (!strcmp(test, "vfork")) {
    drive(40);
    require(no_cuts > 0);
    require(said_stop_failed);
  } else {
    record_cuts(check, 3 * 1000 * 1000, strcmp(test, "forks") ? 200 : 30);
    require(run == NULL || rounds > 0);
  }
  if (run)
    pthread_join(other, NULL);
  if (!strcmp(test, "signals"))
    pthread_join(sender, NULL);
  pthread_join(writer, NULL);
  if (!strcmp(test, "signals")) {
    require(sent > 0);
    require_equal(arrived, sent);
  }
  return 0;
}

/*===- checksums_calls.c - Memory that a call under way may write ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// While a call waits, by libc's function or by its number, what it may write is
// not stable. When it has ended it is. It is at the instant of a cut throughout
// which the thread sleeps, if only the thread writes what the call gives.
// RUN: %build_c -O1 %s -o %t && PAGETIDE_OPTIONS=cut_stop=2s %t

#include "recording.h"

#include <dlfcn.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static const struct call {
  const char *name; ///< null: only by its number
  long number;      ///< kNone: only by its name
  long a[6];
  int page;  ///< that it may write
  int awake; ///< only its thread writes that, and not while it sleeps
} *current;
enum { kNone = -1 };
static int by_number, cuts;
static _Atomic int waiter, ended;

static void interrupt(int number) { (void)number; }
static void *wait_in_call(void *unused) {
  long (*const named)(long, ...) =
      by_number ? NULL
                : (long (*)(long, ...))dlsym(RTLD_DEFAULT, current->name);
  const long *const a = current->a;
  require(by_number || named);
  waiter = thread_id();
  if (by_number)
    syscall(current->number, a[0], a[1], a[2], a[3], a[4], a[5]);
  else
    named(a[0], a[1], a[2], a[3], a[4], a[5]);
  ended = 1;
  return unused;
}

HIDDEN static void fill(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = ((const volatile char *)from)[i];
}

static int state_after_write(char *byte) {
  *(volatile char *)byte = 1;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  const pagetide_page *page =
      page_of((char *)((uintptr_t)byte & -(uintptr_t)PAGE));
  require(page != NULL);
  return page->state;
}

static int failures;
static void check(const struct call *call, char *buffer) {
  pthread_t thread;
  current = call, waiter = 0, ended = 0;
  require(pthread_create(&thread, NULL, wait_in_call, NULL) == 0);
  while (!waiter) {
  }
  wait_until_blocked(waiter);
  const int meanwhile = state_after_write(buffer + 2000);
  while (!ended) {
    pthread_kill(thread, SIGUSR1);
    pthread_kill(thread, SIGUSR2); // sigwait goes on after others
    usleep(1000);
  }
  pthread_join(thread, NULL);
  pagetide_period_end();
  const int later = state_after_write(buffer + 2000);
  if (meanwhile == (cuts ? PAGETIDE_STATE_STABLE : PAGETIDE_STATE_UNSTABLE) &&
      later == PAGETIDE_STATE_STABLE)
    return;
  printf("%s%s%s: state %d, and %d later\n", call->name,
         by_number ? " by its number" : "", cuts ? " in a cut" : "", meanwhile,
         later);
  ++failures;
}

int main(void) {
  char *const p = arena(0, 16 * PAGE);
  const long b = (long)p;
  int ends[2], pair[2];
  require(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr_un any = {.sun_family = AF_UNIX};
  require(bind(listener, (const struct sockaddr *)&any, sizeof(short)) == 0 &&
          listen(listener, 1) == 0);
  const int epoll = epoll_create1(0), queue = msgget(IPC_PRIVATE, 0600);
  struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 64};
  char queue_name[32];
  snprintf(queue_name, sizeof queue_name, "/pagetide-%d", (int)getpid());
  const mqd_t messages = mq_open(queue_name, O_RDWR | O_CREAT, 0600, &small);
  mq_unlink(queue_name);
  aio_context_t operations = 0;
  require(syscall(SYS_io_setup, 1, &operations) == 0);
  static struct iovec pieces[2];
  pieces[0] = (struct iovec){p, 10}, pieces[1] = (struct iovec){p + 50, 10};
  static struct mmsghdr header;
  header.msg_hdr.msg_iov = pieces, header.msg_hdr.msg_iovlen = 2;
  static socklen_t room = 100;

  struct pollfd entry = {ends[0], POLLIN, 0};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  fill(p + PAGE, &entry, sizeof entry), fill(p + 2 * PAGE, &set, sizeof set);
  const long polled = b + PAGE, selected = b + 2 * PAGE;
  const struct timespec long_time = {100, 0};
  const long time = b + 3 * PAGE, elsewhere = b + 4 * PAGE;
  fill(p + 3 * PAGE, &long_time, sizeof long_time);
  sigset_t awaited;
  sigemptyset(&awaited), sigaddset(&awaited, SIGUSR2);
  const long child = fork(), set_address = (long)&awaited;
  if (!child)
    for (;;)
      pause();

  const struct call calls[] = {
      {"read", SYS_read, {ends[0], b, 100}},
      {"readv", SYS_readv, {ends[0], (long)pieces, 2}},
      {"preadv2", SYS_preadv2, {ends[0], (long)pieces, 2, -1}},
      {"vmsplice", SYS_vmsplice, {ends[0], (long)pieces, 2}},
      {"recvfrom", SYS_recvfrom, {pair[0], b, 100}},
      {"recvmsg", SYS_recvmsg, {pair[0], (long)&header}},
      {"recvmmsg", SYS_recvmmsg, {pair[0], (long)&header, 1}},
      {"accept", SYS_accept, {listener, b, (long)&room}},
      {"accept4", SYS_accept4, {listener, b, (long)&room}},
      {"epoll_wait", SYS_epoll_wait, {epoll, b, 4, -1}},
      {"epoll_pwait", SYS_epoll_pwait, {epoll, b, 4, -1, 0, 8}},
      {"epoll_pwait2", SYS_epoll_pwait2, {epoll, b, 4, 0, 0, 8}},
      {"poll", SYS_poll, {polled, 1, -1}, 1},
      {"ppoll", SYS_ppoll, {polled, 1, 0, 0, 8}, 1},
      {"select", SYS_select, {ends[0] + 1, selected}, 2},
      {"pselect", SYS_pselect6, {ends[0] + 1, selected}, 2},
      {"msgrcv", SYS_msgrcv, {queue, b, 92}},
      {"mq_timedreceive", SYS_mq_timedreceive, {messages, b, 64}},
      // Results beside the buffer.
      {"recvfrom", SYS_recvfrom, {pair[0], elsewhere, 100, 0, b, (long)&room}},
      {"mq_timedreceive", SYS_mq_timedreceive, {messages, elsewhere, 64, b}},
      {"select", SYS_select, {0, 0, 0, 0, time}, 3},
      {NULL, SYS_pselect6, {0, 0, 0, 0, time}, 3},
      {NULL, SYS_ppoll, {elsewhere, 0, time, 0, 8}, 3},
      // Times that are left, signals, and what is said of children.
      {"nanosleep", SYS_nanosleep, {time, b}, 0, 1},
      {"clock_nanosleep", SYS_clock_nanosleep, {0, 0, time, b}, 0, 1},
      {"sigwait", kNone, {set_address, b}, 0, 1},
      {"sigwaitinfo", kNone, {set_address, b}, 0, 1},
      {"sigtimedwait", SYS_rt_sigtimedwait, {set_address, b, time, 8}, 0, 1},
      {"wait", kNone, {b}, 0, 1},
      {"waitpid", kNone, {child, b}, 0, 1},
      {"wait3", kNone, {b}, 0, 1},
      {"wait3", kNone, {0, 0, b}, 0, 1},
      {"wait4", SYS_wait4, {child, b}, 0, 1},
      {"wait4", SYS_wait4, {child, 0, 0, b}, 0, 1},
      {"waitid", SYS_waitid, {P_PID, child, b, WEXITED}, 0, 1},
      {NULL, SYS_waitid, {P_PID, child, elsewhere, WEXITED, b}, 0, 1},
      {NULL, SYS_io_getevents, {(long)operations, 1, 1, b}},
      {NULL, SYS_io_pgetevents, {(long)operations, 1, 1, b}},
  };
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  for (cuts = 0; cuts < 2; ++cuts) {
    config.unstable = cuts ? PAGETIDE_UNSTABLE_CUT : PAGETIDE_UNSTABLE_FLAG;
    require_status(pagetide_start(&config), PAGETIDE_OK);
    for (by_number = 0; by_number < 2; ++by_number)
      for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if ((calls[i].awake || !cuts) &&
            (by_number ? calls[i].number != kNone : calls[i].name != NULL))
          check(&calls[i], p + calls[i].page * PAGE);
    require_status(pagetide_stop(), PAGETIDE_OK);
  }
  msgctl(queue, IPC_RMID, NULL);
  kill((pid_t)child, SIGKILL);
  require_equal(failures, 0);
  return 0;
}

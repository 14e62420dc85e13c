/*===- signals_in_calls.c - Handlers that interrupt an intercepted call ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// read() that a signal interrupts: with SA_RESTART, without, and left by
// siglongjmp, from either stack, nested. What was read is in the set, and what
// was not read is not. A buffer counts as under way exactly while a call may
// write it.
// RUN: %build_c -O1 %s -o %t
// RUN: PAGETIDE_OPTIONS=settle_wait=2s %t

#include "recording.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>

static char *a;
static int main_thread, pipe_ends[2], zero;
static int in_handler, handled, done;
static sigjmp_buf out, inner_out;
static enum { STAY, LEAVE, NEST, LEAVE_INNER, LEAVE_BOTH } mode;

static void set(int *word) { __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST); }
static int get(int *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

/* Whether the main thread sleeps in read(). */
static int reads(void) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", main_thread);
  FILE *file = fopen(path, "r");
  require(file != NULL);
  int is = fgets(text, sizeof text, file) != NULL &&
           strncmp(text, "0 ", 2) == 0;
  fclose(file);
  return is;
}

static void interrupt_reading(int signal) {
  int before = get(&in_handler);
  while (!reads())
    sched_yield();
  require(syscall(SYS_tgkill, getpid(), main_thread, signal) == 0);
  while (get(&in_handler) == before)
    sched_yield();
}

/* The second handler, over the first one's read. */
static void inner(int signal) {
  (void)signal;
  set(&in_handler);
  if (mode == LEAVE_INNER)
    siglongjmp(inner_out, 1);
  if (mode == LEAVE_BOTH)
    siglongjmp(out, 1);
}

static void handler(int signal) {
  (void)signal;
  write_byte(a + PAGE);
  require(read(zero, a + 2 * PAGE, 10) == 10);
  set(&in_handler);
  if (mode == LEAVE)
    siglongjmp(out, 1);
  if (mode >= NEST) {
    if (sigsetjmp(inner_out, 1) == 0)
      (void)!read(pipe_ends[0], a + 4 * PAGE, 10);
    set(&handled);
    while (!get(&done))
      sched_yield();
    done = 0;
  }
}

static void handle(int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  require(sigaction(SIGUSR1, &action, NULL) == 0);
  action.sa_handler = inner;
  require(sigaction(SIGUSR2, &action, NULL) == 0);
}

static int state_of(char *page) {
  const pagetide_page *p = page_of(page);
  return p ? (int)p->state : -1;
}

/* From the thread that interrupts. */
static void *interrupts(void *unused) {
  interrupt_reading(SIGUSR1);
  switch (mode) {
  case STAY:
    require(write(pipe_ends[1], "x", 1) == 1);
    break;
  case LEAVE:
    break;
  default:
    if (mode != NEST)
      interrupt_reading(SIGUSR2);
    else
      require(write(pipe_ends[1], "y", 1) == 1);
    if (mode == LEAVE_BOTH)
      break;
    while (!get(&handled))
      sched_yield();
    handled = 0;
    /* The outer read is under way, the inner one is not. */
    write_byte(a);
    write_byte(a + 4 * PAGE);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(state_of(a), PAGETIDE_STATE_UNSTABLE);
    require_equal(state_of(a + 4 * PAGE), PAGETIDE_STATE_STABLE);
    set(&done);
    require(write(pipe_ends[1], "x", 1) == 1);
  }
  return unused;
}

/* Reads into the first page, interrupted. */
static ssize_t read_interrupted(int how) {
  volatile ssize_t result = -2;
  pthread_t thread;
  mode = how;
  require(pthread_create(&thread, NULL, interrupts, NULL) == 0);
  if (sigsetjmp(out, 1) == 0)
    result = read(pipe_ends[0], a, 10);
  if (result == -1)
    require(errno == EINTR);
  require(pthread_join(thread, NULL) == 0);
  return result;
}

static void drain(void) {
  char byte;
  require(read(pipe_ends[0], &byte, 1) == 1);
}

/* Nothing is under way any more: what is written now is stable. */
static void nothing_is_under_way(void) {
  for (int page = 0; page < 8; ++page)
    write_byte(a + page * PAGE);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  for (int page = 0; page < 8; ++page)
    require_equal(state_of(a + page * PAGE), PAGETIDE_STATE_STABLE);
}

static void check(int flags) {
  handle(flags);
  require_equal(read_interrupted(STAY), -1);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(flags_of(0, a), 0);
  require_equal(flags_of(0, a + PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + 2 * PAGE), PAGETIDE_WRITTEN);
  drain();
  nothing_is_under_way();

  handle(flags | SA_RESTART);
  require_equal(read_interrupted(STAY), 1);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(flags_of(0, a), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + PAGE), PAGETIDE_WRITTEN);
  require_equal(flags_of(0, a + 2 * PAGE), PAGETIDE_WRITTEN);
  nothing_is_under_way();

  for (int round = 0; round < 3; ++round) {
    require_equal(read_interrupted(LEAVE), -2);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(flags_of(0, a), 0);
    nothing_is_under_way();
  }
  require_equal(read_interrupted(NEST), 1);
  nothing_is_under_way();
  require_equal(read_interrupted(LEAVE_INNER), 1);
  nothing_is_under_way();
  require_equal(read_interrupted(LEAVE_BOTH), -2);
  nothing_is_under_way();
}

int main(void) {
  a = arena(0, 16 * PAGE);
  main_thread = thread_id();
  zero = open("/dev/zero", O_RDONLY);
  require(zero >= 0 && pipe(pipe_ends) == 0);
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_size = 256 * KIB;
  stack.ss_sp = malloc(stack.ss_size);
  require(sigaltstack(&stack, NULL) == 0);
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  check(0);
  check(SA_ONSTACK);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}

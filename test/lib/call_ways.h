/*===- call_ways.h - Calls that must not end or replace the program
 *---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * call_table.h includes this file. A row is called here, or in a thread or a
 * child of its own, and the program goes on whatever the call has done.
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>

/* Where the next rows are called. A child of vfork has the program's memory. */
static enum { HERE, IN_THREAD, IN_CHILD, IN_VFORK_CHILD } way;

/* How a call has ended if it has not returned: by a signal's number, or so.
 * The status of a process is added to the third. */
enum {
  WENT_ELSEWHERE = 100,
  ENDED_THREAD,
  ENDED_PROCESS = 256,
  KILLED_BY = 128
};
HIDDEN static int is_death(int ended) {
  return ended && ended < WENT_ELSEWHERE;
}

struct call {
  char kind;
  void *function;
  const struct argument *a;
  int count, which;
  enum bad bad;
};
struct call_end {
  int ended, error;
  long result;
};

HIDDEN static void call_here(const struct call *c, struct call_end *end) {
  const int ended = sigsetjmp(back, 1);
  calling = !ended;
  if (ended) {
    end->ended = ended;
    return;
  }
  const pid_t caller = getpid();
  int error = 0;
  end->result =
      invoke(c->kind, c->function, c->a, c->count, c->which, c->bad, &error);
  if (getpid() != caller)
    _exit(0); /* the call has made this process */
  calling = 0;
  end->error = error;
  end->ended = 0;
}

/* The thread's stack is below the one that jumps lead to: libc refuses to jump
 * downwards. */
static _Alignas(64) char stacks[2][1 << 18];

struct thread_call {
  const struct call *call;
  struct call_end *end;
};
static void *call_in_thread(void *argument) {
  const struct thread_call *const c = argument;
  call_here(c->call, c->end);
  return NULL;
}

HIDDEN static void make_call_in_thread(const struct call *c,
                                       struct call_end *end) {
  struct thread_call both = {c, end};
  pthread_attr_t attributes;
  pthread_t thread;
  end->ended = ENDED_THREAD;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stacks[0], sizeof stacks[0]) ||
      pthread_create(&thread, &attributes, call_in_thread, &both) ||
      pthread_join(thread, NULL))
    abort();
}

HIDDEN static void make_call_in_child(const struct call *c,
                                      struct call_end *end) {
  static struct call_end *shared;
  if (!shared)
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *shared = (struct call_end){ENDED_PROCESS, 0, 0};
  fflush(NULL);
  const pid_t child = way == IN_CHILD ? fork() : vfork();
  if (!child) {
    call_here(c, shared);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    abort();
  *end = *shared;
  if (end->ended == ENDED_PROCESS)
    end->ended += WIFSIGNALED(status) ? KILLED_BY + WTERMSIG(status)
                                      : WEXITSTATUS(status);
}

/* Makes a call, and says how it has ended. */
HIDDEN static struct call_end make_call(char kind, void *function,
                                        const struct argument *a, int count,
                                        int which, enum bad bad) {
  const struct call call = {kind, function, a, count, which, bad};
  struct call_end end = {0, 0, 0};
  alarm(20);
  if (way == HERE)
    call_here(&call, &end);
  else if (way == IN_THREAD)
    make_call_in_thread(&call, &end);
  else
    make_call_in_child(&call, &end);
  alarm(0);
  return end;
}

/* Cleans up after a call that has returned. That may die too: a stream's buffer
 * that can only be read is flushed. */
HIDDEN static void clean_after(struct call_end end) {
  if (!clean_up || end.ended)
    return;
  calling = !sigsetjmp(back, 1);
  if (calling)
    clean_up(end.result);
  calling = 0;
}

/* What a call may go to instead of returning, on a stack of its own. */
HIDDEN static void elsewhere(void) { siglongjmp(back, WENT_ELSEWHERE); }

static sigjmp_buf jump_elsewhere;
static ucontext_t from_elsewhere;
HIDDEN static void keep_jump(void) {
  if (sigsetjmp(jump_elsewhere, 1))
    elsewhere();
  setcontext(&from_elsewhere);
}
/* A context that leads elsewhere. Also makes such a jump. */
HIDDEN static ucontext_t *context_elsewhere(void) {
  static ucontext_t made;
  getcontext(&made);
  made.uc_stack.ss_sp = stacks[1], made.uc_stack.ss_size = sizeof stacks[1];
  makecontext(&made, keep_jump, 0);
  swapcontext(&from_elsewhere, &made);
  /* Below what the jump needs. */
  made.uc_stack.ss_size -= sizeof stacks[1] / 2;
  makecontext(&made, elsewhere, 0);
  return &made;
}

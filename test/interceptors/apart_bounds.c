/*===- apart_bounds.c - Calls that do not simply return --------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain -lm
// RUN: rm -rf %t.folder; mkdir %t.folder; cd %t.folder
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t -lm
// RUN: %t > %t.unrecorded
// RUN: %python %support/same_calls.py %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: %python %support/same_calls.py %t.natively %t.recorded

// They end a thread or the process, start one, wait for one, replace the
// program, or go on somewhere else.

#include "call_table.h"

#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <utmpx.h>

/*===- The program's end, and another program -----------------------------===*/

static void do_not_handle(void) { signal(SIGABRT, SIG_DFL); }

static void ends(void) {
  way = IN_CHILD;
  CALL("exit _exit _Exit quick_exit", 'v', V(3));
  refresh = do_not_handle;
  CALL("abort", 'v', V(0));
  refresh = NULL;
}

static void programs(void) {
  way = IN_VFORK_CHILD;
  const long program = open("/bin/true", O_RDONLY);
  only_good = 1; /* bad ones end otherwise from kernel to kernel */
  CALL("execve", 'i', TEXT("/bin/true"), WORDS(at(3, 5), 0), WORDS(at(4, 4), 0),
       TEXT("true"), TEXT("A=B"));
  CALL("execv", 'i', TEXT("/bin/true"), WORDS(at(2, 5), 0), TEXT("true"));
  CALL("execvp", 'i', TEXT("true"), WORDS(at(2, 5), 0), TEXT("true"));
  CALL("execvpe", 'i', TEXT("true"), WORDS(at(3, 5), 0), WORDS(at(4, 4), 0),
       TEXT("true"), TEXT("A=B"));
  CALL("execl", 'i', TEXT("/bin/true"), TEXT("true"), TEXT("more"), V(0));
  CALL("execlp", 'i', TEXT("true"), TEXT("true"), TEXT("more"), V(0));
  CALL("execle", 'i', TEXT("/bin/true"), TEXT("true"), V(0), WORDS(at(4, 4), 0),
       TEXT("A=B"));
  CALL("fexecve", 'i', V(program), WORDS(at(3, 5), 0), WORDS(at(4, 4), 0),
       TEXT("true"), TEXT("A=B"));
  CALL("execveat", 'i', V(AT_FDCWD), TEXT("/bin/true"), WORDS(at(5, 5), 0),
       WORDS(at(6, 4), 0), V(0), TEXT("true"), TEXT("A=B"));
  only_good = 0;
  way = HERE;
}

/*===- Jumps and contexts -------------------------------------------------===*/

static void jumps(void) {
  const ucontext_t *const context = context_elsewhere();
  only_good = 1; /* a bad one is jumped to */
  CALL("longjmp _longjmp siglongjmp", 'v',
       IN(&jump_elsewhere, sizeof jump_elsewhere), V(3));
  way = IN_THREAD;
  CALL("__longjmp_chk", 'v', IN(&jump_elsewhere, sizeof jump_elsewhere), V(3));
  way = HERE;
  CALL("setcontext", 'i', INX(context, sizeof *context));
  only_good = 0;
}

/*===- Threads ------------------------------------------------------------===*/

static pthread_t thread;
static sem_t may_end;
static pid_t thread_number;
static void *returns_77(void *unused) {
  (void)unused;
  thread_number = (pid_t)syscall(SYS_gettid);
  return (void *)77;
}
static int gives_77(void *unused) {
  (void)unused;
  return 77;
}
static void *waits_77(void *unused) {
  (void)unused;
  sem_wait(&may_end);
  return (void *)77;
}

static void created_thread(void) {
  if (pthread_create(&thread, NULL, returns_77, NULL))
    abort();
}
static void created_c_thread(void) {
  if (thrd_create((thrd_t *)&thread, gives_77, NULL))
    abort();
}
/* A thread that the kernel has forgotten. */
static void ended_thread(void) {
  __atomic_store_n(&thread_number, 0, __ATOMIC_SEQ_CST);
  created_thread();
  while (!__atomic_load_n(&thread_number, __ATOMIC_SEQ_CST))
    sched_yield();
  while (!syscall(SYS_tgkill, getpid(), thread_number, 0))
    sched_yield();
}
static void waiting_thread(void) {
  sem_init(&may_end, 0, 0);
  if (pthread_create(&thread, NULL, waits_77, NULL))
    abort();
}
static void join_created(long result) {
  if (!(int)result && pthread_join(*(pthread_t *)at(0, sizeof thread), NULL))
    abort();
}
static void end_waiting(long result) {
  (void)result;
  sem_post(&may_end);
  pthread_join(thread, NULL);
}

static void threads(void) {
  pthread_attr_t plain, too_large;
  pthread_attr_init(&plain);
  pthread_attr_init(&too_large);
  pthread_attr_setstacksize(&too_large, 1L << 50);
  only_good = 1; /* libc would die with a lock held */
  clean_up = join_created;
  CALL("pthread_create", 'e', OUTX(8), V(0), V(returns_77), V(0));
  CALL("pthread_create", 'e', OUTX(8), INX(&plain, sizeof plain), V(returns_77),
       V(0));
  CALL("pthread_create", 'e', OUT(8), INX(&too_large, sizeof too_large),
       V(returns_77), V(0));
  CALL("thrd_create", 'e', OUTX(8), V(gives_77), V(0));
  clean_up = NULL;

  refresh = created_thread;
  CALL("pthread_join", 'e', LATER(thread), OUT(8));
  CALL("pthread_join", 'e', LATER(thread), V(0));
  CALL("pthread_timedjoin_np", 'e', LATER(thread), OUT(8), WORDS(1L << 40, 0));
  CALL("pthread_clockjoin_np", 'e', LATER(thread), OUT(8), V(1),
       WORDS(1L << 30, 0));
  refresh = created_c_thread;
  CALL("thrd_join", 'e', LATER(thread), OUT(4));
  refresh = ended_thread;
  CALL("pthread_tryjoin_np", 'e', LATER(thread), OUT(8));
  refresh = waiting_thread;
  clean_up = end_waiting;
  CALL("pthread_tryjoin_np", 'e', LATER(thread), OUT(8));
  CALL("pthread_timedjoin_np", 'e', LATER(thread), OUT(8), WORDS(0, 0));
  CALL("pthread_clockjoin_np", 'e', LATER(thread), OUT(8), V(1), WORDS(0, 0));
  refresh = NULL, clean_up = NULL;
  CALL("pthread_join", 'e', V(pthread_self()), OUT(8));

  /* Somebody has signalled the condition: with a count of signals at 32, as
   * glibc 2.41 has it, and at 40, as earlier ones have. */
  const int signalled[] = {0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 2, 2};
  const int locked[] = {1, 0, getpid(), 1, 0, 0, 0, 0, 0, 0};
#define SIGNALLED INX(signalled, sizeof signalled)
#define LOCKED INX(locked, sizeof locked)
  CALL("pthread_cond_wait cnd_wait", 'e', SIGNALLED, LOCKED);
  CALL("pthread_cond_timedwait cnd_timedwait", 'e', SIGNALLED, LOCKED,
       WORDS(1L << 40, 0));
  CALL("pthread_cond_clockwait", 'e', SIGNALLED, LOCKED, V(1),
       WORDS(1L << 30, 0));
  only_good = 0;
}

/*===- Processes ----------------------------------------------------------===*/

static void reap(long result) {
  if ((int)result > 0)
    waitpid((pid_t)result, NULL, __WALL);
}
static int ends_at_once(void *unused) {
  (void)unused;
  return 0;
}
static void handle(int number) { (void)number; }
static void pending(void) {
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
}

static void processes(void) {
  clean_up = reap;
  CALL("_Fork", 'f', V(0));
  only_good = 1; /* bad stacks are run on */
  enum { PARENT_SETS = 0x100000, CHILD_SETS = 0x1000000, WAITS = 0x4000 };
  CALL("clone", 'f', V(ends_at_once), V(at(10, 0)),
       V(SIGCHLD | PARENT_SETS | CHILD_SETS), V(5), OUTX(4), V(0), OUT(4), V(0),
       V(0), V(0), OUTX(64));
  CALL("clone", 'f', V(ends_at_once), V(stacks[1] + sizeof stacks[1]),
       V(CLONE_VM | WAITS | SIGCHLD | PARENT_SETS | CHILD_SETS), V(5), OUTX(4),
       V(0), OUTX(4));
  CALL("clone", 'f', V(ends_at_once), V(0), V(SIGCHLD | PARENT_SETS), V(5),
       OUT(4));
  CALL("clone", 'f', V(ends_at_once), V(at(10, 0)),
       V(CLONE_SIGHAND | PARENT_SETS), V(5), OUT(4), V(0), V(0), V(0), V(0),
       V(0), OUTX(64));
  only_good = 0;
  clean_up = NULL;
  signal(SIGUSR1, handle);
  refresh = pending;
  CALL("sigsuspend", 'i', ZERO(128));
  refresh = NULL;
  CALL("setuid seteuid", 'i', V(geteuid()));
  CALL("setgid setegid", 'i', V(getegid()));
  CALL("setuid setgid seteuid setegid", 'i', V(-1));
  CALL("setreuid setregid", 'i', V(-1), V(-1));
  CALL("setresuid setresgid", 'i', V(-1), V(-1), V(-1));
  CALL("unshare", 'i', V(0));
  CALL("unshare", 'i', V(-1));
  CALL("setns", 'i', V(-1), V(0));
}

/*===- What has an object of its own --------------------------------------===*/

static FILE *stream;
static long library;
static void opened_stream(void) { stream = fopen("/dev/null", "w"); }
static void opened_memory(void) {
  stream = open_memstream((char **)at(1, 8), (size_t *)at(2, 8));
  fputs("abc", stream);
}
static void opened_full(void) {
  stream = fopen("/dev/full", "w");
  fputs("abc", stream);
}
static void opened_library(void) {
  library = (long)dlopen("libm.so.6", RTLD_NOW);
}
static void closed_library(void) {
  opened_library();
  dlclose((void *)library);
}
static void free_block(long result) { free((void *)result); }
static void no_users(void) {
  close(open("users", O_CREAT | O_TRUNC | O_RDWR, 0600));
  utmpxname("users");
}

static void objects(void) {
  only_good = 1; /* what has been closed cannot be closed again */
  refresh = opened_stream;
  CALL("fclose", 'i', LATER(stream));
  refresh = opened_memory;
  CALL("fclose", 'i', LATER(stream), OUTX(8), OUT(8));
  refresh = opened_full;
  CALL("fclose", 'i', LATER(stream));
  refresh = opened_library;
  CALL("dlclose", 'e', LATER(library));
  refresh = closed_library;
  CALL("dlclose", 'e', LATER(library));
  refresh = NULL;
  CALL("dlopen", 'p', TEXT("libm.so.6"), V(RTLD_NOW));
  CALL("dlmopen", 'p', V(LM_ID_BASE), TEXT("libm.so.6"), V(RTLD_NOW));
  CALL("dlopen", 'p', RAW("libm.so.6"), V(-1));
  CALL("dlmopen", 'p', V(LM_ID_NEWLM), RAW("libm.so.6"),
       V(RTLD_NOW | RTLD_GLOBAL));
  CALL("dlsym", 'p', V(0), TEXT("read"));
  CALL("dlsym", 'p', V(dlopen("libc.so.6", RTLD_NOW)), TEXT("read"));
  CALL("dlvsym", 'p', V(0), TEXT("read"), TEXT("GLIBC_2.2.5"));
  only_good = 0;
  refresh = no_users;
  const struct utmpx user = {.ut_type = USER_PROCESS, .ut_id = "x"};
  CALL("pututxline", 'p', IN(&user, sizeof user));
  refresh = NULL;
  utmpxname("/nowhere/users");
  CALL("pututxline", 'p', IN(&user, sizeof user));
  clean_up = free_block;
  CALL("calloc", 'p', V(3), V(5));
  CALL("reallocarray", 'p', V(0), V(3), V(5));
  CALL("realloc", 'p', V(0), V(9));
  CALL("calloc", 'p', V(1L << 62), V(9));
  CALL("reallocarray", 'p', V(0), V(1L << 62), V(9));
  CALL("realloc", 'p', V(0), V(1L << 62));
  clean_up = NULL;
}

int main(void) {
  set_up();
  ends();
  programs();
  jumps();
  threads();
  processes();
  objects();
  return 0;
}

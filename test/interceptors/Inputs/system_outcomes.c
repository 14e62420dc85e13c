/*===- system_outcomes.c - How functions of the system may end -------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

static void ignore(int number) { (void)number; }

static pid_t child;
static void ended_child(void) {
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ;
  child = fork();
  if (!child)
    _exit(3);
  siginfo_t info;
  waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
}
static void living_child(void) {
  if (child > 0)
    return;
  child = fork();
  if (!child)
    for (;;)
      pause();
}

static void times_and_signals(void) {
  CALL("clock_gettime clock_getres", 'i', V(99), OUT(16));
  CALL("clock_getres", 'i', V(0), V(0));
  CALL("clock_settime", 'i', V(99), WORDS(0, 0));
  CALL("clock_getcpuclockid", 'e', V(1 << 22), OUT(4));
  CALL("nanosleep", 'i', WORDS(0, 1), OUT(16));
  CALL("nanosleep", 'i', WORDS(0, -1), OUT(16));
  CALL("clock_nanosleep", 'e', V(1), V(0), WORDS(0, 1), OUT(16));
  CALL("clock_nanosleep", 'e', V(1), V(TIMER_ABSTIME), WORDS(0, 1), OUT(16));
  CALL("clock_nanosleep", 'e', V(99), V(0), WORDS(0, 1), OUT(16));
  CALL("clock_nanosleep", 'e', V(1), V(0), WORDS(0, -1), OUT(16));
  CALL("thrd_sleep", 'e', WORDS(0, 1), OUT(16));
  CALL("thrd_sleep", 'e', WORDS(0, -1), OUT(16));
  CALL("time", 'v', V(0));
  CALL("times", 'v', V(0));
  CALL("gettimeofday", 'i', V(0), OUTX(8));
  CALL("settimeofday", 'i', WORDS(0, -1), V(0));
  CALL("getitimer", 'i', V(99), OUT(32));
  CALL("setitimer", 'i', V(ITIMER_VIRTUAL), WORDS(0, 0, 0, 0), OUT(32));
  CALL("setitimer", 'i', V(ITIMER_VIRTUAL), WORDS(0, 0, 0, -1), OUT(32));
  CALL("setitimer", 'i', V(99), WORDS(0, 0, 0, 0), OUT(32));
  CALL("setitimer", 'i', V(ITIMER_VIRTUAL), WORDS(0, 0, 0, 0), V(0));
  timer_t timer;
  struct sigevent none = {.sigev_notify = SIGEV_NONE};
  if (timer_create(CLOCK_MONOTONIC, &none, &timer))
    abort();
  same_process = 1; /* timers are not inherited */
  CALL("timer_gettime", 'i', V(timer), OUT(32));
  CALL("timer_settime", 'i', V(timer), V(0), WORDS(0, 0, 0, 0), OUT(32));
  CALL("timer_settime", 'i', V(timer), V(0), WORDS(0, 0, 0, -1), OUT(32));
  same_process = 0;
  CALL("timer_gettime", 'i', V(999), OUT(32));
  CALL("timer_settime", 'i', V(999), V(0), WORDS(0, 0, 0, 0), OUT(32));
  const int clock = timerfd_create(CLOCK_MONOTONIC, 0);
  CALL("timerfd_gettime", 'i', V(-1), OUT(32));
  CALL("timerfd_settime", 'i', V(clock), V(0), WORDS(0, 0, 0, 0), OUT(32));
  CALL("timerfd_settime", 'i', V(clock), V(0), WORDS(0, 0, 0, -1), OUT(32));
  CALL("timerfd_settime", 'i', V(clock), V(0), WORDS(0, 0, 0, 0), V(0));
  CALL("timespec_get timespec_getres", 'v', OUT(16), V(99));
  CALL("timespec_getres", 'v', V(0), V(1));
  CALL("adjtimex ntp_adjtime", 'i', INTS(0x4000, 0));
  CALL("adjtimex ntp_adjtime", 'v', INX(((int[52]){0}), 208));
  CALL("clock_adjtime", 'i', V(99), IN(zeros, 208));
  CALL("adjtime", 'i', V(0), OUTX(16));
  CALL("adjtime", 'i', WORDS(1L << 60, 0), OUT(16));
  CALL("sched_rr_get_interval", 'i', V(1 << 22), OUT(16));
  CALL("sched_setparam", 'i', V(1 << 22), INTS(0));
  CALL("sched_getparam", 'i', V(1 << 22), OUT(4));
  CALL("sched_setscheduler", 'i', V(0), V(99), INTS(0));
  CALL("sched_getaffinity", 'i', V(1 << 22), V(128), OUT(128));
  CALL("sched_getaffinity", 'i', V(0), V(9000), OUTX(9000));
  CALL("getcpu", 'i', V(0), OUTX(4));
  CALL("getcpu", 'i', OUTX(4), V(0));
  CALL("sigaction", 'i', V(SIGUSR1), V(0), OUTX(152));
  CALL("sigaction", 'i', V(SIGKILL), IN(zeros, 152), OUT(152));
  CALL("sigaction", 'i', V(999), V(0), OUT(152));
  CALL("sigprocmask", 'i', V(99), WORDS(0), OUT(8));
  CALL("sigprocmask", 'i', V(SIG_BLOCK), V(0), OUT(128));
  CALL("pthread_sigmask", 'e', V(99), WORDS(0), OUT(8));
  CALL("pthread_sigmask", 'e', V(SIG_BLOCK), V(0), OUT(128));
  CALL("sigtimedwait", 'i', ZERO(128), OUT(128), WORDS(0, 0));
  CALL("sigtimedwait", 'i', ZERO(128), OUT(128), WORDS(0, -1));
  CALL("sigaltstack", 'i', V(0), OUTX(24));
  CALL("sigaltstack", 'i', WORDS(at(0, 0), 2, 100), OUTX(24));
  CALL("sigaltstack", 'i', WORDS(at(0, 0), 0, 100), OUTX(24));
  CALL("sigaltstack", 'i', WORDS(at(0, 0), 77, 9000), OUTX(24));
  CALL("sigaddset sigdelset sigismember", 'i', ZERO(128), V(999));
  CALL("sigaddset sigdelset sigismember", 'i', ZERO(128), V(5));
}

static void processes(void) {
  refresh = ended_child;
  CALL("wait", 'f', OUT(4));
  CALL("waitpid", 'f', V(-1), OUT(4), V(0));
  CALL("wait3", 'f', OUT(4), V(0), OUTX(144));
  CALL("wait4", 'f', V(-1), OUT(4), V(0), OUTX(144));
  CALL("wait4", 'f', V(-1), V(0), V(0), V(0));
  CALL("waitid", 'i', V(P_ALL), V(0), OUTX(128), V(WEXITED));
  CALL("waitid", 'i', V(P_ALL), V(0), V(0), V(WEXITED));
  same_process = 1; /* its child is not inherited */
  CALL("waitpid", 'f', V(-1), OUT(4), V(0));
  CALL("wait3", 'f', OUT(4), V(0), OUTX(144));
  CALL("wait4", 'f', V(-1), OUT(4), V(0), OUTX(144));
  CALL("waitid", 'i', V(P_ALL), V(0), OUTX(128), V(WEXITED));
  refresh = living_child;
  child = 0;
  living_child();
  OUTCOME("empty", "waitpid", 'i', V(-1), OUT(4), V(WNOHANG));
  OUTCOME("empty", "wait3", 'i', OUT(4), V(WNOHANG), OUT(144));
  OUTCOME("empty", "wait4", 'i', V(-1), OUT(4), V(WNOHANG), OUT(144));
  OUTCOME("empty", "waitid", 'i', V(P_ALL), V(0), OUTX(128),
          V(WEXITED | WNOHANG));
  CALL("ptrace", 'l', V(0x4206 /* SEIZE */), V(child), V(0), V(0));
  refresh = NULL;
  same_process = 0;
  kill(child, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0)
    ;
  CALL("waitpid", 'i', V(-1), OUT(4), V(-1));
  CALL("wait4", 'i', V(-1), OUT(4), V(0), OUT(144));
  CALL("wait3", 'i', OUT(4), V(0), OUT(144));
  CALL("waitid", 'i', V(P_ALL), V(0), OUT(128), V(0));
  CALL("getrusage", 'i', V(99), OUT(144));
  CALL("getrlimit getrlimit64 setrlimit setrlimit64", 'i', V(999), OUT(16));
  CALL("prlimit prlimit64", 'i', V(0), V(999), V(0), OUT(16));
  CALL("prlimit prlimit64", 'i', V(1 << 22), V(RLIMIT_CORE), V(0), OUT(16));
  CALL("prlimit prlimit64", 'i', V(0), V(RLIMIT_CORE), WORDS(2, 1), OUT(16));
  OUTCOME("empty", "getgroups", 'v', V(0), OUT(4));
  CALL("getgroups", 'i', V(-1), OUT(4));
  OUTCOME("truncated", "gethostname", 'i', OUT(BASE_PAGE), V(1));
  OUTCOME("empty", "gethostname", 'v', OUT(BASE_PAGE), V(0));
  CALL("gethostname", 'i', OUTX(2 * BASE_PAGE), V(2 * BASE_PAGE));
  CALL("getdomainname", 'i', OUTX(2 * BASE_PAGE), V(2 * BASE_PAGE));
  OUTCOME("truncated", "getdomainname", 'v', OUT(1), V(1));
  OUTCOME("truncated", "confstr", 'l', V(_CS_PATH), OUT(BASE_PAGE), V(5));
  OUTCOME("empty", "confstr", 'l', V(_CS_PATH), OUT(BASE_PAGE), V(0));
  CALL("confstr", 'l', V(_CS_PATH), OUT(2 * BASE_PAGE), V(2 * BASE_PAGE));
  OUTCOME("failure", "confstr", 'l', V(-1), OUT(9), V(9));
  OUTCOME("empty", "getloadavg", 'i', OUT(24), V(0));
  OUTCOME("short", "getloadavg", 'i', OUTX(24), V(1));
  OUTCOME("short", "getloadavg", 'i', OUTX(2 * BASE_PAGE), V(1024));
  CALL("strerror_r", 'p', V(1), OUT(BASE_PAGE + 9), V(BASE_PAGE + 9));
  OUTCOME("empty", "strerror_r", 'p', V(9999), OUT(9), V(0));
  OUTCOME("truncated", "strerror_r", 'p', V(9999), OUT(9), V(3));
  CALL("__xpg_strerror_r", 'e', V(9999), OUT(BASE_PAGE), V(BASE_PAGE));
  CALL("__xpg_strerror_r", 'e', V(9999), OUT(5), V(5));
  OUTCOME("truncated", "__xpg_strerror_r", 'e', V(1), OUT(BASE_PAGE), V(5));
  /* No library that is not there already is loaded. */
  CALL("dlopen", 'p', TEXT("libc.so.6"), V(RTLD_NOW | RTLD_NOLOAD));
  CALL("dlopen", 'p', TEXT("libnowhere.so"), V(RTLD_NOW | RTLD_NOLOAD));
  CALL("dlmopen", 'p', V(0), TEXT("libc.so.6"), V(RTLD_NOW | RTLD_NOLOAD));
  CALL("dlmopen", 'p', V(0), TEXT("libnowhere.so"), V(RTLD_NOW | RTLD_NOLOAD));
  CALL("dlsym", 'p', V(0), TEXT("no_such_function"));
  CALL("dlvsym", 'p', V(0), TEXT("read"), TEXT("NO_SUCH_VERSION"));
  CALL("dlinfo", 'i', V(dlopen(NULL, RTLD_NOW)), V(99), OUT(8));
  OUTCOME("failure", "dladdr", 'v', V(4096), OUT(32));
  OUTCOME("failure", "dladdr1", 'v', V(4096), OUT(32), OUT(8), V(2));
  CALL("capget", 'i', INTS(0x20080522, 1 << 22), OUT(24));
  CALL("capget", 'i', INTS(0x19980330, 0), OUTX(12));
  CALL("capget", 'i', INTS(0x20080522, 0), OUTX(24));
  CALL("capget", 'i', INTS(99, 0), V(0));
  CALL("arch_prctl", 'i', V(0x1004 /* GET_GS */), OUT(8));
  CALL("prctl", 'i', V(999), OUT(8));
  CALL("prctl", 'i', V(5 /* GET_UNALIGN */), OUT(4));
  CALL("prctl", 'i', V(25 /* GET_TSC */), OUT(4));
  CALL("prctl", 'i', V(37 /* GET_CHILD_SUBREAPER */), OUT(4));
  CALL("prctl", 'i', V(40 /* GET_TID_ADDRESS */), OUTX(8));
  CALL("posix_spawn posix_spawnp", 'e', OUT(4), TEXT("/nowhere/x"), V(0), V(0),
       WORDS(at(6, 2), 0), V(0), TEXT("x"));
  CALL("getresuid getresgid", 'i', OUT(4), OUT(4), OUT(4));
}

static void threads(void) {
  const int held[] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 0}; /* by another thread */
  const int checking[] = {0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
#define HELD IN(held, sizeof held)
#define CHECKING INX(checking, sizeof checking)
  CALL("pthread_mutex_trylock mtx_trylock", 'e', HELD);
  CALL("pthread_mutex_timedlock mtx_timedlock", 'e', HELD, WORDS(0, 0));
  CALL("pthread_mutex_timedlock", 'e', HELD, WORDS(0, -1));
  CALL("pthread_mutex_clocklock", 'e', HELD, V(1), WORDS(0, 0));
  CALL("pthread_mutex_unlock", 'e', CHECKING);
  CALL("pthread_mutex_destroy", 'e', HELD);
  CALL("pthread_mutex_init", 'e', OUT(40), INTS(1 << 25));
  CALL("pthread_mutex_init", 'e', OUT(40), INTS(2));
  CALL("pthread_mutex_lock", 'e', CHECKING);
  CALL("mtx_init", 'e', OUT(40), V(99));
  CALL("pthread_mutex_setprioceiling", 'e', ZERO(40), V(1), OUT(4));
  const int read_by_one[] = {8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#define READ_LOCKED IN(read_by_one, sizeof read_by_one)
  CALL("pthread_rwlock_trywrlock", 'e', READ_LOCKED);
  CALL("pthread_rwlock_timedwrlock", 'e', READ_LOCKED, WORDS(0, 0));
  CALL("pthread_rwlock_timedwrlock pthread_rwlock_timedrdlock", 'e',
       READ_LOCKED, WORDS(0, -1));
  CALL("pthread_rwlock_clockwrlock", 'e', READ_LOCKED, V(1), WORDS(0, 0));
  CALL("pthread_rwlock_clockwrlock pthread_rwlock_clockrdlock", 'e',
       READ_LOCKED, V(99), WORDS(0, 0));
  CALL("sem_trywait", 'i', ZERO(32));
  CALL("sem_timedwait", 'i', ZERO(32), WORDS(0, -1));
  CALL("sem_timedwait", 'i', WORDS(1, 0, 0, 0), WORDS(9, 0));
  CALL("sem_clockwait", 'i', WORDS(1, 0, 0, 0), V(1), WORDS(9, 0));
  CALL("sem_post", 'i', WORDS(0x7fffffff, 0, 0, 0));
  CALL("pthread_spin_trylock", 'e', INTS(0));
  CALL("pthread_cond_timedwait", 'e', ZERO(48), ZERO(40), WORDS(0, -1));
  CALL("pthread_cond_clockwait", 'e', ZERO(48), ZERO(40), V(99), WORDS(0, 0));
  CALL("pthread_barrier_init", 'e', OUT(32), V(0), V(-1));
  CALL("pthread_attr_setdetachstate pthread_attr_setinheritsched "
       "pthread_attr_setscope pthread_attr_setschedpolicy",
       'e', ZERO(56), V(99));
  CALL("pthread_attr_setstacksize", 'e', ZERO(56), V(65536));
  CALL("pthread_attr_setstack", 'e', ZERO(56), V(4096), V(1));
  CALL("pthread_attr_setschedparam", 'e', ZERO(56), INTS(99));
  CALL("pthread_attr_setaffinity_np", 'e', ZERO(56), V(0), V(0));
  CALL("pthread_attr_getaffinity_np", 'e', ZERO(56), V(8), OUT(8));
  CALL("pthread_mutexattr_settype pthread_mutexattr_setrobust "
       "pthread_mutexattr_setprotocol pthread_mutexattr_setprioceiling "
       "pthread_mutexattr_setpshared pthread_condattr_setclock "
       "pthread_condattr_setpshared pthread_barrierattr_setpshared",
       'e', ZERO(4), V(999));
  CALL("pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared", 'e',
       ZERO(8), V(999));
  CALL("pthread_getaffinity_np", 'e', V(pthread_self()), V(1), OUT(1));
  CALL("pthread_setaffinity_np", 'e', V(pthread_self()), V(0), ZERO(8));
  CALL("pthread_getname_np", 'e', V(pthread_self()), OUTX(BASE_PAGE),
       V(BASE_PAGE));
  CALL("pthread_setname_np", 'e', V(pthread_self()),
       TEXT("a name of too many letters"));
  CALL("pthread_setschedparam", 'e', V(pthread_self()), V(99), INTS(0));
  CALL("pthread_setcancelstate pthread_setcanceltype", 'e', V(99), OUT(4));
  CALL("pthread_setcancelstate pthread_setcanceltype", 'e', V(0), V(0));
  CALL("posix_memalign", 'e', OUT(8), V(64), V(-1));
  CALL("posix_memalign", 'e', OUT(8), V(3), V(1));
  CALL("posix_spawnattr_setflags", 'e', ZERO(336), V(-1));
  CALL("posix_spawnattr_setschedpolicy", 'e', ZERO(336), V(99));
  CALL(
      "posix_spawn_file_actions_addclose posix_spawn_file_actions_addfchdir_np "
      "posix_spawn_file_actions_addclosefrom_np "
      "posix_spawn_file_actions_addtcsetpgrp_np",
      'e', INX(zeros, 80), V(-1));
  CALL("posix_spawn_file_actions_adddup2", 'e', INX(zeros, 80), V(-1), V(1));
  CALL("posix_spawn_file_actions_addopen", 'e', INX(zeros, 80), V(-1),
       TEXT("x"), V(0), V(0));
}

static void pend(void) {
  sigset_t usr1;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  raise(SIGUSR1);
}
static void others(void) {
  sigset_t usr1;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
  refresh = pend;
  CALL("sigtimedwait", 'i', IN(&usr1, 8), OUTX(128), WORDS(1, 0));
  CALL("sigtimedwait", 'i', IN(&usr1, 8), V(0), V(0));
  CALL("sigwaitinfo", 'i', IN(&usr1, 8), V(0));
  refresh = NULL;
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  CALL("sched_setaffinity", 'i', V(0), V(sizeof all), IN(&all, sizeof all));
  CALL("sched_setaffinity", 'i', V(0), V(BASE_PAGE + 8),
       IN(zeros, BASE_PAGE + 8));
  const int protected_mutex[] = {0, 0, 0, 0, 64, 0, 0, 0, 0, 0};
  CALL("pthread_mutex_getprioceiling", 'e',
       INX(protected_mutex, sizeof protected_mutex), OUT(4));
  const int dead_owner[] = {0, 0, 0x7fffffff, 0, 16, 0, 0, 0, 0, 0};
  CALL("pthread_mutex_consistent", 'e', INX(dead_owner, sizeof dead_owner));
  const int written[] = {2, 0, 1, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0};
#define WRITTEN IN(written, sizeof written)
  CALL("pthread_rwlock_tryrdlock pthread_rwlock_trywrlock", 'e', WRITTEN);
  CALL("pthread_rwlock_timedrdlock", 'e', WRITTEN, WORDS(0, 0));
  CALL("pthread_rwlock_clockrdlock", 'e', WRITTEN, V(1), WORDS(0, 0));
  OUTCOME("success", "pthread_barrier_wait", 'v', INTS(0, 0, 1, 0, 0, 0, 0, 0));
  OUTCOME("failure", "initstate", 'p', V(1), OUT(4), V(4));
  CALL("setstate_r", 'i', IN("\377\377\377\377", 4), INX(zeros, 48));
  CALL("random_r", 'i', V(0), OUT(4));
  CALL("srandom_r", 'i', V(1), V(0));
  CALL("unsetenv", 'i', TEXT("A=B"));
  CALL("unsetenv", 'i', TEXT(""));
  OUTCOME("empty", "getenv secure_getenv", 'p', TEXT(""));
  CALL("getenv secure_getenv", 'p', TEXT("PATH"));
  OUTCOME("failure", "setlocale", 'p', V(6), TEXT("no_SUCH"));
  OUTCOME("failure", "newlocale", 'p', V(1), TEXT("no_SUCH"), V(0));
  OUTCOME("truncated", "__confstr_chk", 'l', V(_CS_PATH), OUT(5), V(5), V(5));
  OUTCOME("failure", "__getgroups_chk", 'i', V(-1), OUT(4), V(4));
  CALL("getentropy", 'i', OUT(257), V(257));
  CALL("system", 'i', TEXT("exit 0"));
  CALL("mq_notify", 'i', V(-1), V(0));
  CALL("setgroups", 'v', V(0), V(0));
}

static long mapping, queue;
static void map_it(void) {
  mapping = (long)mmap(NULL, BASE_PAGE, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void unmap_it(long result) { munmap((void *)result, 2 * BASE_PAGE); }
static void detach_it(long result) { shmdt((void *)result); }
static void close_semaphore(long result) { sem_close((void *)result); }
static void unlock_all(long result) { (void)result, munlockall(); }
static void unregister(long result) {
  (void)result, mq_notify((mqd_t)queue, NULL);
}

/* Calls that need an object to succeed. */
static void with_objects(void) {
  CALL("mmap mmap64", 'l', V(0), V(0), V(3), V(34), V(-1), V(0));
  CALL("mremap", 'l', V(4096), V(4096), V(4096), V(0));
  clean_up = unmap_it;
  CALL("mmap mmap64", 'p', V(0), V(2 * BASE_PAGE), V(3), V(34), V(-1), V(0));
  refresh = map_it;
  CALL("mremap", 'p', LATER(mapping), V(BASE_PAGE), V(2 * BASE_PAGE), V(1));
  clean_up = NULL;
  CALL("munmap", 'i', LATER(mapping), V(BASE_PAGE));
  refresh = NULL;
  CALL("madvise", 'i', OUT(BASE_PAGE), V(BASE_PAGE), V(MADV_NORMAL));
  const int segment = shmget(IPC_PRIVATE, BASE_PAGE, 0600);
  clean_up = detach_it;
  CALL("shmat", 'p', V(segment), V(0), V(0));
  shmctl(segment, IPC_RMID, NULL);
  clean_up = unlock_all;
  CALL("mlockall", 'i', V(MCL_FUTURE | MCL_ONFAULT));
  clean_up = close_semaphore;
  char name[32];
  snprintf(name, sizeof name, "/pagetide-out-%d", (int)getpid());
  CALL("sem_open", 'p', INX(name, strlen(name) + 1), V(O_CREAT), V(0600), V(1));
  sem_unlink(name);
  clean_up = NULL;
  CALL("sem_open", 'p', TEXT("/pagetide-none"), V(0));
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
  mq_unlink(name);
  struct sigevent quiet;
  memset(&quiet, 0, sizeof quiet);
  quiet.sigev_notify = SIGEV_NONE;
  clean_up = unregister;
  CALL("mq_notify", 'i', V(queue), IN(&quiet, sizeof quiet));
  clean_up = NULL;
  int header[2] = {0x20080522, 0}, rights[6];
  syscall(SYS_capget, header, rights);
  CALL("capset", 'i', IN(header, sizeof header), IN(rights, sizeof rights));
  pthread_attr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  pthread_attr_init(&attributes);
  pthread_attr_setsigmask_np(&attributes, &none);
  CALL("pthread_attr_getsigmask_np", 'e', INX(&attributes, sizeof attributes),
       OUT(128));
  CALL("pthread_attr_setscope", 'e', ZERO(56), V(PTHREAD_SCOPE_SYSTEM));
  FILE *const dates = fopen("dates", "w");
  fputs("%Y-%m-%d\n", dates);
  fclose(dates);
  setenv("DATEMSK", "dates", 1);
  CALL("getdate_r", 'e', TEXT("2022-05-06"), OUTX(56));
}

int main(void) {
  set_up();
  only_good = 1;
  signal(SIGUSR2, ignore);
  times_and_signals();
  processes();
  threads();
  others();
  with_objects();
  return 0;
}

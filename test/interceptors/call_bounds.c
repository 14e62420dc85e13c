/*===- call_bounds.c - Calls of the system with arguments at memory's end --===*
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

#include "call_table.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <locale.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <utmpx.h>
#include <wordexp.h>

static int file, terminal;

static void wait_for_it(long result) {
  (void)result;
  while (wait(NULL) > 0)
    ;
}

/* A child has no timers. Its first one has the number of its parent's. */
static void make_timer(void) {
  timer_t timer;
  struct sigevent quiet;
  memset(&quiet, 0, sizeof quiet);
  quiet.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_MONOTONIC, &quiet, &timer);
}

static void times_and_signals(void) {
  CALL("time", 'v', OUTX(8));
  CALL("gettimeofday", 'i', OUTX(16), V(0));
  CALL("gettimeofday", 'i', OUTX(16), OUTX(8));
  CALL("clock_gettime clock_getres", 'i', V(1), OUTX(16));
  CALL("clock_gettime clock_getres", 'i', V(999), OUT(16));
  CALL("timespec_get", 'i', OUTX(16), V(1));
  CALL("timespec_get", 'i', OUT(16), V(99));
  CALL("times", 'v', OUTX(32));
  CALL("nanosleep", 'i', WORDS(0, 1), OUT(16));
  CALL("nanosleep", 'i', WORDS(0, -1), OUT(16));
  CALL("clock_nanosleep", 'e', V(1), V(0), WORDS(0, 1), OUT(16));
  CALL("clock_nanosleep", 'e', V(999), V(0), WORDS(0, 1), OUT(16));
  CALL("getitimer", 'i', V(1), OUT(32));
  CALL("setitimer", 'i', V(1), ZERO(32), OUT(32));
  CALL("setitimer", 'i', V(9), ZERO(32), OUT(32));
  timer_t timer;
  struct sigevent quiet;
  memset(&quiet, 0, sizeof quiet);
  quiet.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_MONOTONIC, &quiet, &timer);
  refresh = make_timer;
  CALL("timer_gettime", 'i', V(timer), OUT(32));
  CALL("timer_settime", 'i', V(timer), V(0), ZERO(32), OUT(32));
  refresh = NULL;
  CALL("timer_create", 'i', V(99), IN(&quiet, sizeof quiet), OUT(8));
  CALL("timer_create", 'i', V(1), IN(&quiet, sizeof quiet), OUTX(8));
  CALL("mq_notify", 'i', V(-1), IN(&quiet, sizeof quiet));
  const int clock = timerfd_create(CLOCK_MONOTONIC, 0);
  CALL("timerfd_gettime", 'i', V(clock), OUT(32));
  CALL("timerfd_settime", 'i', V(clock), V(0), ZERO(32), OUT(32));
  CALL("timerfd_settime", 'i', V(-1), V(0), ZERO(32), OUT(32));
  only_good = 1; /* libc would die with a lock held */
  CALL("strftime", 'l', OUT(5), V(5), TEXT("%H%M"), ZERO(56));
  CALL("strftime", 'l', OUT(2), V(2), TEXT("%H%M"), ZERO(56));
  CALL("strftime_l", 'l', OUT(5), V(5), TEXT("%H%M"), ZERO(56),
       V(newlocale(LC_ALL_MASK, "C", NULL)));
  CALL("strptime", 'p', TEXT("1999"), TEXT("%Y"), ZERO(56));
  CALL("strptime", 'p', RAW("1999;"), TEXT("%Y"), ZERO(56));
  CALL("strptime", 'p', RAW("x"), TEXT("%Y"), ZERO(56));
  CALL("timegm mktime", 'l', INX(zeros, 56));
  CALL("localtime_r gmtime_r", 'p', WORDS(86400), OUTX(56));
  CALL("localtime_r gmtime_r", 'p', WORDS(1L << 62), OUTX(56));
  CALL("localtime gmtime ctime", 'v', WORDS(86400));
  CALL("ctime_r", 'p', WORDS(86400), OUT(25 + 1));
  CALL("asctime_r", 'p', ZERO(56), OUT(25 + 1));
  CALL("asctime", 'v', ZERO(56));
  only_good = 0;
  CALL("ftime", 'i', OUTX(16));
  CALL("sigemptyset sigfillset", 'i', OUT(128));
  CALL("sigpending", 'i', OUT(8));
  CALL("sigaddset sigdelset sigismember", 'i', ZERO(128), V(5));
  CALL("sigaddset sigdelset sigismember", 'i', ZERO(128), V(0));
  CALL("sigprocmask pthread_sigmask", 'i', V(SIG_BLOCK), ZERO(8), OUT(8));
  CALL("sigprocmask pthread_sigmask", 'i', V(SIG_UNBLOCK), ZERO(8), OUT(8));
  CALL("sigprocmask pthread_sigmask", 'i', V(9), ZERO(8), OUT(8));
  CALL("sigandset sigorset", 'i', OUT(128), ZERO(128), ZERO(128));
  CALL("sigaltstack", 'i', WORDS(0, 2, 0), OUTX(24));
  CALL("sigaltstack", 'i', WORDS(0, 9, 0), OUT(24));
  sigset_t usr1;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);

  spared = 1 << 2; /* without a time it waits */
  CALL("sigtimedwait", 'i', IN(&usr1, 8), OUT(128), WORDS(0, 0));
  spared = 0;
  CALL("sigaction", 'i', V(SIGUSR2), ZERO(152), OUTX(152));
  CALL("sigaction", 'i', V(99), ZERO(152), OUTX(152));
  CALL("sigaction", 'i', V(SIGUSR2), V(0), OUTX(152));
  for (int n = SIGUSR2; n != SIGKILL; n = n == SIGUSR2 ? 99 : SIGKILL)
    CALL("signal ssignal bsd_signal sysv_signal __sysv_signal", 'l', V(n),
         V(SIG_DFL));
  CALL("sigset", 'l', V(SIGUSR2), V(SIG_DFL));
  CALL("sigset", 'l', V(99), V(SIG_DFL));
  CALL("sigignore", 'i', V(SIGUSR2));
  CALL("sigignore", 'i', V(99));
  for (int n = SIGUSR2; n >= 0; n = n == SIGUSR2 ? SIGSEGV : -1)
    CALL("signal ssignal bsd_signal sysv_signal __sysv_signal", 'l', V(n),
         V(SIG_ERR));
}

static void first_option(void) { optind = 0; }
static FILE *users, *groups;
static void first_user(void) { rewind(users), rewind(groups); }
static int see_library(void *info, size_t bytes, void *seen) {
  (void)info, (void)bytes;
  return ++*(int *)seen == 1;
}

static void system_state(void) {
  CALL("wait", 'i', OUT(4));
  CALL("waitpid", 'i', V(-1), OUT(4), V(0));
  CALL("wait3", 'i', OUT(4), V(0), OUT(144));
  CALL("wait4", 'i', V(-1), OUT(4), V(0), OUT(144));
  CALL("waitid", 'i', V(P_ALL), V(0), OUT(128), V(WEXITED));
  CALL("waitid", 'i', V(P_ALL), V(0), OUT(128), V(0));
  CALL("getrusage", 'i', V(0), OUTX(144));
  CALL("getrusage", 'i', V(99), OUT(144));
  CALL("uname", 'i', OUT(390));
  CALL("sysinfo", 'i', OUTX(112));
  CALL("sched_getaffinity", 'l', V(0), V(128), OUTX(128));
  CALL("sched_getaffinity", 'i', V(0), V(1), OUT(1));
  CALL("sched_getparam", 'i', V(0), OUT(4));
  CALL("sched_setaffinity", 'i', V(0), V(8), ZERO(8));
  CALL("sched_setaffinity", 'i', V(-1), V(8), WORDS(1));
  CALL_SINCE(41, "sched_getattr", 'i', V(0), OUTX(56), V(56), V(0));
  CALL_SINCE(41, "sched_getattr", 'i', V(0), OUT(56), V(7), V(0));
  CALL_SINCE(41, "sched_setattr", 'i', V(0), WORDS(56, 0, 0, 0, 0, 0, 0), V(0));
  CALL_SINCE(41, "sched_setattr", 'i', V(-1), ZERO(56), V(0));
  CALL("getgroups", 'i', V(0), V(0));
  CALL("getgroups", 'v', V(100), OUTX(400));
  CALL("getgroups", 'i', V(-1), OUTX(400));
  CALL("__getgroups_chk", 'v', V(100), OUTX(400), V(400));
  CALL("getresuid getresgid", 'i', OUT(4), OUT(4), OUT(4));
  CALL("gethostname getdomainname", 'i', OUTX(65), V(65));
  CALL("gethostname getdomainname", 'i', OUTX(1), V(1));
  CALL("__gethostname_chk __getdomainname_chk", 'i', OUTX(65), V(65), V(65));
  CALL("getlogin_r", 'v', OUTX(65), V(65));
  CALL("__getlogin_r_chk", 'v', OUTX(65), V(65), V(65));
  CALL("ttyname_r ptsname_r", 'e', V(file), OUT(9), V(9));
  CALL("ttyname_r", 'e', V(terminal), OUTX(50), V(50));
  CALL("ttyname_r", 'e', V(terminal), OUT(1), V(1));
  CALL("__ttyname_r_chk __ptsname_r_chk", 'e', V(file), OUT(9), V(9), V(9));
  CALL("confstr", 'l', V(0), OUT(5), V(5));
  CALL("confstr", 'l', V(0), OUT(0), V(0));
  CALL("confstr", 'l', V(-1), OUT(5), V(5));
  CALL("__confstr_chk", 'l', V(0), OUT(5), V(5), V(5));
  only_good = 1; /* libc would die with a lock held, or goes on from here */
  opterr = 0;
  static char *options[] = {"x", "-a", "b", "-c", "d"};
  (void)options;
  refresh = first_option;
  CALL("getopt __posix_getopt", 'i', V(2), WORDS(at(3, 2), at(4, 3)),
       TEXT("ab:"), TEXT("x"), TEXT("-a"));
  CALL("getopt __posix_getopt", 'i', V(1), WORDS(at(3, 2)), RAW("ab"),
       TEXT("x"));
  CALL("getopt __posix_getopt", 'i', V(2), WORDS(at(3, 2), at(4, 3)),
       RAW("abc"), TEXT("x"), TEXT("-a"));
  CALL("getopt_long getopt_long_only", 'i', V(2), WORDS(at(5, 2), at(6, 3)),
       TEXT("ab:"), ZERO(32), OUT(4), TEXT("x"), TEXT("-a"));
  CALL("getopt_long getopt_long_only", 'i', V(2), WORDS(at(5, 2), at(6, 9)),
       TEXT("ab:"), WORDS(at(7, 8), 0, at(8, 4), 9, 0, 0, 0, 0), OUT(4),
       TEXT("x"), TEXT("--option"), TEXT("option\0"), OUT(4));
  CALL("getopt_long getopt_long_only", 'i', V(0), V(1), V(1), V(1), V(1));
  CALL("getopt_long getopt_long_only", 'i', V(1), WORDS(at(5, 2)), TEXT("ab:"),
       V(1), V(1), TEXT("x"));
  refresh = NULL;
  CALL("getpwnam getgrnam", 'v', TEXT("root"));
  CALL("getpwuid getgrgid", 'v', V(0));
  CALL("getpwnam_r", 'e', TEXT("root"), OUT(48), OUT(9000), V(9000), OUT(8));
  CALL("getpwnam_r", 'e', TEXT("nobody of it"), OUTX(48), OUTX(9000), V(9000),
       OUT(8));
  CALL("getpwnam_r", 'e', TEXT("root"), OUTX(48), OUTX(3), V(3), OUT(8));
  CALL("getpwuid_r", 'e', V(0), OUT(48), OUT(9000), V(9000), OUT(8));
  CALL("getgrnam_r", 'e', TEXT("root"), OUT(32), OUT(9000), V(9000), OUT(8));
  CALL("getgrnam_r", 'e', TEXT("root"), OUTX(32), OUTX(3), V(3), OUT(8));
  CALL("getgrgid_r", 'e', V(0), OUT(32), OUT(9000), V(9000), OUT(8));
  CALL("getpwent_r", 'e', OUTX(48), OUTX(9000), V(9000), OUTX(8));
  CALL("getgrent_r", 'e', OUTX(32), OUTX(9000), V(9000), OUTX(8));
  users = fopen("/etc/passwd", "r"), groups = fopen("/etc/group", "r");
  refresh = first_user;
  CALL("fgetpwent_r", 'e', V(users), OUT(48), OUT(900), V(900), OUT(8));
  CALL("fgetgrent_r", 'e', V(groups), OUT(32), OUT(900), V(900), OUT(8));
  CALL("fgetpwent_r", 'e', V(users), OUTX(48), OUTX(3), V(3), OUT(8));
  refresh = NULL;
  FILE *const f = fopen("/proc/mounts", "r");
  CALL("getmntent_r", 'v', V(f), OUTX(40), OUTX(900), V(900));
  CALL("getutxent", 'v', V(0));
  CALL("getutxid getutxline", 'v', ZERO(384));
  CALL("getgrouplist", 'i', TEXT("root"), V(0), OUTX(400), INTS(100));
  CALL("getgrouplist", 'i', TEXT("root"), V(0), OUT(0), INTS(0));
  CALL("getloadavg", 'i', OUTX(24), V(3));
  CALL("backtrace", 'v', OUTX(80), V(10));
  void *const here = (void *)set_up;
  CALL("backtrace_symbols", 'v', INX(&here, 8), V(1));
  CALL("backtrace_symbols_fd", 'v', INX(&here, 8), V(1), V(-1));
  CALL("dladdr", 'i', V(set_up), OUTX(32));
  CALL("dladdr", 'i', V(4096), OUT(32));
  CALL("dladdr1", 'i', V(set_up), OUTX(32), OUTX(8), V(RTLD_DL_LINKMAP));
  CALL("dladdr1", 'i', V(set_up), OUTX(32), OUTX(8), V(RTLD_DL_SYMENT));
  CALL("dl_iterate_phdr", 'i', V(see_library), ZERO(4));
  CALL("system", 'i', TEXT("exit 3"));
  only_good = 0;
  CALL("strerror_r", 'p', V(1), OUT(24), V(24));
  CALL("strerror_r", 'p', V(9999), OUT(5), V(5));
  CALL("__xpg_strerror_r", 'e', V(1), OUT(24), V(24));
  CALL("__xpg_strerror_r", 'e', V(1), OUT(5), V(5));
  CALL("__xpg_strerror_r", 'e', V(1), OUT(0), V(0));
  CALL("clock_getcpuclockid", 'e', V(0), OUTX(4));
  CALL("ptrace", 'l', V(PTRACE_GETREGS), V(-1), V(0), OUT(216));
  CALL("ptrace", 'l', V(PTRACE_GETREGSET), V(-1), V(1), WORDS(at(4, 216), 216),
       OUT(216));
  CALL("ptrace", 'l', V(PTRACE_SETREGSET), V(-1), V(1), WORDS(at(4, 216), 216),
       OUT(216));
  CALL("ptrace", 'l', V(PTRACE_SETSIGINFO), V(-1), V(0), OUT(128));
  clean_up = wait_for_it;
  spared = 1; /* libc would die of it, all signals blocked */
  CALL("posix_spawn posix_spawnp", 'e', OUTX(4), TEXT("/bin/true"), V(0), V(0),
       WORDS(at(6, 2), 0), WORDS(at(7, 4), 0), TEXT("x"), TEXT("A=B"));
  CALL("posix_spawn posix_spawnp", 'e', OUTX(4), TEXT("/nowhere"), V(0), V(0),
       WORDS(at(6, 2), 0), WORDS(at(7, 4), 0), TEXT("x"), TEXT("A=B"));
  CALL_SINCE(39, "pidfd_spawn pidfd_spawnp", 'e', OUTX(4), TEXT("/bin/true"),
             V(0), V(0), WORDS(at(6, 2), 0), WORDS(at(7, 4), 0), TEXT("x"),
             TEXT("A=B"));
  CALL_SINCE(39, "pidfd_spawn pidfd_spawnp", 'e', OUT(4), TEXT("/nowhere"),
             V(0), V(0), WORDS(at(6, 2), 0), V(0), TEXT("x"));
  CALL("posix_spawn posix_spawnp", 'e', V(0), TEXT("/bin/true"), V(0), V(0),
       WORDS(at(6, 2), 0), V(0), TEXT("x"));
  static char option[] = "PAGETIDE_OPTIONS=";
  for (size_t n = 1; n <= sizeof option; ++n)
    CALL("posix_spawn", 'e', OUTX(4), TEXT("/bin/true"), V(0), V(0),
         WORDS(at(6, 2), 0), WORDS(at(7, n), 0), TEXT("x"), IN(option, n));
  clean_up = NULL, spared = 0;
  CALL("execve execvpe", 'i', TEXT("/nowhere"), WORDS(at(3, 2), 0),
       WORDS(at(4, 4), 0), TEXT("x"), TEXT("A=B"));
  CALL("execv execvp", 'i', TEXT("/nowhere"), WORDS(at(2, 2), 0), TEXT("x"));
  CALL("fexecve", 'i', V(-1), WORDS(at(3, 2), 0), WORDS(at(4, 4), 0), TEXT("x"),
       TEXT("A=B"));
  CALL("fexecve", 'i', V(file), WORDS(at(3, 2), 0), WORDS(at(4, 4), 0),
       TEXT("x"), TEXT("A=B"));
  CALL("execveat", 'i', V(AT_FDCWD), TEXT("/nowhere"), WORDS(at(5, 2), 0),
       WORDS(at(6, 4), 0), V(0), TEXT("x"), TEXT("A=B"));
  CALL("execl execlp execle", 'i', TEXT("/nowhere"), TEXT("x"), TEXT("y"), V(0),
       V(0));
  CALL("getrlimit getrlimit64", 'i', V(RLIMIT_AS), OUT(16));
  CALL("getrlimit getrlimit64", 'i', V(RLIMIT_CORE), OUT(16));
  CALL("getrlimit getrlimit64", 'i', V(99), OUT(16));
  CALL("setrlimit setrlimit64", 'i', V(RLIMIT_AS), WORDS(-1, -1));
  CALL("setrlimit setrlimit64", 'i', V(RLIMIT_AS), WORDS(2, 1));
  CALL("setrlimit setrlimit64", 'i', V(RLIMIT_CORE), WORDS(0, 0));
  CALL("prlimit prlimit64", 'i', V(0), V(RLIMIT_AS), WORDS(-1, -1), OUT(16));
  CALL("prlimit prlimit64", 'i', V(0), V(RLIMIT_AS), V(0), OUT(16));
  CALL("prlimit prlimit64", 'i', V(0), V(RLIMIT_AS), V(0), V(0));
  CALL("prlimit prlimit64", 'i', V(0), V(RLIMIT_AS), WORDS(-1, -1), V(0));
  CALL("prlimit prlimit64", 'i', V(getpid()), V(RLIMIT_CORE), WORDS(0, 0),
       OUTX(16));
  CALL("arch_prctl", 'i', V(0x1003 /* ARCH_GET_FS */), OUTX(8));
  CALL("arch_prctl", 'i', V(0x9999), OUT(8));
  CALL("prctl", 'i', V(16 /* PR_GET_NAME */), OUTX(16));
  CALL("prctl", 'i', V(15 /* PR_SET_NAME */), TEXT("bounds"));
  CALL("prctl", 'i', V(15), IN("0123456789abcde", 15));
  CALL("prctl", 'i', V(2 /* PR_GET_PDEATHSIG */), OUT(4));
  CALL("syscall", 'l', V(157 /* prctl */), V(15), RAW("bounds"));
  const long watching = syscall(300 /* fanotify_init */, 0x200, 0);
  CALL("syscall", 'l', V(301 /* fanotify_mark */), V(watching),
       V(0x80 /* FAN_MARK_FLUSH */), V(0), V(AT_FDCWD), V(1));
  CALL("setgroups", 'i', V(-1), OUT(4));
  CALL("setgroups", 'i', V(70000), OUT(4));
  CALL("capset", 'i', INTS(0, 0), OUTX(24));
  CALL("mmap mmap64", 'l', V(0), V(0), V(3), V(34), V(-1), V(0));
  CALL("munmap", 'i', V(1), V(4096), V(1));
  CALL("mremap", 'l', V(4096), V(4096), V(4096), V(0));
  CALL("madvise", 'i', V(1), V(4096), V(0));
  CALL("shmat", 'l', V(-1), V(0), V(0));
  CALL("mlockall", 'i', V(0));
  CALL("mlockall", 'i', V(99));
  CALL("syscall", 'l', V(39 * 0 + 63 /* uname */), OUT(390));
  CALL("syscall", 'l', V(302 /* prlimit64 */), V(0), V(RLIMIT_CORE), V(0),
       OUT(16));
  CALL("syscall", 'l', V(20 /* writev */), V(-1), WORDS(at(4, 8), 8), V(1),
       OUT(8));
  CALL("syscall", 'l', V(19 /* readv */), V(file), WORDS(at(4, 8), 8), V(1),
       OUTX(8));
  CALL("syscall", 'l', V(59 /* execve */), TEXT("/nowhere"), WORDS(at(4, 2), 0),
       WORDS(at(5, 4), 0), TEXT("x"), TEXT("A=B"));
  CALL("syscall", 'l', V(46 /* sendmsg */), V(-1),
       WORDS(at(4, 4), 4, at(5, 16), 1, at(6, 24), 24, 0), V(0), OUT(4),
       WORDS(at(7, 8), 8), OUT(24), OUT(8));
}

static void synchronization(void) {
  CALL("pthread_mutex_init", 'e', OUT(40), V(0));
  CALL("pthread_mutex_init", 'e', OUT(40), ZERO(4));
  CALL("mtx_init", 'e', OUT(40), V(0));
  CALL("pthread_mutex_lock pthread_mutex_trylock mtx_lock mtx_trylock", 'e',
       INX(zeros, 40));
  CALL("pthread_mutex_timedlock mtx_timedlock", 'e', INX(zeros, 40),
       WORDS(0, 0));
  CALL("pthread_mutex_timedlock mtx_timedlock", 'e', INX(zeros, 40),
       WORDS(0, -1));
  CALL("pthread_mutex_clocklock", 'e', INX(zeros, 40), V(1), WORDS(0, 0));
  CALL("pthread_mutex_clocklock", 'e', INX(zeros, 40), V(99), WORDS(0, 0));
  CALL("pthread_mutex_unlock mtx_unlock", 'e',
       INTS(1, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  CALL("pthread_mutex_destroy mtx_destroy", 'v', INX(zeros, 40));
  CALL("pthread_mutex_consistent", 'e', INX(zeros, 40));
  CALL("pthread_mutex_getprioceiling", 'e', INX(zeros, 40), OUT(4));
  CALL("pthread_mutex_setprioceiling", 'e', INX(zeros, 40), V(1), OUT(4));
  CALL("pthread_cond_init", 'e', OUT(48), V(0));
  CALL("pthread_cond_init", 'e', OUT(48), ZERO(4));
  CALL("cnd_init", 'e', OUT(48));
  CALL("pthread_cond_destroy pthread_cond_signal pthread_cond_broadcast", 'e',
       ZERO(48));
  CALL("cnd_destroy cnd_signal cnd_broadcast", 'v', ZERO(48));
  CALL("pthread_rwlock_init", 'e', OUT(56), V(0));
  CALL("pthread_rwlock_init", 'e', OUT(56), ZERO(8));
  CALL("pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock "
       "pthread_rwlock_trywrlock",
       'e', INX(zeros, 56));
  CALL("pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock", 'e',
       INX(zeros, 56), WORDS(0, 0));
  CALL("pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock", 'e',
       INX(zeros, 56), V(1), WORDS(0, 0));
  CALL("pthread_rwlock_unlock", 'e',
       INTS(8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  CALL("sem_init", 'i', OUT(32), V(0), V(1));
  CALL("sem_init", 'i', OUT(32), V(0), V(-1));
  CALL("sem_post", 'i', ZERO(32));
  CALL("sem_wait sem_trywait", 'i', WORDS(1, 0, 0, 0));
  CALL("sem_trywait", 'i', ZERO(32));
  CALL("sem_timedwait", 'i', ZERO(32), WORDS(0, 0));
  CALL("sem_timedwait", 'i', WORDS(1, 0, 0, 0), WORDS(0, -1));
  CALL("sem_clockwait", 'i', ZERO(32), V(1), WORDS(0, 0));
  CALL("sem_clockwait", 'i', ZERO(32), V(99), WORDS(0, 0));
  CALL("sem_getvalue", 'i', WORDS(1, 0, 0, 0), OUT(4));
  CALL("pthread_spin_init", 'e', OUT(4), V(0));
  CALL("pthread_spin_lock pthread_spin_trylock", 'e', INTS(1));
  CALL("pthread_spin_unlock", 'e', INTS(0));
  CALL("pthread_barrier_init", 'e', OUT(32), V(0), V(1));
  CALL("pthread_barrier_init", 'e', OUT(32), ZERO(4), V(0));
  CALL("pthread_barrier_wait", 'i', INTS(0, 0, 1, 0, 0, 0, 0, 0));
  CALL("pthread_barrier_destroy", 'e', INTS(0, 0, 1, 0, 0, 0, 0, 0));
  CALL("pthread_once", 'e', INTS(2), V(0));
  CALL("call_once", 'v', INTS(2), V(0));
  CALL("pthread_attr_init", 'e', OUT(56));
  CALL("pthread_attr_destroy", 'e', ZERO(56));
  CALL("pthread_attr_setdetachstate pthread_attr_setinheritsched "
       "pthread_attr_setscope pthread_attr_setschedpolicy "
       "pthread_attr_setguardsize pthread_attr_setstacksize",
       'e', ZERO(56), V(1));
  CALL("pthread_attr_setschedparam", 'e', ZERO(56), INTS(0));
  CALL("pthread_attr_setstack", 'e', ZERO(56), V(4096), V(65536));
  CALL("pthread_attr_setaffinity_np", 'e', INX(zeros, 56), V(8), WORDS(1));
  CALL("pthread_attr_getaffinity_np", 'e', ZERO(56), V(8), OUT(8));
  CALL("pthread_attr_getdetachstate pthread_attr_getinheritsched "
       "pthread_attr_getschedparam pthread_attr_getschedpolicy "
       "pthread_attr_getscope",
       'e', ZERO(56), OUT(4));
  CALL("pthread_attr_getguardsize pthread_attr_getstacksize", 'e', ZERO(56),
       OUT(8));
  CALL("pthread_attr_getstack", 'e', ZERO(56), OUT(8), OUT(8));
  CALL("pthread_mutexattr_init pthread_condattr_init pthread_barrierattr_init",
       'e', OUT(4));
  CALL("pthread_rwlockattr_init", 'e', OUT(8));
  CALL("pthread_mutexattr_settype pthread_mutexattr_setrobust "
       "pthread_mutexattr_setprotocol pthread_mutexattr_setprioceiling "
       "pthread_mutexattr_setpshared pthread_condattr_setclock "
       "pthread_condattr_setpshared pthread_barrierattr_setpshared",
       'e', ZERO(4), V(1));
  CALL("pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared", 'e',
       ZERO(8), V(1));
  CALL("pthread_mutexattr_gettype pthread_mutexattr_getrobust "
       "pthread_mutexattr_getprotocol pthread_mutexattr_getprioceiling "
       "pthread_mutexattr_getpshared pthread_condattr_getclock "
       "pthread_condattr_getpshared pthread_barrierattr_getpshared",
       'e', ZERO(4), OUT(4));
  CALL("pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared", 'e',
       ZERO(8), OUT(4));
  CALL("pthread_getattr_np", 'e', V(pthread_self()), OUTX(56));
  CALL("pthread_getaffinity_np", 'e', V(pthread_self()), V(128), OUTX(128));
  CALL("pthread_getcpuclockid", 'e', V(pthread_self()), OUTX(4));
  CALL("pthread_getname_np", 'e', V(pthread_self()), OUTX(16), V(16));
  CALL("pthread_getname_np", 'e', V(pthread_self()), OUTX(3), V(3));
  only_good = 1; /* libc would die with a lock held */
  CALL("pthread_getschedparam", 'e', V(pthread_self()), OUT(4), OUT(4));
  only_good = 0;
  CALL("pthread_key_create tss_create", 'e', OUTX(4), V(0));
  CALL("pthread_setcancelstate pthread_setcanceltype", 'e', V(0), OUT(4));
  CALL("pthread_setcancelstate pthread_setcanceltype", 'e', V(9), OUT(4));
  CALL("pthread_tryjoin_np", 'e', V(pthread_self()), OUT(8));
  CALL("posix_memalign", 'e', OUTX(8), V(64), V(100));
  CALL("posix_memalign", 'e', OUT(8), V(3), V(100));
}

static void pend(void) {
  sigset_t usr1;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  raise(SIGUSR1);
}

static void waits(void) {
  sigset_t usr1;
  sigemptyset(&usr1), sigaddset(&usr1, SIGUSR1);
  refresh = pend;
  CALL("sigwait", 'i', IN(&usr1, 8), OUT(4));
  CALL("sigwaitinfo", 'i', IN(&usr1, 8), OUTX(128));
  refresh = NULL;
  only_good = 1; /* bad ones would wait for ever */
  CALL("pthread_cond_timedwait cnd_timedwait", 'e', INX(zeros, 48),
       INX(zeros, 40), WORDS(0, 0));
  CALL("pthread_cond_clockwait", 'e', INX(zeros, 48), INX(zeros, 40), V(1),
       WORDS(0, 0));
  CALL("initgroups", 'i', TEXT("root"), V(0));
  only_good = 0;
}

static void numbers(void) {
  CALL("sincos sincosf64 sincosf32x", 'v', D(1), OUT(8), OUT(8));
  CALL("sincosf sincosf32", 'v', F(1), OUT(4), OUT(4));
  CALL("remquo remquof64 remquof32x", 'd', D(13), D(3), OUT(4));
  CALL("remquof remquof32", 'd', F(13), F(3), OUT(4));
  CALL("lgamma_r lgammaf64_r lgammaf32x_r frexp frexpf64 frexpf32x", 'd',
       D(-.5), OUT(4));
  CALL("lgammaf_r lgammaf32_r frexpf frexpf32 modff modff32", 'd', F(-.5f),
       OUT(4));
  CALL("modf modff64 modff32x", 'd', D(3.5), OUT(8));
  CALL("canonicalize canonicalizef64 canonicalizef32x", 'i', OUT(8), ZERO(8));
  CALL("canonicalizef canonicalizef32", 'i', OUT(4), ZERO(4));
  CALL("setpayload setpayloadf64 setpayloadf32x setpayloadsig setpayloadsigf64 "
       "setpayloadsigf32x",
       'i', OUT(8), D(5));
  CALL("setpayloadf setpayloadf32 setpayloadsigf setpayloadsigf32", 'i', OUT(4),
       F(5));
  CALL("setpayload", 'i', OUT(8), D(-5));
  /* The lower half of a number is given. */
  CALL("sincosf128", 'v', D(1), OUT(16), OUT(16));
  CALL("remquof128", 'd', D(13), D(3), OUT(4));
  CALL("lgammaf128_r frexpf128", 'd', D(.5), OUT(4));
  CALL("modff128", 'd', D(3.5), OUT(16));
  CALL("canonicalizef128", 'i', OUT(16), ZERO(16));
  CALL("setpayloadf128 setpayloadsigf128", 'i', OUT(16), D(0));
  stacked[0] = 12.5L, stacked[1] = 3;
  CALL("sincosl sincosf64x", 'v', OUT(10), OUT(10));
  CALL("remquol remquof64x lgammal_r lgammaf64x_r frexpl frexpf64x", 'L',
       OUT(4));
  CALL("modfl modff64x", 'L', OUT(10));
  CALL("setpayloadl setpayloadf64x setpayloadsigl setpayloadsigf64x", 'i',
       OUT(10));
  stacked[0] = 0;
  CALL("canonicalizel canonicalizef64x", 'i', OUT(10), ZERO(10));
  CALL("fegetenv", 'i', OUTX(32));
  CALL("fegetmode", 'i', OUTX(8));
  CALL("feholdexcept", 'i', OUTX(32));
  CALL("fegetexceptflag", 'i', OUTX(2), V(0x3d));
}

int main(void) {
  set_up();
  file = memfd_create("file", 0);
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  times_and_signals();
  system_state();
  synchronization();
  numbers();
  waits();
  return 0;
}

/*===- raw_outcomes.c - System calls by their numbers ----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>

static int file, folder;
static void set_file(void) {
  lseek(folder, 0, SEEK_SET);
  if (ftruncate(file, 0) || write(file, zeros, 100) != 100)
    abort();
}

#define RAW(number, ...) RAW_OF('l', number, __VA_ARGS__)
#define RAW_OF(kind, number, ...)                                              \
  do {                                                                         \
    row_name = "syscall:" #number;                                             \
    CALL("syscall", kind, V(SYS_##number), __VA_ARGS__);                       \
    row_name = NULL;                                                           \
  } while (0)

/* What the next calls read: a pipe with "hello", sockets with a datagram. */
static int ends[2], sockets[2], streams[2], waiting;
static void fill(void) {
  char away[64];
  set_file();
  while (read(ends[0], away, sizeof away) > 0)
    ;
  while (recv(sockets[0], away, sizeof away, 0) >= 0)
    ;
  if (write(ends[1], "hello", 5) != 5 || send(sockets[1], "datagram", 8, 0) < 0)
    abort();
}
#define PIECES(...) WORDS(__VA_ARGS__)

static void input_and_output(void) {
  refresh = fill;
  RAW(read, V(ends[0]), OUT(9), V(9));
  RAW(read, V(ends[0]), OUT(3), V(3));
  RAW(read, V(ends[0]), OUT(5 + BASE_PAGE), V(5 + BASE_PAGE));
  RAW(read, V(-1), OUT(9), V(9));
  RAW(read, V(folder), OUT(9), V(9));
  RAW(pread64, V(file), OUT(200), V(200), V(0));
  RAW(pread64, V(file), OUT(20), V(20), V(100));
  RAW(pread64, V(file), OUT(20), V(20), V(-1));
  RAW(readv, V(ends[0]), PIECES(at(8, 3), 3, at(9, 9), 9), V(2), V(0), V(0),
      V(0), V(0), OUT(3), OUT(9));
  RAW(preadv, V(file), PIECES(at(8, 3), 3, at(9, 9), 9), V(2), V(95), V(0),
      V(0), V(0), OUT(3), OUT(9));
  RAW(preadv2, V(file), PIECES(at(8, 3), 3, at(9, 9), 9), V(2), V(0), V(0),
      V(0), V(0), OUT(3), OUT(9));
  RAW(preadv, V(-1), PIECES(at(8, 3), 3), V(1), V(0), V(0), V(0), V(0), OUT(3));
  RAW(write, V(file), IN(zeros, 200), V(200));
  RAW(write, V(-1), IN(zeros, 200), V(200));
  RAW(pwrite64, V(file), IN(zeros, 200), V(200), V(7));
  RAW(writev, V(file), PIECES(at(8, 3), 3, at(9, 9), 9), V(2), V(0), V(0), V(0),
      V(0), ZERO(3), ZERO(9));
  RAW(pwritev, V(file), PIECES(at(8, 3), 3, at(9, 9), 9), V(2), V(0), V(0),
      V(0), V(0), ZERO(3), ZERO(9));
  RAW(writev, V(-1), PIECES(at(8, 3), 3), V(1), V(0), V(0), V(0), V(0),
      ZERO(3));
  RAW(sendfile, V(ends[1]), V(file), WORDS(0), V(10));
  RAW(sendfile, V(ends[1]), V(file), WORDS(100), V(10));
  RAW(sendfile, V(-1), V(file), WORDS(0), V(10));
  RAW(ioctl, V(ends[0]), V(FIONREAD), OUT(4));
  RAW(ioctl, V(-1), V(FIONREAD), OUT(4));
  RAW(splice, V(file), WORDS(0), V(ends[1]), V(0), V(10), V(0));
  RAW(splice, V(file), WORDS(100), V(ends[1]), V(0), V(10), V(0));
  RAW(splice, V(-1), WORDS(0), V(ends[1]), V(0), V(10), V(0));
  RAW(getrandom, OUTX(9), V(9), V(0));
  RAW(getrandom, OUT(9), V(9), V(-1));
  refresh = NULL;
}

static void messages(void) {
  refresh = fill;
  RAW(recvfrom, V(sockets[0]), OUT(20), V(20), V(0), OUT(110), INTS(110));
  RAW(recvfrom, V(sockets[0]), OUT(3), V(3), V(0), V(0), V(0));
  RAW(recvfrom, V(ends[0]), OUT(20), V(20), V(0), OUT(110), INTS(110));
  RAW(recvmsg, V(sockets[0]), WORDS(0, 0, at(8, 16), 1, at(9, 64), 64, 0), V(0),
      V(0), V(0), V(0), V(0), PIECES(at(10, 20), 20), OUT(64), OUT(20));
  RAW(recvmsg, V(streams[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0),
      V(MSG_DONTWAIT), V(0), V(0), V(0), V(0), PIECES(at(9, 20), 20), OUT(20));
  RAW(sendmsg, V(sockets[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0), V(0), V(0),
      V(0), V(0), V(0), PIECES(at(9, 20), 20), ZERO(20));
  RAW(sendmsg, V(ends[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0), V(0), V(0), V(0),
      V(0), V(0), PIECES(at(9, 20), 20), ZERO(20));
  RAW(recvmmsg, V(sockets[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0, 0), V(1),
      V(0), V(0), V(0), V(0), PIECES(at(9, 20), 20), OUT(20));
  RAW(recvmmsg, V(streams[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0, 0), V(1),
      V(MSG_DONTWAIT), V(0), V(0), V(0), PIECES(at(9, 20), 20), OUT(20));
  RAW(sendmmsg, V(sockets[0]), WORDS(0, 0, at(8, 16), 1, 0, 0, 0, 0), V(1),
      V(0), V(0), V(0), V(0), PIECES(at(9, 20), 20), ZERO(20));
  RAW(sendto, V(sockets[0]), ZERO(20), V(20), V(0), V(0), V(0));
  RAW(sendto, V(ends[0]), ZERO(20), V(20), V(0), V(0), V(0));
  refresh = NULL;
  RAW(getsockname, V(sockets[0]), OUT(110), INTS(110));
  RAW(getsockname, V(ends[0]), OUT(110), INTS(110));
  RAW(getpeername, V(sockets[0]), OUT(110), INTS(110));
  RAW(getpeername, V(waiting), OUT(110), INTS(110));
  RAW(getsockopt, V(sockets[0]), V(SOL_SOCKET), V(SO_TYPE), OUT(4), INTS(4));
  RAW(getsockopt, V(sockets[0]), V(SOL_SOCKET), V(SO_TYPE), OUT(2), INTS(2));
  RAW(getsockopt, V(sockets[0]), V(SOL_SOCKET), V(-1), OUT(4), INTS(4));
  RAW(setsockopt, V(sockets[0]), V(SOL_SOCKET), V(SO_PASSCRED), INTS(0), V(4));
  RAW(setsockopt, V(sockets[0]), V(SOL_SOCKET), V(-1), INTS(0), V(4));
  RAW(accept, V(waiting), OUT(110), INTS(110));
  RAW(accept4, V(waiting), OUT(110), INTS(110), V(0));
  struct sockaddr_un nowhere = {.sun_family = AF_UNIX};
  strcpy(nowhere.sun_path, "/nowhere/x");
  RAW(connect, V(streams[0]), IN(&nowhere, sizeof nowhere), V(sizeof nowhere));
  RAW(bind, V(waiting), IN(&nowhere, sizeof nowhere), V(sizeof nowhere));
  RAW(socketpair, V(AF_UNIX), V(SOCK_STREAM), V(0), OUTX(8));
  RAW(socketpair, V(-1), V(SOCK_STREAM), V(0), OUT(8));
  RAW(pipe2, OUTX(8), V(0));
  RAW(pipe2, OUT(8), V(-1));
}

static void waits(void) {
  const int epoll = epoll_create1(0),
            clock = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct pollfd one = {ends[0], POLLIN, 0}, none = {ends[0], POLLPRI, 0};
  refresh = fill;
  RAW(poll, IN(&one, 8), V(1), V(0));
  RAW(poll, IN(&none, 8), V(1), V(0));
  RAW(poll, IN(&none, 8), V(-1), V(0));
  RAW(ppoll, IN(&one, 8), V(1), WORDS(0, 1), ZERO(8), V(8));
  RAW(ppoll, IN(&none, 8), V(1), INX(((const long[]){0, 1}), 16), V(0), V(8));
  RAW(ppoll, IN(&none, 8), V(1), WORDS(0, -1), V(0), V(8));
  RAW(select, V(ends[0] + 1), WORDS(1L << ends[0]), ZERO(8), ZERO(8),
      WORDS(0, 1));
  RAW(select, V(-1), ZERO(8), ZERO(8), ZERO(8), WORDS(0, 1));
  RAW(pselect6, V(ends[0] + 1), WORDS(1L << ends[0]), ZERO(8), ZERO(8),
      WORDS(0, 1), V(0));
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  RAW(epoll_ctl, V(epoll), V(EPOLL_CTL_MOD), V(ends[0]), INTS(EPOLLIN, 7, 7));
  RAW(epoll_ctl, V(epoll), V(EPOLL_CTL_ADD), V(-1), INTS(EPOLLIN, 7, 7));
  RAW(epoll_wait, V(epoll), OUT(24), V(2), V(0));
  RAW(epoll_wait, V(-1), OUT(24), V(2), V(0));
  RAW(epoll_pwait, V(epoll), OUT(24), V(2), V(0), ZERO(8), V(8));
  RAW(epoll_pwait2, V(epoll), OUT(24), V(2), WORDS(0, 1), ZERO(8), V(8));
  refresh = NULL;
  RAW(timerfd_settime, V(clock), V(0), WORDS(0, 0, 0, 0), OUT(32));
  RAW(timerfd_settime, V(-1), V(0), WORDS(0, 0, 0, 0), OUT(32));
  RAW(timerfd_gettime, V(clock), OUT(32));
  RAW(timerfd_gettime, V(-1), OUT(32));
  RAW(signalfd4, V(-1), ZERO(8), V(8), V(0));
  RAW(signalfd4, V(-1), ZERO(8), V(7), V(0));
  RAW(futex, INTS(1), V(128), V(2), V(0));
  RAW(futex, INTS(1), V(128), V(1), WORDS(0, 1));
  RAW(futex, INTS(1), V(129), V(1), V(0));
  RAW(futex, INTS(1), V(131), V(1), V(1), INTS(5));
  RAW(nanosleep, WORDS(0, 1), OUT(16));
  RAW(nanosleep, WORDS(0, -1), OUT(16));
  RAW(clock_nanosleep, V(1), V(0), WORDS(0, 1), OUT(16));
  RAW(clock_nanosleep, V(99), V(0), WORDS(0, 1), OUT(16));
  RAW(rt_sigtimedwait, ZERO(8), OUT(128), WORDS(0, 0), V(8));
  RAW(rt_sigtimedwait, ZERO(8), OUT(128), WORDS(0, -1), V(8));
  RAW(waitid, V(0), V(-1), OUT(128), V(4), V(0));
  RAW(wait4, V(-1), OUT(4), V(1), OUT(144));
}

static void names(void) {
  RAW(open, TEXT("/"), V(O_RDONLY | O_PATH), V(0));
  RAW(open, TEXT("/nowhere/x"), V(O_RDONLY), V(0));
  RAW(openat, V(AT_FDCWD), TEXT("/nowhere/x"), V(O_RDONLY), V(0));
  RAW(openat, V(AT_FDCWD), TEXT("/"), V(O_PATH), V(0));
  RAW(creat, TEXT("/nowhere/x"), V(0600));
  RAW(access, TEXT("/"), V(0));
  RAW(access, TEXT("/nowhere/x"), V(0));
  RAW(faccessat, V(AT_FDCWD), TEXT("/"), V(0));
  RAW(faccessat, V(AT_FDCWD), TEXT("/nowhere/x"), V(0));
  RAW(stat, TEXT("/"), OUTX(144));
  RAW(stat, TEXT("/nowhere/x"), OUT(144));
  RAW(lstat, TEXT("/"), OUTX(144));
  RAW(fstat, V(file), OUTX(144));
  RAW(fstat, V(-1), OUT(144));
  RAW(newfstatat, V(AT_FDCWD), TEXT("/"), OUTX(144), V(0));
  RAW(newfstatat, V(AT_FDCWD), TEXT("/nowhere/x"), OUT(144), V(0));
  RAW(statx, V(AT_FDCWD), TEXT("/"), V(0), V(0x7ff), OUTX(256));
  RAW(statx, V(AT_FDCWD), TEXT("/nowhere/x"), V(0), V(0x7ff), OUT(256));
  RAW(statfs, TEXT("/"), OUTX(120));
  RAW(statfs, TEXT("/nowhere/x"), OUT(120));
  RAW(fstatfs, V(file), OUTX(120));
  RAW(fstatfs, V(-1), OUT(120));
  RAW(readlink, TEXT("/proc/self/root"), OUT(9), V(9));
  RAW(readlink, TEXT("/nowhere/x"), OUT(9), V(9));
  RAW(readlinkat, V(AT_FDCWD), TEXT("/proc/self/root"), OUT(9), V(9));
  RAW(readlinkat, V(AT_FDCWD), TEXT("/"), OUT(9), V(9));
  RAW(getcwd, OUT(BASE_PAGE), V(BASE_PAGE));
  RAW(getcwd, OUT(1), V(1));
  RAW(chdir, TEXT("."));
  RAW(chdir, TEXT("/nowhere/x"));
  RAW(mkdir, TEXT("/nowhere/x"), V(0700));
  RAW(mkdirat, V(AT_FDCWD), TEXT("/nowhere/x"), V(0700));
  RAW(rmdir, TEXT("/nowhere/x"));
  RAW(unlink, TEXT("/nowhere/x"));
  RAW(unlinkat, V(AT_FDCWD), TEXT("/nowhere/x"), V(0));
  RAW(rename, TEXT("/nowhere/x"), TEXT("/nowhere/y"));
  RAW(link, TEXT("/nowhere/x"), TEXT("/nowhere/y"));
  RAW(symlink, TEXT("x"), TEXT("/nowhere/y"));
  RAW(symlinkat, TEXT("x"), V(AT_FDCWD), TEXT("/nowhere/y"));
  RAW(chmod, TEXT("/nowhere/x"), V(0700));
  RAW(fchmodat, V(AT_FDCWD), TEXT("/nowhere/x"), V(0700));
  RAW(chown, TEXT("/nowhere/x"), V(0), V(0));
  RAW(fchownat, V(AT_FDCWD), TEXT("/nowhere/x"), V(0), V(0), V(0));
  RAW(truncate, TEXT("/nowhere/x"), V(0));
  RAW(utimensat, V(AT_FDCWD), TEXT("/nowhere/x"), WORDS(1, 2, 3, 4), V(0));
  RAW(getxattr, TEXT("/"), TEXT("user.x"), OUT(9), V(9));
  RAW(getxattr, TEXT("/nowhere/x"), TEXT("user.x"), OUT(9), V(9));
  RAW(fgetxattr, V(file), TEXT("user.x"), OUT(9), V(9));
  RAW(setxattr, TEXT("/nowhere/x"), TEXT("user.x"), ZERO(9), V(9), V(0));
  RAW(listxattr, TEXT("/nowhere/x"), OUT(9), V(9));
  RAW(flistxattr, V(-1), OUT(9), V(9));
  RAW(memfd_create, TEXT("name"), V(0));
  RAW(memfd_create, TEXT("name"), V(-1));
  RAW(name_to_handle_at, V(AT_FDCWD), TEXT("/nowhere/x"), INTS(8, 0, 0, 0),
      OUT(4), V(0));
  RAW(acct, TEXT("/nowhere/x"));
  RAW(chroot, TEXT("/nowhere/x"));
  RAW(swapon, TEXT("/nowhere/x"), V(0));
  RAW(swapoff, TEXT("/nowhere/x"));
  RAW(umount2, TEXT("/nowhere/x"), V(0));
  RAW(mount, TEXT("none"), TEXT("/nowhere/x"), TEXT("tmpfs"), V(0), V(0));
  RAW(pivot_root, TEXT("/nowhere/x"), TEXT("/nowhere/y"));
  RAW(fspick, V(AT_FDCWD), TEXT("/nowhere/x"), V(0));
  RAW(fsopen, TEXT("nowhere"), V(0));
  RAW(open_tree, V(AT_FDCWD), TEXT("/nowhere/x"), V(0));
  RAW(move_mount, V(AT_FDCWD), TEXT("/nowhere/x"), V(AT_FDCWD),
      TEXT("/nowhere/y"), V(0));
  RAW(mknodat, V(AT_FDCWD), TEXT("/nowhere/x"), V(S_IFIFO | 0600), V(0));
  RAW(lchown, TEXT("/nowhere/x"), V(0), V(0));
  RAW(utime, TEXT("/nowhere/x"), WORDS(1, 2));
  RAW(futimesat, V(AT_FDCWD), TEXT("/nowhere/x"), WORDS(1, 2, 3, 4));
  RAW(renameat, V(AT_FDCWD), TEXT("/nowhere/x"), V(AT_FDCWD),
      TEXT("/nowhere/y"));
  RAW(renameat2, V(AT_FDCWD), TEXT("/nowhere/x"), V(AT_FDCWD),
      TEXT("/nowhere/y"), V(0));
  RAW(linkat, V(AT_FDCWD), TEXT("/nowhere/x"), V(AT_FDCWD), TEXT("/nowhere/y"),
      V(0));
  RAW(lgetxattr, TEXT("/nowhere/x"), TEXT("user.x"), OUT(9), V(9));
  RAW(llistxattr, TEXT("/nowhere/x"), OUT(9), V(9));
  RAW(lsetxattr, TEXT("/nowhere/x"), TEXT("user.x"), ZERO(9), V(9), V(0));
  RAW(fsetxattr, V(-1), TEXT("user.x"), ZERO(9), V(9), V(0));
  RAW(removexattr, TEXT("/nowhere/x"), TEXT("user.x"));
  RAW(lremovexattr, TEXT("/nowhere/x"), TEXT("user.x"));
  RAW(fremovexattr, V(file), TEXT("user.x"));
  RAW(mq_open, TEXT("nowhere"), V(O_RDONLY), V(0), V(0));
  RAW(mq_unlink, TEXT("nowhere"));
  RAW(fanotify_mark, V(-1), V(1), V(1), V(AT_FDCWD), TEXT("/"));
  RAW(getdents64, V(folder), OUTX(4000), V(4000));
  RAW(getdents64, V(-1), OUT(4000), V(4000));
}

static void the_process(void) {
  RAW_OF('v', time, OUTX(8));
  RAW_OF('v', times, OUTX(32));
  RAW(gettimeofday, OUTX(16), OUT(8));
  RAW(clock_gettime, V(0), OUTX(16));
  RAW(clock_gettime, V(99), OUT(16));
  RAW(clock_getres, V(0), OUT(16));
  RAW(getitimer, V(1), OUT(32));
  RAW(getitimer, V(99), OUT(32));
  RAW(setitimer, V(1), WORDS(0, 0, 0, 0), OUT(32));
  RAW(setitimer, V(99), WORDS(0, 0, 0, 0), OUT(32));
  RAW(timer_gettime, V(99), OUT(32));
  RAW(timer_settime, V(99), V(0), WORDS(0, 0, 0, 0), OUT(32));
  RAW(getresuid, OUT(4), OUT(4), OUT(4));
  RAW(getresgid, OUT(4), OUT(4), OUT(4));
  RAW(getgroups, V(64), OUTX(256));
  RAW(getgroups, V(-1), OUT(256));
  RAW(sched_getparam, V(0), OUT(4));
  RAW(sched_getparam, V(-1), OUT(4));
  RAW(sched_rr_get_interval, V(0), OUTX(16));
  RAW(sched_rr_get_interval, V(-1), OUT(16));
  RAW(sched_getaffinity, V(0), V(128), OUTX(128));
  RAW(sched_getaffinity, V(0), V(3), OUT(128));
  RAW(rt_sigpending, OUT(8), V(8));
  RAW(rt_sigpending, OUT(16), V(16));
  RAW(rt_sigprocmask, V(0), ZERO(8), OUT(8), V(8));
  RAW(rt_sigprocmask, V(99), ZERO(8), OUT(8), V(8));
  RAW(rt_sigprocmask, V(99), V(0), OUT(8), V(8));
  RAW(mincore, V(at(4, BASE_PAGE)), V(BASE_PAGE), OUT(1), ZERO(BASE_PAGE));
  RAW(mincore, V(1), V(BASE_PAGE), OUT(1));
  RAW(mincore, V(at(4, BASE_PAGE)), V(65 * BASE_PAGE), OUT(65),
      ZERO(BASE_PAGE));
  RAW(getrlimit, V(7), OUT(16));
  RAW(getrlimit, V(99), OUT(16));
  RAW(setrlimit, V(99), ZERO(16));
  RAW(prlimit64, V(0), V(7), V(0), OUT(16));
  RAW(prlimit64, V(0), V(99), V(0), OUT(16));
  RAW(prlimit64, V(0), V(7), WORDS(9, 1), OUT(16));
  RAW(getrusage, V(0), OUTX(144));
  RAW(getrusage, V(99), OUT(144));
  RAW(uname, OUTX(390));
  RAW(sysinfo, OUTX(112));
  RAW(getcpu, OUTX(4), OUT(4), V(0));
  RAW(get_mempolicy, OUT(4), V(0), V(0), V(0), V(0));
  RAW(get_mempolicy, OUT(4), V(0), V(0), V(0), V(99));
  same_process = 1; /* whose memory it is */
  RAW(process_vm_readv, V(getpid()), PIECES(at(8, 9), 9), V(1),
      PIECES(at(9, 9), 9), V(1), V(0), V(0), OUT(9), ZERO(9));
  same_process = 0;
  RAW(process_vm_readv, V(-1), PIECES(at(8, 9), 9), V(1), PIECES(at(9, 9), 9),
      V(1), V(0), V(0), OUT(9), ZERO(9));
  const int queue = msgget(IPC_PRIVATE, 0600);
  RAW(msgsnd, V(queue), WORDS(1, 2), V(8), V(IPC_NOWAIT));
  RAW(msgsnd, V(-1), WORDS(1, 2), V(8), V(IPC_NOWAIT));
  RAW(msgrcv, V(queue), OUT(16), V(8), V(9), V(IPC_NOWAIT));
  RAW(msgrcv, V(-1), OUT(16), V(8), V(0), V(IPC_NOWAIT));
  RAW(msgctl, V(queue), V(IPC_STAT), OUTX(120));
  RAW(msgctl, V(-1), V(IPC_STAT), OUT(120));
  msgctl(queue, IPC_RMID, NULL);
  const int memory = shmget(IPC_PRIVATE, 4096, 0600);
  RAW(shmctl, V(memory), V(IPC_STAT), OUTX(112));
  RAW(shmctl, V(-1), V(IPC_STAT), OUT(112));
  shmctl(memory, IPC_RMID, NULL);
  RAW(signalfd, V(-1), ZERO(8), V(8));
  RAW(pipe, OUTX(8));
  RAW(sched_setscheduler, V(-1), V(0), INTS(0));
  RAW(rt_tgsigqueueinfo, V(-1), V(-1), V(10), ZERO(128));
  RAW(pidfd_send_signal, V(-1), V(10), ZERO(128), V(0));
  RAW(semtimedop, V(-1), ZERO(6), V(1), WORDS(0, 1));
  same_process = 1; /* whose memory it is */
  RAW(process_vm_writev, V(getpid()), PIECES(at(8, 9), 9), V(1),
      PIECES(at(9, 9), 9), V(1), V(0), V(0), ZERO(9), OUT(9));
  same_process = 0;
  RAW(process_madvise, V(-1), PIECES(0, 9), V(1), V(0), V(0));
  RAW(mbind, V(at(4, BASE_PAGE)), V(BASE_PAGE), V(99), WORDS(1), V(64), V(0));
  RAW(set_mempolicy, V(99), WORDS(1), V(64));
  RAW(settimeofday, WORDS(1, -1), V(0));
  RAW(adjtimex, INTS(-1, -1, [51] = 0));
  RAW(futex_waitv, ZERO(24), V(1), V(0), WORDS(0, 1), V(99));
  RAW(sethostname, ZERO(70), V(70));
  RAW(setdomainname, ZERO(70), V(70));
  RAW(mq_notify, V(-1), ZERO(64));
  RAW(io_setup, V(0), ZERO(8));
  RAW(io_submit, V(0), V(1), WORDS(0));
  RAW(io_getevents, V(0), V(0), V(1), OUT(32), V(0));
  RAW(clock_adjtime, V(0), INX(((int[52]){0}), 208));
  RAW(clock_adjtime, V(99), ZERO(208));
  RAW(clock_settime, V(99), WORDS(1, 2));
  RAW(sched_setattr, V(-1), ZERO(56), V(0));
  RAW(sched_setaffinity, V(-1), V(8), WORDS(1));
  RAW(rt_sigqueueinfo, V(-1), V(10), ZERO(128));
  RAW(setgroups, V(-1), ZERO(8));
  RAW(mq_timedreceive, V(-1), OUT(9), V(9), OUT(4), V(0));
  RAW(mq_timedsend, V(-1), ZERO(9), V(9), V(0), V(0));
  RAW(syslog, V(-1), OUT(9), V(9));
  RAW(move_pages, V(0), V(1), WORDS(at(5, 8)), V(0), OUT(4), ZERO(8));
  RAW(openat2, V(AT_FDCWD), TEXT("/"), WORDS(O_PATH, 0, 0), V(24));
  RAW(copy_file_range, V(file), V(0), V(-1), WORDS(0), V(1), V(0));
}

static void reap(long result) {
  if (result > 0)
    waitpid((pid_t)result, NULL, 0);
}
/* They return twice, or another program runs. */
static void programs(void) {
  way = IN_VFORK_CHILD;
  RAW(execve, TEXT("/bin/true"), WORDS(at(4, 5), 0), WORDS(at(5, 4), 0),
      TEXT("true"), TEXT("A=B"));
  RAW(execve, TEXT("/nowhere/x"), WORDS(0), WORDS(0));
  RAW(execveat, V(AT_FDCWD), TEXT("/bin/true"), WORDS(at(6, 5), 0),
      WORDS(at(7, 4), 0), V(0), TEXT("true"), TEXT("A=B"));
  RAW(execveat, V(AT_FDCWD), TEXT("/nowhere/x"), WORDS(0), WORDS(0), V(0));
  way = HERE;
  clean_up = reap;
  enum { PARENT_SETS = 0x100000, CHILD_SETS = 0x1000000 };
  RAW_OF('f', clone, V(SIGCHLD | PARENT_SETS | CHILD_SETS), V(0), OUTX(4),
         OUT(4), V(0));
  RAW_OF(
      'f', clone3,
      WORDS(PARENT_SETS | CHILD_SETS, 0, at(4, 4), at(3, 4), SIGCHLD, 0, 0, 0),
      V(64), OUTX(4), OUT(4));
  clean_up = NULL;
}

int main(void) {
  set_up();
  only_good = 1;
  file = memfd_create("file", 0), mkdir("inside", 0700);
  folder = open("inside", O_RDONLY | O_DIRECTORY);
  refresh = set_file;
  RAW(copy_file_range, V(file), WORDS(0), V(file), WORDS(200), V(10), V(0));
  RAW(copy_file_range, V(file), WORDS(100), V(file), WORDS(200), V(10), V(0));
  RAW(copy_file_range, V(-1), WORDS(0), V(file), WORDS(200), V(10), V(0));
  RAW(getdents, V(folder), OUTX(4000), V(4000));
  RAW(getdents, V(-1), OUT(4000), V(4000));
  refresh = NULL;
  const struct flock lock = {.l_type = F_RDLCK};
  RAW(fcntl, V(file), V(F_GETLK), IN(&lock, sizeof lock));
  RAW(fcntl, V(-1), V(F_GETLK), IN(&lock, sizeof lock));
  RAW(sigaltstack, V(0), OUTX(24));
  RAW(rt_sigaction, V(10), V(0), OUT(32), V(8));
  RAW(rt_sigaction, V(999), V(0), OUT(32), V(8));
  RAW(capget, INTS(0x20080522, 0), OUTX(24));
  RAW(arch_prctl, V(0x1003), OUTX(8));
  RAW(adjtimex, INX(((int[52]){0}), 208));
  RAW(faccessat2, V(AT_FDCWD), TEXT("/"), V(0), V(0));
  RAW(faccessat2, V(AT_FDCWD), TEXT("/nowhere/x"), V(0), V(0));
  RAW(mknod, TEXT("/nowhere/x"), V(S_IFIFO | 0600), V(0));
  RAW(utimes, TEXT("/nowhere/x"), WORDS(1, 2, 3, 4));
  RAW(inotify_add_watch, V(-1), TEXT("/"), V(1));
  RAW(sched_getattr, V(0), OUTX(56), V(56), V(0));
  RAW(timer_create, V(1), ZERO(64), OUTX(4));
  RAW(timer_create, V(99), ZERO(64), OUT(4));
  const int set = semget(IPC_PRIVATE, 3, 0600);
  RAW(semop, V(set), IN("\0\0\1\0\0\0", 6), V(1));
  RAW(semctl, V(set), V(0), V(IPC_STAT), OUTX(104));
  RAW(semctl, V(set), V(0), V(GETALL), OUTX(6));
  semctl(set, 0, IPC_RMID);
  RAW(mq_getsetattr, V(-1), V(0), OUT(64));
  RAW(get_robust_list, V(0), OUTX(8), OUTX(8));
  RAW(sched_setparam, V(0), INTS(0));
  RAW(openat2, V(AT_FDCWD), TEXT("/nowhere/x"), WORDS(0, 0, 0), V(24));
  if (pipe2(ends, O_NONBLOCK) ||
      socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sockets) ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, streams))
    abort();
  waiting = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  listen(waiting, 1);
  input_and_output();
  messages();
  waits();
  names();
  the_process();
  programs();
  return 0;
}

/*===- inject.c - Makes chosen system calls of the runtime fail ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 *   inject [-c COUNTS] [-l LOG] [-f CALL:N[+]:ERRNO]... -- COMMAND [ARG...]
 *
 * Runs the command below a seccomp filter that asks this program about every
 * call of kCalls. Calls that libpagetide.so does not make go on. Those of the
 * runtime are counted by kind, over all processes of the command. The Nth call
 * of CALL (with +, later ones too) fails with ERRNO. ERRNO `short` makes writev
 * write half of what it was given. CALL `any` numbers the runtime's calls of
 * all kinds together. COUNTS receives a line "CALL NUMBER" a kind, LOG a line
 * for each fault. Exits as the command does.
 *
 * From outside, because the runtime makes its system calls itself: there is no
 * function between it and the kernel that could be replaced. A notification
 * leaves ptrace to the program, and needs no rights.
 *
 *===-----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#define PIDFD_THREAD_FLAG O_EXCL

/* Every call of the runtime that can fail. Left out: those that cannot with
 * the arguments it gives (futex, getpid, rt_sigprocmask, clock_gettime, ...)
 * and those whose failure changes nothing (close, munmap, exit). */
static const struct call {
  int number;
  const char *name;
} kCalls[] = {
#define CALL(name) {SYS_##name, #name}
    CALL(mmap),
    CALL(mremap),
    CALL(mprotect),
    CALL(madvise),
    CALL(msync),
    CALL(memfd_create),
    CALL(ftruncate),
    CALL(fallocate),
    CALL(openat),
    CALL(read),
    CALL(pread64),
    CALL(write),
    CALL(writev),
    CALL(pwrite64),
    CALL(fstat),
    CALL(newfstatat),
    CALL(lseek),
    CALL(readlinkat),
    CALL(getcwd),
    CALL(unlinkat),
    CALL(clone),
    CALL(clone3),
    CALL(dup3),
    CALL(close_range),
    CALL(fcntl),
    CALL(ioctl),
    CALL(prctl),
    CALL(arch_prctl),
    CALL(getrlimit),
    CALL(prlimit64),
    CALL(socket),
    CALL(connect),
    CALL(sendmsg),
    CALL(getsockopt),
    CALL(pidfd_open),
    CALL(pidfd_getfd),
    CALL(tgkill),
    CALL(kill),
    CALL(rt_tgsigqueueinfo),
    CALL(rt_sigaction),
    CALL(sigaltstack),
    CALL(getdents64),
    CALL(ptrace),
    CALL(wait4),
    CALL(process_vm_readv),
    CALL(userfaultfd),
    CALL(getrandom),
    CALL(uname),
    CALL(readlink),
    CALL(open),
    CALL(stat),
    CALL(sched_getaffinity),
#undef CALL
};
enum { kCallCount = sizeof kCalls / sizeof kCalls[0], kMaxFaults = 64 };

static const struct {
  int number;
  const char *name;
} kErrors[] = {
#define ERROR(name) {name, #name}
    ERROR(ENOSPC), ERROR(EIO),          ERROR(EMFILE), ERROR(ENFILE),
    ERROR(ENOMEM), ERROR(EINTR),        ERROR(EPERM),  ERROR(EACCES),
    ERROR(EAGAIN), ERROR(EDQUOT),       ERROR(ENOSYS), ERROR(EFBIG),
    ERROR(EINVAL), ERROR(ENOENT),       ERROR(EBADF),  ERROR(ESRCH),
    ERROR(EROFS),  ERROR(ECONNREFUSED), ERROR(EFAULT), ERROR(EOPNOTSUPP),
#undef ERROR
    {-1, "short"},
};

struct fault {
  int call; /* index into kCalls; kCallCount: any */
  unsigned long from;
  int goes_on;
  int error; /* -1: a short write */
};
static struct fault faults[kMaxFaults];
static int fault_count;
static unsigned long counts[kCallCount + 1];
static FILE *log_file;

static void die(const char *what) {
  fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
  exit(124);
}

static void usage(const char *wrong) {
  fprintf(stderr, "inject: %s\n", wrong);
  exit(124);
}

static int call_named(const char *name) {
  for (int i = 0; i < kCallCount; ++i)
    if (!strcmp(kCalls[i].name, name))
      return i;
  if (!strcmp(name, "any"))
    return kCallCount;
  usage("there is no such call");
  return -1;
}

static void add_fault(char *text) {
  struct fault *fault = &faults[fault_count++];
  char *name = strtok(text, ":"), *from = strtok(NULL, ":");
  char *error = strtok(NULL, ":");
  if (fault_count > kMaxFaults || !name || !from || !error)
    usage("a fault is written CALL:N[+]:ERRNO");
  fault->call = call_named(name);
  fault->from = strtoul(from, &from, 10);
  fault->goes_on = *from == '+';
  for (size_t i = 0; i < sizeof kErrors / sizeof kErrors[0]; ++i)
    if (!strcmp(kErrors[i].name, error)) {
      fault->error = kErrors[i].number;
      return;
    }
  usage("there is no such error");
}

/*===- Whose call?
 * ---------------------------------------------------------===*/

/* Where processes have the runtime's code; forgotten when they exec. */
static struct {
  pid_t pid;
  unsigned long begin, end;
} known[256];

static void forget(pid_t pid) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (known[i].pid == pid)
      known[i].pid = 0;
}

static int is_runtimes(pid_t pid, unsigned long ip, unsigned long *offset) {
  static size_t next;
  size_t i;
  for (i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (known[i].pid == pid)
      break;
  if (i == sizeof known / sizeof known[0]) {
    char path[64], line[4400];
    FILE *maps;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    maps = fopen(path, "r");
    if (!maps)
      return 0;
    while (fgets(line, sizeof line, maps)) {
      unsigned long begin, end, file_offset;
      char protection[8];
      if (!strstr(line, "/libpagetide.so") ||
          sscanf(line, "%lx-%lx %7s %lx", &begin, &end, protection,
                 &file_offset) != 4 ||
          protection[2] != 'x')
        continue;
      i = next++ % (sizeof known / sizeof known[0]);
      known[i].pid = pid;
      known[i].begin = begin;
      known[i].end = end;
    }
    fclose(maps);
    if (i == sizeof known / sizeof known[0])
      return 0;
  }
  *offset = ip - known[i].begin;
  return ip >= known[i].begin && ip < known[i].end;
}

/*===- Short writes
 * --------------------------------------------------------===*/

/* Writes the first half of what a thread's writev was given, to the same open
 * file. Returns the number of bytes, or minus an errno. */
static long write_half(const struct seccomp_notif *request) {
  struct iovec theirs[16], local;
  static char bytes[1 << 20];
  size_t total = 0, count = request->data.args[2], got = 0;
  long result;
  int pidfd, fd;
  if (count > 16)
    count = 16;
  local.iov_base = theirs;
  local.iov_len = count * sizeof theirs[0];
  struct iovec remote = {(void *)request->data.args[1], local.iov_len};
  if (process_vm_readv((pid_t)request->pid, &local, 1, &remote, 1, 0) !=
      (ssize_t)local.iov_len)
    return -EFAULT;
  for (size_t i = 0; i < count; ++i)
    total += theirs[i].iov_len;
  total = total / 2 + 1;
  if (total > sizeof bytes)
    total = sizeof bytes;
  for (size_t i = 0; i < count && got < total; ++i) {
    size_t part = theirs[i].iov_len;
    if (part > total - got)
      part = total - got;
    struct iovec to = {bytes + got, part}, from = {theirs[i].iov_base, part};
    if (part && process_vm_readv((pid_t)request->pid, &to, 1, &from, 1, 0) !=
                    (ssize_t)part)
      return -EFAULT;
    got += part;
  }
  pidfd = (int)syscall(SYS_pidfd_open, request->pid, PIDFD_THREAD_FLAG);
  if (pidfd < 0)
    die("pidfd_open (of a thread; Linux 6.9)");
  fd = (int)syscall(SYS_pidfd_getfd, pidfd, (int)request->data.args[0], 0);
  if (fd < 0)
    die("pidfd_getfd");
  result = write(fd, bytes, got);
  if (result < 0)
    result = -errno;
  close(fd);
  close(pidfd);
  return result;
}

/*===- The filter and its other end
 * ----------------------------------------===*/

static int install_filter(void) {
  struct sock_filter filter[2 * kCallCount + 16];
  unsigned short n = 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
  for (int i = 0; i <= kCallCount; ++i) {
    unsigned number =
        (unsigned)(i < kCallCount ? kCalls[i].number : SYS_execve);
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  }
  filter[n++] =
      (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {n, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                      SECCOMP_FILTER_FLAG_NEW_LISTENER |
                          SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                      &program);
}

static void answer(int listener) {
  static union {
    struct seccomp_notif request;
    char room[4096];
  } in;
  struct seccomp_notif_resp response = {0};
  unsigned long offset = 0;
  int call = 0;
  memset(&in, 0, sizeof in);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in.request))
    return; /* whoever asked is gone */
  response.id = in.request.id;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  while (call < kCallCount && kCalls[call].number != in.request.data.nr)
    ++call;
  if (call == kCallCount) {
    forget((pid_t)in.request.pid);
  } else if (is_runtimes((pid_t)in.request.pid,
                         in.request.data.instruction_pointer, &offset)) {
    unsigned long n = ++counts[call], any = ++counts[kCallCount];
    for (int i = 0; i < fault_count; ++i) {
      const struct fault *fault = &faults[i];
      unsigned long at = fault->call == kCallCount ? any : n;
      if ((fault->call != call && fault->call != kCallCount) ||
          at < fault->from || (at > fault->from && !fault->goes_on))
        continue;
      response.flags = 0;
      response.error = -fault->error;
      if (fault->error == -1) {
        long result = write_half(&in.request);
        response.error = result < 0 ? (int)result : 0;
        response.val = result < 0 ? 0 : result;
      }
      if (log_file) {
        fprintf(log_file, "%s %lu (of all: %lu) thread %u at 0x%lx: %d\n",
                kCalls[call].name, n, any, in.request.pid, offset,
                fault->error);
        fflush(log_file);
      }
      break;
    }
  }
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

int main(int argc, char **argv) {
  const char *counts_path = NULL;
  int option, status = 0;
  while ((option = getopt(argc, argv, "+c:l:f:")) != -1)
    switch (option) {
    case 'c':
      counts_path = optarg;
      break;
    case 'l':
      log_file = fopen(optarg, "we");
      break;
    case 'f':
      add_fault(optarg);
      break;
    default:
      usage("inject [-c COUNTS] [-l LOG] [-f CALL:N[+]:ERRNO]... -- COMMAND");
    }
  if (optind == argc)
    usage("which command?");

  /* The child's number of the listener: it cannot make a system call to tell
   * it, since nobody answers yet. */
  volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    die("mmap");
  shared[0] = -1;
  pid_t child = fork();
  if (child < 0)
    die("fork");
  if (child == 0) {
    personality(ADDR_NO_RANDOMIZE);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int listener = install_filter();
    if (listener < 0) {
      shared[0] = -2 - errno;
      _exit(124);
    }
    shared[0] = listener; /* closed by exec, as it is made with CLOEXEC */
    execvp(argv[optind], argv + optind);
    _exit(127);
  }
  while (shared[0] == -1)
    usleep(100);
  if (shared[0] < -1) {
    errno = -2 - shared[0];
    die("seccomp (user notification)");
  }
  int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
  int listener = (int)syscall(SYS_pidfd_getfd, pidfd, shared[0], 0);
  if (listener < 0)
    die("pidfd_getfd");
  /* Until nobody is left below the filter: children outlive the command. */
  for (;;) {
    struct pollfd poll_fd = {listener, POLLIN, 0};
    if (poll(&poll_fd, 1, -1) < 0 && errno != EINTR)
      die("poll");
    if (poll_fd.revents & POLLIN)
      answer(listener);
    else if (poll_fd.revents)
      break;
  }
  if (waitpid(child, &status, 0) != child)
    die("waitpid");
  if (counts_path) {
    FILE *out = fopen(counts_path, "we");
    if (!out)
      die(counts_path);
    for (int i = 0; i < kCallCount; ++i)
      if (counts[i])
        fprintf(out, "%s %lu\n", kCalls[i].name, counts[i]);
    fclose(out);
  }
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}

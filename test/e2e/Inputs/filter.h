/*===- filter.h - A system call filter from a list of names ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_TEST_FILTER_H
#define PAGETIDE_TEST_FILTER_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char *name;
  unsigned number;
} filter_calls[] = {
    {"memfd_create", SYS_memfd_create},
    {"process_vm_readv", SYS_process_vm_readv},
    {"userfaultfd", SYS_userfaultfd},
    {"mremap", SYS_mremap},
    {"arch_prctl", SYS_arch_prctl},
    {"ptrace", SYS_ptrace},
    {"pidfd_open", SYS_pidfd_open},
    {"pidfd_getfd", SYS_pidfd_getfd},
    {"close_range", SYS_close_range},
    {"openat", SYS_openat},
    {"writev", SYS_writev},
    {"lseek", SYS_lseek},
    {"wait4", SYS_wait4},
    {"futex", SYS_futex},
    {"mincore", SYS_mincore},
    {"msync", SYS_msync},
    {"madvise", SYS_madvise},
    {"sendmsg", SYS_sendmsg},
    {"newfstatat", SYS_newfstatat},
    {"getdents64", SYS_getdents64},
    {"fstat", SYS_fstat},
    {"socket", SYS_socket},
    {"prctl", SYS_prctl},
    {"dup3", SYS_dup3},
    {"tgkill", SYS_tgkill},
    {"getrlimit", SYS_getrlimit},
    {"pwritev", SYS_pwritev},
    {"ftruncate", SYS_ftruncate},
};

/* `action` is errno, kill (the process), kill-thread or trap. False where a
 * name is unknown or the kernel refuses. */
static inline int install_filter(const char *action, const char *names,
                                 unsigned seccomp_flags) {
  struct sock_filter code[80];
  unsigned short n = 0;
  unsigned verdict = strcmp(action, "errno") == 0  ? SECCOMP_RET_ERRNO | EPERM
                     : strcmp(action, "kill") == 0 ? SECCOMP_RET_KILL_PROCESS
                     : strcmp(action, "trap") == 0 ? SECCOMP_RET_TRAP
                                                   : SECCOMP_RET_KILL_THREAD;
  char *list = strdup(names), *rest = list;
  const unsigned number_at = offsetof(struct seccomp_data, nr);
#define EMIT(...) code[n++] = (struct sock_filter)__VA_ARGS__
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_at));
  for (char *name; (name = strsep(&rest, ",")) != NULL;) {
    if (strcmp(name, "threads") == 0) {
      /* clone with CLONE_THREAD; clone3 keeps its flags in memory, where a
       * filter cannot look: it is as if the kernel had none. */
      EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
      EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
      EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
      EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    offsetof(struct seccomp_data, args[0])));
      EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
      EMIT(BPF_STMT(BPF_RET | BPF_K, verdict));
      EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_at));
      continue;
    }
    size_t i = 0;
    while (i < sizeof filter_calls / sizeof filter_calls[0] &&
           strcmp(filter_calls[i].name, name) != 0)
      ++i;
    if (i == sizeof filter_calls / sizeof filter_calls[0]) {
      errno = EINVAL;
      return 0;
    }
    EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, filter_calls[i].number, 0, 1));
    EMIT(BPF_STMT(BPF_RET | BPF_K, verdict));
  }
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef EMIT
  free(list);
  struct sock_fprog program = {n, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return 0;
  if (!seccomp_flags && !getenv("PAGETIDE_TEST_BARE"))
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, seccomp_flags,
                 &program) == 0;
}

#endif /* PAGETIDE_TEST_FILTER_H */

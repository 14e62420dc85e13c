/*===- refuse.c - Runs a command whose kernel lacks something --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 *   refuse userfaultfd|personality|move_pages|ptrace|api|scan ERRNO COMMAND...
 *
 * A seccomp filter has the system call of that name, the request UFFDIO_API, or
 * the request PAGEMAP_SCAN fail with that error.
 *
 *===----------------------------------------------------------------------===*/

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)                                                            \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count)                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  unsigned deny = SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2]);
  unsigned request = !strcmp(argv[1], "api") ? 0xc018aa3fu : 0xc0606610u;
  static const struct {
    const char *name;
    unsigned number;
  } calls[] = {{"userfaultfd", SYS_userfaultfd},
               {"personality", SYS_personality},
               {"move_pages", SYS_move_pages},
               {"ptrace", SYS_ptrace}};
  unsigned denied = 0, is_call = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (!strcmp(argv[1], calls[i].name)) {
      is_call = 1;
      denied = calls[i].number;
    }
  struct sock_filter call[] = {LOAD(nr), SKIP_UNLESS(denied, 1),
                               BPF_STMT(BPF_RET | BPF_K, deny),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_filter ioctl[] = {LOAD(nr),
                                SKIP_UNLESS(SYS_ioctl, 3),
                                LOAD(args[1]),
                                SKIP_UNLESS(request, 1),
                                BPF_STMT(BPF_RET | BPF_K, deny),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, call};
  if (!is_call) {
    program.len = 6;
    program.filter = ioctl;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("refuse");
    return 2;
  }
  execvp(argv[3], argv + 3);
  perror(argv[3]);
  return 2;
}

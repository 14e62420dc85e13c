/*===- starts_with_less.c - Starts a program with fewer rights or means ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "filter.h"

#include <grp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int give_up_rights(void) {
  return setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 &&
         setresuid(65534, 65534, 65534) == 0;
}

static int give_up(const char *how) {
  if (how[0] == 'u')
    return give_up_rights();
  if (strcmp(how, "files") == 0) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_FSIZE, &none) == 0;
  }
  if (strcmp(how, "space") == 0) {
    const struct rlimit some = {1 << 30, 1 << 30};
    return setrlimit(RLIMIT_AS, &some) == 0;
  }
  return install_filter("kill", "memfd_create,lseek", 0);
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  int status = 1;
  if (strcmp(how, "started") == 0)
    return write(1, "started\n", 8) == 8 ? 0 : 4;
  if (strcmp(how, "nothing") == 0)
    return 0;
  if (strcmp(how, "forks") == 0) {
    if (!give_up_rights())
      return 2;
    for (int i = 0; i < 4; ++i) {
      if (fork() == 0)
        _exit(fork() == 0 ? 0 : wait(NULL) < 0);
      wait(NULL);
    }
    return 0;
  }
  const int is_child = strcmp(how, "user-exec") != 0;
  if (!is_child || vfork() == 0) {
    if (!give_up(how))
      _exit(3);
    execl(argv[argc - 1], argv[argc - 1], "started", NULL);
    _exit(5);
  }
  wait(&status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

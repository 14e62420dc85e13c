/*===- environment.c - Says which streams are closed, and gives cause for a warning --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* A fork that cannot be recorded: something to be said on standard error. */
static void cause_a_warning(void) {
  struct rlimit limit = {1 << 20, 1 << 20};
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0)
    _exit(0);
  require(waitpid(pid, NULL, 0) == pid);
}

int main(int argc, char **argv) {
  char text[64] = "closed:", *end = text + 7;
  char *a = map_arena(0, 16 * PAGE);
  a[0] = 1;
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) == -1)
      end += sprintf(end, " %d", fd);
  *end++ = '\n';
  int to = 1;
  if (argc > 1 && strcmp(argv[1], "warn") == 0) {
    cause_a_warning();
  } else if (argc > 1 && strncmp(argv[1], "file", 4) == 0) {
    /* The next numbers are 0, 1 and 2, as in any program. */
    to = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(to == 0 && dup(to) == 1 && dup(to) == 2);
    cause_a_warning();
  }
  return write(to, text, (size_t)(end - text)) != end - text;
}

/*===- forks_without_descriptors.c - A fork when none may be opened --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "require.h"

#include <sys/resource.h>
#include <sys/wait.h>

int main(void) {
  const struct rlimit none = {0, 0};
  int status;
  require(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const int child = fork();
  if (child == 0)
    _exit(3);
  require(child > 0 && waitpid(child, &status, 0) == child);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  return 0;
}

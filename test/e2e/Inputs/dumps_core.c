/*===- dumps_core.c - Dies, and leaves a core ------------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  require(argc > 1);
  char *a = arena(0, 256 * PAGE);
  for (int i = 0; i < 256; ++i)
    sprintf(a + i * PAGE, "the %s own words, kept in a core", "program's");
  if (strcmp(argv[1], "fork") == 0 || strcmp(argv[1], "unrecorded") == 0) {
    if (argv[1][0] == 'u') { /* a fork that can have no memory file */
      struct rlimit limit = {1 << 20, 1 << 20};
      struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
      require(setrlimit(RLIMIT_CORE, &core) == 0);
      limit.rlim_cur = limit.rlim_max = 64 << 20;
      require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    int pid = fork();
    require(pid >= 0);
    if (pid) {
      waitpid(pid, NULL, 0);
      return 0;
    }
  }
  for (int i = 0; i < 256; ++i)
    a[i * PAGE + 2048] += 1;
  if (strcmp(argv[1], "segv") == 0)
    *(volatile char *)8 = 1;
  abort();
}

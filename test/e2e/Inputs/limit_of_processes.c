/*===- limit_of_processes.c - Leaves room for a fork and no more -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    /* This user's threads: this one, the recorder's two, and the fork's. */
    struct rlimit limit = {4, 4};
    require(setrlimit(RLIMIT_NPROC, &limit) == 0);
    int pid = fork();
    require(pid >= 0);
    if (pid == 0) {
      fprintf(stderr, "the fork runs\n");
      exit(3);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  fprintf(stderr, "runs\n");
  return 0;
}

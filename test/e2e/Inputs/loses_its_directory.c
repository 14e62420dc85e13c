/*===- loses_its_directory.c - Deletes the directory of its trace ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <sys/wait.h>

int main(int argc, char **argv) {
  char path[4096];
  require(argc > 1);
  snprintf(path, sizeof path, "%s/trace", argv[1]);
  require(unlink(path) == 0 && rmdir(argv[1]) == 0);
  end_period();
  require_status(pagetide_flush(), PAGETIDE_OK);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    fprintf(stderr, "the fork runs\n");
    exit(0);
  }
  require(waitpid(pid, NULL, 0) == pid);
  fprintf(stderr, "the program runs\n");
  return 0;
}

/*===- seccomp_launcher.c - Runs a program under a system call filter ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 *   seccomp_launcher errno|kill CALL[,CALL...] COMMAND [ARG...]
 *
 * The calls named fail with EPERM, or end the process; `threads` stands for a
 * clone that makes a thread.
 *
 *===----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "filter.h"

#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: seccomp_launcher errno|kill CALLS COMMAND...\n");
    return 2;
  }
  if (!install_filter(argv[1], argv[2], 0)) {
    perror("seccomp_launcher: the filter");
    return 2;
  }
  execvp(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}

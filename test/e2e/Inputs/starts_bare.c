/*===- starts_bare.c - Starts a program with an empty environment ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* starts_bare PROGRAM [ARG...]: a static program; no library of Pagetide's sees
 * its system call. */
int main(int argc, char **argv) {
  char *none[] = {NULL};
  if (argc < 2)
    return 2;
  syscall(SYS_execve, argv[1], argv + 1, none);
  return errno;
}

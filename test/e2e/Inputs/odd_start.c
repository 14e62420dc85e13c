/*===- odd_start.c - Starts a program in an unusual way --------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* odd_start HOW PROGRAM [ARG] */
int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  char *none[] = {NULL}, *empty[] = {"", NULL};
  char *plain[] = {argv[2], argc > 3 ? argv[3] : NULL, NULL};
  if (strcmp(argv[1], "empty") == 0) {
    execve(argv[2], empty, environ);
  } else if (strcmp(argv[1], "none") == 0) {
    execve(argv[2], none, environ); /* Linux 5.18 makes it the former */
  } else if (strcmp(argv[1], "pipe") == 0) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], 2) != 2)
      return 2;
    close(ends[0]), close(ends[1]);
    execve(argv[2], plain, environ);
  } else {
    enum { MANY = 60000 }; /* the kernel has room for 2 MiB, pointers included */
    char **arguments = calloc(MANY + 1, sizeof(char *));
    char **variables = calloc(MANY + 2, sizeof(char *));
    if (!arguments || !variables)
      return 2;
    for (int i = 0; i < MANY; ++i)
      arguments[i] = i ? "x" : argv[2], variables[i] = "V=1";
    char options[4096];
    snprintf(options, sizeof options, "PAGETIDE_OPTIONS=%s",
             getenv("PAGETIDE_OPTIONS"));
    variables[MANY] = options;
    execve(argv[2], arguments, variables);
  }
  return errno;
}

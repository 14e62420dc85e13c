/*===- environment_trimmed.c - Programs started with an environment of their own
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// `pagetide record` tells the processes of a run by PAGETIDE_OPTIONS what to do.
// A program that starts another with an empty or a trimmed environment hands the
// options on. The program that is started records, and prints what it was given.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 %s -o program
// It makes no difference what options its starter has set for itself.
// RUN: for how in execve execle execvpe fexecve execveat execv execvp spawn \
// RUN:   spawnp null vfork many own_environ \
// RUN:   %if pidfd_spawn %{ pidfd_spawn pidfd_spawnp %}; do \
// RUN:   echo $how; rm -f trace*; \
// RUN:   %pagetide record -p 0 -o trace -- ./program $how >said 2>messages || \
// RUN:     { cat messages; exit 1; }; \
// RUN:   grep -x 'started: recording 1' said || { cat said messages; exit 1; }; \
// RUN:   test $(ls trace* | wc -l) = 2 || { ls; exit 1; }; done
//
// All else of the environment is as the program made it.
// RUN: %pagetide record -p 0 -o trace -- ./program many 2>messages | \
// RUN:   grep -c '^VARIABLE' | grep -x 1000
//
// An engine that needs no instrumented code: the library is preloaded again.
// RUN: %plain_c -O1 %s -o plain && rm -f trace*
// RUN: %pagetide record --engine fork -p 0 -o trace -- ./plain execve \
// RUN:   >said 2>messages
// RUN: grep -x 'started: recording 1' said && test $(ls trace* | wc -l) = 2
//
// Options that a program is started with are left alone: an empty variable takes
// it out of the run.
// RUN: for how in empty own; do echo $how; rm -f trace*; \
// RUN:   %pagetide record -p 0 -o trace -- ./program $how >said 2>messages || \
// RUN:     { cat messages; exit 1; }; \
// RUN:   grep -x 'started: recording 0' said || { cat said messages; exit 1; }; \
// RUN:   test $(ls trace* | wc -l) = 1 || { ls; exit 1; }; done
//
// Without `pagetide record` nothing is added.
// RUN: PAGETIDE_OPTIONS=trace_path=alone:period=0 ./program execve >said
// RUN: grep -x 'started: recording 0' said && not grep PAGETIDE said

#define _GNU_SOURCE
#include "require.h"

#include "pagetide/pagetide.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if __GLIBC_PREREQ(2, 39)
#include <sys/pidfd.h>
#endif

extern char **environ;

static int started(void) {
  static volatile char page[4096];
  page[0] = 1;
  const int recording = pagetide_period_end() == PAGETIDE_OK;
  printf("started: recording %d\n", recording);
  for (char **entry = environ; entry && *entry; ++entry)
    printf("%s\n", *entry);
  return 0;
}

static void wait_for(int pid) {
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
  require(argc == 2);
  if (strcmp(argv[1], "started") == 0)
    return started();
  const char *how = argv[1];
  char *arguments[] = {argv[0], (char *)"started", NULL};
  char *none[] = {NULL};
  char *trimmed[] = {(char *)"PATH=/bin", (char *)"LANG=C", NULL};
  char *empty[] = {(char *)"PAGETIDE_OPTIONS=", NULL};
  char *own[] = {(char *)"PAGETIDE_OPTIONS=period=1s", NULL};
  static char *many[1001];
  for (int i = 0; i < 1000; ++i)
    require(asprintf(&many[i], "VARIABLE%d=%d", i, i) > 0);
  int pid = 0;
  if (strcmp(how, "execve") == 0)
    execve(argv[0], arguments, none);
  else if (strcmp(how, "execle") == 0)
    execle(argv[0], argv[0], "started", (char *)NULL, trimmed);
  else if (strcmp(how, "execvpe") == 0)
    execvpe(argv[0], arguments, trimmed);
  else if (strcmp(how, "fexecve") == 0)
    fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), arguments, none);
  else if (strcmp(how, "execveat") == 0)
    execveat(AT_FDCWD, argv[0], arguments, none, 0);
  else if (strcmp(how, "execv") == 0 && clearenv() == 0)
    execv(argv[0], arguments);
  else if (strcmp(how, "execvp") == 0 && unsetenv("PAGETIDE_OPTIONS") == 0)
    execvp(argv[0], arguments);
  else if (strcmp(how, "null") == 0)
    execve(argv[0], arguments, NULL);
  else if (strcmp(how, "many") == 0)
    execve(argv[0], arguments, many);
  else if (strcmp(how, "empty") == 0)
    execve(argv[0], arguments, empty);
  else if (strcmp(how, "own") == 0)
    execve(argv[0], arguments, own);
  else if (strcmp(how, "own_environ") == 0 &&
           setenv("PAGETIDE_OPTIONS", "period=1s", 1) == 0)
    execve(argv[0], arguments, none);
  else if (strcmp(how, "spawn") == 0)
    require(posix_spawn(&pid, argv[0], NULL, NULL, arguments, none) == 0);
  else if (strcmp(how, "spawnp") == 0)
    require(posix_spawnp(&pid, argv[0], NULL, NULL, arguments, trimmed) == 0);
#if __GLIBC_PREREQ(2, 39)
  else if (strcmp(how, "pidfd_spawn") == 0) {
    require(pidfd_spawn(&pid, argv[0], NULL, NULL, arguments, none) == 0);
    pid = pidfd_getpid(pid);
  } else if (strcmp(how, "pidfd_spawnp") == 0) {
    require(pidfd_spawnp(&pid, argv[0], NULL, NULL, arguments, trimmed) == 0);
    pid = pidfd_getpid(pid);
  }
#endif
  else if (strcmp(how, "vfork") == 0) {
    pid = vfork();
    require(pid >= 0);
    if (pid == 0) {
      execve(argv[0], arguments, many);
      _exit(9);
    }
  }
  require(pid > 0);
  wait_for(pid);
  return 0;
}

/*===- exec.c - Another program in the same process, or in a child ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O0,O2,O2/write --traces 2 --arg exec \
// RUN:   --info complete --status 5 %s
// RUN: %known_sets --ways O1 --traces 2 --info complete --arg execvp \
// RUN:   --status 5 %s
// RUN: %known_sets --ways O1 --traces 2 --info complete --arg execle \
// RUN:   --status 5 %s
// RUN: %known_sets --ways O1 --traces 2 --info complete --arg fexecve \
// RUN:   --status 5 %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg failing %s
// RUN: %known_sets --ways O0,O2 --traces 2 --info complete --arg vfork %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg failing_vfork %s
// RUN: %known_sets --ways O1 --traces 2 --info complete --arg spawn %s
// RUN: %known_sets --ways O1 --traces 3 --info complete --arg fork %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg plain %s
// RUN: %known_sets --under-record --ways O1 --traces 2 --arg exec --status 5 %s
// RUN: %known_sets --under-record --ways O1 --traces 2 --arg spawn %s

#include "known_sets.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static char *a;

static void touch(int page) {
  a[page * PAGE] += 1;
  expect_both(a + page * PAGE, 1);
}

static void wait_for(int pid, int wanted) {
  int status;
  require(waitpid(pid, &status, 0) == pid);
  require(WIFEXITED(status));
  require_equal(WEXITSTATUS(status), wanted);
}

/* This very program, as the one that is started. */
static int second(void) {
  a = arena(3, 64 * PAGE);
  touch(0);
  end_period();
  touch(1);
  return 5;
}

int main(int argc, char **argv) {
  require(argc == 2);
  const char *how = argv[1];
  if (strcmp(how, "second") == 0)
    return second();
  char *arguments[] = {argv[0], (char *)"second", NULL};
  char *missing[] = {(char *)"/nonexistent/program", NULL};
  char *plain[] = {(char *)"/bin/true", NULL};

  a = arena(0, 64 * PAGE);
  touch(0);
  end_period();
  touch(1);
  int pid = 0;
  if (strcmp(how, "exec") == 0)
    execv(argv[0], arguments);
  else if (strcmp(how, "execvp") == 0)
    execvp(argv[0], arguments);
  else if (strcmp(how, "execle") == 0)
    execle(argv[0], argv[0], "second", (char *)NULL, environ);
  else if (strcmp(how, "fexecve") == 0)
    fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), arguments, environ);
  else if (strcmp(how, "failing") == 0) {
    /* It runs on. A call of exec that finds no program ends no period. */
    for (int i = 0; i < 3; ++i) {
      touch(10 + i);
      require(execv(missing[0], missing) == -1 && errno == ENOENT);
      touch(20 + i);
    }
    require(execvp("no-such-program", missing) == -1 && errno == ENOENT);
    require(execve("/", missing, environ) == -1 && errno == EACCES);
    require(execve("/etc/passwd", missing, environ) == -1 && errno == EACCES);
    require(execve("/etc/passwd/x", missing, environ) == -1 &&
            errno == ENOTDIR);
    require(execve(NULL, missing, environ) == -1 && errno == EFAULT);
    require(execvp("", missing) == -1 && errno == ENOENT);
    require(setenv("PATH", "/etc:/nonexistent::/bin/true", 1) == 0);
    require(execvp("passwd", missing) == -1 && errno == EACCES);
    require(execvp("no-such-program", missing) == -1 && errno == ENOENT);
    require(execlp("/no/such", "/no/such", (char *)NULL) == -1 &&
            errno == ENOENT);
    touch(30);
    /* One that finds what is no program does. */
    char text[] = "./text";
    int fd = open(text, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    require(fd >= 0 && write(fd, "no program", 10) == 10 && close(fd) == 0);
    require(execv(text, missing) == -1 && errno == ENOEXEC);
    ++known_period_;
    touch(31);
  } else if (strcmp(how, "vfork") == 0) {
    pid = vfork();
    require(pid >= 0);
    if (pid == 0) {
      execv(argv[0], arguments);
      _exit(9);
    }
    touch(2);
    wait_for(pid, 5);
  } else if (strcmp(how, "failing_vfork") == 0) {
    /* The child borrows this memory and this recorder: neither its failure nor
     * its end may stop the parent's recording. */
    pid = vfork();
    require(pid >= 0);
    if (pid == 0) {
      execv(missing[0], missing);
      _exit(8);
    }
    touch(2);
    wait_for(pid, 8);
  } else if (strcmp(how, "spawn") == 0) {
    require(posix_spawn(&pid, argv[0], NULL, NULL, arguments, environ) == 0);
    touch(2);
    wait_for(pid, 5);
  } else if (strcmp(how, "fork") == 0) {
    pid = fork();
    require(pid >= 0);
    if (pid == 0) { /* a process, a trace: its stack was touched */
      execv(argv[0], arguments);
      _exit(9);
    }
    touch(2);
    wait_for(pid, 5);
  } else if (strcmp(how, "plain") == 0) {
    require(posix_spawnp(&pid, "true", NULL, NULL, plain, environ) == 0);
    touch(2);
    wait_for(pid, 0);
  } else {
    require(!"a known way");
  }
  end_period();
  touch(3);
  end_period();
  return 0;
}

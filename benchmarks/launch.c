//===- launch.c - Runs a command and says what it took --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: launch REPORT [-e NAME=VALUE]... COMMAND [ARGUMENT...]
//
// Runs the command with this program's standard streams, and with these
// variables in its environment (for example, a library that only the command
// must preload). Writes a JSON object to the file REPORT: the wall time, and
// what wait4 says about the command and all processes that it waited for.
//
// A program and no line of Python, because Linux counts the memory of whoever
// calls exec towards the peak of what is executed: nothing that Python started
// could have a peak below Python's own. And a process of a few pages starts
// another with less jitter, which counts where starting is what is measured.

#include "programs.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

enum { kFailure = 125 }; // of this program, as of env and its like

static int64_t microseconds(struct timeval t) {
  return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static int failed(const char *what, const char *name, int error) {
  fprintf(stderr, "launch: %s '%s': %s\n", what, name, strerror(error));
  return kFailure;
}

int main(int argc, char **argv) {
  char **command = argv + 2;
  for (; argc > 4 && command[0] && strcmp(command[0], "-e") == 0; command += 2)
    if (!command[1] || putenv(command[1]) != 0)
      break;
  if (argc < 3 || !command[0]) {
    fprintf(stderr, "usage: launch REPORT [-e NAME=VALUE]... COMMAND "
                    "[ARGUMENT...]\n");
    return kFailure;
  }
  FILE *report = fopen(argv[1], "we"); // not for the command
  if (!report)
    return failed("cannot write", argv[1], errno);

  const uint64_t start = now_ns();
  pid_t pid;
  const int error = posix_spawn(&pid, command[0], NULL, NULL, command, environ);
  if (error != 0)
    return failed("cannot run", command[0], error);
  int status;
  struct rusage usage;
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR)
      return failed("cannot wait for", command[0], errno);
  const uint64_t wall = now_ns() - start;

  fprintf(report,
          "{\"status\": %d, \"wall_ns\": %" PRIu64 ", \"user_us\": %" PRId64
          ", \"system_us\": %" PRId64 ", \"peak_kib\": %ld}\n",
          WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), wall,
          microseconds(usage.ru_utime), microseconds(usage.ru_stime),
          usage.ru_maxrss);
  return fclose(report) == 0 ? 0 : failed("cannot write", argv[1], errno);
}

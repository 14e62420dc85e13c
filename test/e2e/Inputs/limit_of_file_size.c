/*===- limit_of_file_size.c - A limit that is there, or that it sets -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  (void)argv;
  struct rlimit limit;
  char *a = arena(0, 4096 * PAGE);
  if (argc > 1) {
    limit.rlim_cur = limit.rlim_max = 100000;
    require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    int pid = fork();
    require(pid >= 0);
    if (pid == 0) {
      a[0] = 1; /* marks, into memory of its own */
      exit(3);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return 0;
  }
  /* A trace that no limit of some kilobytes holds. */
  for (uint64_t i = 0, random = 1; i < 4000; ++i) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    a[(random >> 33) % 4096 * PAGE] = 1;
    if (i % 100 == 99)
      end_period();
  }
  pagetide_flush();
  require(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  int fd = open("file", O_WRONLY | O_CREAT, 0600);
  signal(SIGXFSZ, SIG_IGN);
  require(fd >= 0 && lseek(fd, (off_t)limit.rlim_cur, SEEK_SET) >= 0);
  require(write(fd, "x", 1) == -1 && errno == EFBIG);
  fprintf(stderr, "limit %lu, still in force\n", (unsigned long)limit.rlim_cur);
  return 0;
}

/* Children that are killed at any moment after fork: each trace of the run is
 * complete, and nothing is said of those that had not begun. */

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 %s -o program
// RUN: %pagetide record -o run -p 10ms -- ./program 2>err
// RUN: for trace in run*; do %pagetide info $trace >>info || exit 1; done
// RUN: not grep INCOMPLETE info err
// RUN: %pagetide report run >/dev/null 2>err && not grep . err
// RUN: grep 'integrity *complete' info

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char bytes[1 << 16];

int main(void) {
  for (int i = 0; i < 100; ++i) {
    const struct timespec life = {0, i % 50 * 100000};
    memset(bytes, i, sizeof bytes);
    const pid_t child = fork();
    if (child == 0)
      for (;;)
        memset(bytes, i, sizeof bytes);
    nanosleep(&life, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  return 0;
}

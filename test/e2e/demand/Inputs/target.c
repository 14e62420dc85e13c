/* Writes pages at random until the time is over: target SECONDS. Says how it
   ended. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 1 << 17 };
static volatile char memory[(size_t)PAGES * PAGE];

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0;
  struct timespec begin, now;
  unsigned long next = 1;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 1000; i++) {
      next = next * 6364136223846793005u + 1442695040888963407u;
      memory[(next >> 40) % PAGES * PAGE] = 1;
    }
    /* So that a period's set has holes, and fills the trace. */
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) <
           seconds);
  printf("done\n");
}

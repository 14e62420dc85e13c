/* Writes pages at random, in so many rounds: target ROUNDS (one without it). Says
   how it ended. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 1 << 17 };
static volatile char memory[(size_t)PAGES * PAGE];

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 1;
  unsigned long next = 1;
  do {
    for (int i = 0; i < 1000; i++) {
      next = next * 6364136223846793005u + 1442695040888963407u;
      memory[(next >> 40) % PAGES * PAGE] = 1;
    }
    /* So that a period's set has holes, and fills the trace. */
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  } while (--rounds > 0);
  printf("done\n");
}

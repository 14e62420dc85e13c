/* Writes pages of 64 MiB in an order that no trace can pack, in one loop without
   calls, until SIGALRM. */

#include <signal.h>

enum { PAGES = 16384, PAGE = 4096, SLOWNESS = 256 };
static char memory[PAGES * PAGE] __attribute__((aligned(PAGE)));
static volatile sig_atomic_t ends;

static void on_alarm(int number) {
  (void)number;
  ends = 1;
}

int main(void) {
  signal(SIGALRM, on_alarm);
  volatile char *p = memory;
  unsigned long random = 1;
  for (unsigned n = 0; !ends; ++n) {
    random = random * 6364136223846793005 + 1442695040888963407;
    if (n % SLOWNESS == 0)
      p[(random >> 40) % PAGES * PAGE] = 1;
  }
  return 0;
}

/* Writes a page, and ends as the argument says. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile char page[8192];

int main(int argc, char **argv) {
  page[argc] = 1;
  if (argc > 1 && strcmp(argv[1], "kill") == 0)
    raise(SIGKILL);
  return argc > 1 ? atoi(argv[1]) : 0;
}

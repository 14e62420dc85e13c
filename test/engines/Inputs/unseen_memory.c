/*===- unseen_memory.c - Memory whose writes a fork cannot tell ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <signal.h>

static char *map_with(unsigned n, int flags, int advice) {
  char *p = mmap((void *)(ARENA_BASE + n * GIB), PAGE, PROT_READ | PROT_WRITE,
                 MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0);
  require(p == (char *)(ARENA_BASE + n * GIB));
  require(!advice || madvise(p, PAGE, advice) == 0);
  p[0] = 1;
  return p;
}

/* The children of the calling thread's process that no wait tells of. */
static void kill_keepers(void) {
  FILE *list = popen("ps -eo ppid=,pid=,comm=", "r");
  char name[64];
  int parent, pid;
  require(list != NULL);
  while (fscanf(list, "%d %d %63[^\n]", &parent, &pid, name) == 3)
    if (parent == getpid() && strstr(name, "pagetide-keeper"))
      require(kill(pid, SIGKILL) == 0);
  pclose(list);
}

int main(int argc, char **argv) {
  require(argc == 2);
  map_with(0, MAP_SHARED, 0);
  map_with(1, MAP_PRIVATE, MADV_DONTFORK);
  map_with(2, MAP_PRIVATE, MADV_WIPEONFORK);
  map_with(3, MAP_PRIVATE, MADV_MERGEABLE);
  char *seen = map_with(4, MAP_PRIVATE, 0);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  seen[0] += 1;
  if (!strcmp(argv[1], "kill"))
    kill_keepers();
  else
    require_status(pagetide_period_end(), PAGETIDE_OK);
  puts("ended");
  return 0;
}

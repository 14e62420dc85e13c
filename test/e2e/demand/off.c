/* While nobody records, a program that was built on demand has no shadow, no thread
 * of the runtime, and no GS base. */

// RUN: %pagetide_clang -O1 -g %s -o %t && env -u PAGETIDE_OPTIONS %t
// RUN: env PAGETIDE_OPTIONS= %t
// RUN: %pagetide_clang -O1 '-Dnoinline=noinline,cold' %s -o %t.cold && env -u PAGETIDE_OPTIONS %t.cold
// RUN: %if gdb %{ gdb -batch -ex 'break touch' -ex run -ex 'bt 1' -ex continue %t >%t.gdb 2>&1 && grep -c 'Breakpoint 1.*touch (' %t.gdb | grep -x 1 && grep 'off.c:' %t.gdb %}
// RUN: %if gdb %{ env PAGETIDE_OPTIONS=verbosity=0 gdb -batch -ex 'break touch' -ex run -ex 'bt 1' %t >%t.gdb 2>&1; grep -c 'hit Breakpoint 1.*touch (' %t.gdb | grep -x 1 && grep 'off.c:' %t.gdb %}

#include <asm/prctl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) void touch(volatile char *p) { *p = 1; }

int main(void) {
  unsigned long base = 1;
  int threads = 0;
  static volatile char c;
  char line[512];
  DIR *tasks = opendir("/proc/self/task");
  FILE *maps = fopen("/proc/self/maps", "r");
  while (readdir(tasks))
    ++threads;
  syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
  touch(&c);
  if (getenv("PAGETIDE_OPTIONS") && *getenv("PAGETIDE_OPTIONS"))
    return 0;
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "pagetide-shadow"))
      return puts(line), 1;
  if (threads != 3 || base != 0) /* ".", ".." and one thread */
    return printf("%d threads, GS base %lx\n", threads - 2, base), 1;
  return 0;
}

/*===- machine_init.c - The first process of the virtual machine -----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *label, const char *program, const char *how) {
  int pid = fork(), status = -1;
  if (pid == 0) {
    char options[128];
    snprintf(options, sizeof options,
             "trace_path=/tmp/trace.%d:period=0:checksum=written",
             (int)getpid());
    setenv("PAGETIDE_OPTIONS", options, 1);
    setenv("PAGETIDE_TRUTH", "/tmp/truth", 1);
    dup2(1, 2);
    execl(program, program, how, (char *)NULL);
    _exit(127);
  }
  waitpid(pid, &status, 0);
  printf("%s: status %d\n", label, status);
  fflush(stdout);
}

int main(void) {
  mount("proc", "/proc", "proc", 0, NULL);
  printf("machine: up\n");
  void *far = mmap((void *)(UINT64_C(1) << 50), 4096, PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if ((uintptr_t)far >> 47)
    printf("plain: the hint gives more than 47 bits\n");
  fflush(stdout);
  run("over", "/over", "beyond");
  run("far", "/in_machine", "far");
  run("works", "/works", "");
  run("the clock is set", "/in_machine", "clock-is-set");
  FILE *file = fopen("/proc/sys/vm/overcommit_memory", "w");
  if (file && fputs("2", file) >= 0 && fclose(file) == 0)
    printf("vm.overcommit_memory=2\n");
  fflush(stdout);
  run("works, strictly", "/works", "");
  run("left out, strictly", "/in_machine", "leave-out");
  reboot(RB_POWER_OFF);
  return 1;
}

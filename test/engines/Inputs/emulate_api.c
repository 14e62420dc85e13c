/*===- emulate_api.c - The API of a program that engine emulate records ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * There is no runtime in the program. What it watches becomes a line of its
 * statements, by which known_sets.py chooses rows. A system call that Linux has
 * not asks the plugin for the end of a period.
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#define END_PERIOD_CALL 0x70676564

int __pagetide_api_watch(const void *address, size_t bytes) {
  truth_line("watch %d 0x%llx %llu\n", (int)getpid(),
             (unsigned long long)(uintptr_t)address, (unsigned long long)bytes);
  return PAGETIDE_OK;
}

int __pagetide_api_period_end(void) {
  require(syscall(END_PERIOD_CALL) == -1); /* ENOSYS */
  return PAGETIDE_OK;
}

/*===- before_recording.c - Code that runs before the program's marks ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Functions in .preinit_array run before their file's marks are on: what they
// touch is in no set (docs/reference/contract.md). A library that wants to be
// the first (-z initfirst) starts the runtime, so nothing is lost from there
// on. RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %pagetide_clang -O1 -DLIBRARY -shared -fPIC %s -Wl,-z,initfirst \
// RUN:   -o libfirst.so
// RUN: %pagetide_clang -O1 %s -o alone
// RUN: %pagetide_clang -O1 %s -Wl,-rpath,%t -L. -lfirst -o host
// RUN: ./alone | grep -x 'preinit constructor'
// RUN: ./host | grep -x 'preinit constructor'
// RUN: %pagetide record -o alone.ptrace -- ./alone | grep -x 'preinit cons.*'
// RUN: %pagetide record -o host.ptrace -- ./host | grep -x 'preinit cons.*'
// RUN: %pagetide export -f csv alone.ptrace >alone.sets
// RUN: grep -c '0x20000000[12]000,0,1,' alone.sets | grep -x 2
// RUN: not grep 0x200000000000 alone.sets
// RUN: %pagetide export -f csv host.ptrace >host.sets
// RUN: grep -c '0x20000000[123]000,0,1,' host.sets | grep -x 3

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static void touch(int page) {
  *((volatile char *)0x200000000000 + page * PAGE) = 1;
}
static void map_once(void) {
  mmap((void *)0x200000000000, 4 * PAGE, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

#ifdef LIBRARY

__attribute__((constructor)) static void first(void) { map_once(), touch(3); }
void in_library(void) {}

#else

__attribute__((weak)) void in_library(void);

static const char *ran;
static void before(void) { map_once(), touch(0), ran = "preinit"; }
typedef void function(void);
__attribute__((section(".preinit_array"), used)) static function *entry =
    before;
__attribute__((constructor)) static void made(void) { touch(1); }

int main(void) {
  touch(2);
  if (in_library)
    in_library();
  printf("%s constructor\n", ran);
  return 0;
}

#endif

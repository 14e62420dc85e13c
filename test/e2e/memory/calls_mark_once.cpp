/*===- calls_mark_once.cpp - A call marks each granule once ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The program runs single calls step by step. After each instruction it looks
// at the cells of four granules, and empties those that hold a mark. So it
// plays a boundary between any two marks. A call must not mark a granule twice:
// the boundary would put one access into two sets.
// RUN: %build_cxx -O1 -Xclang -mllvm -Xclang -pagetide-precision=exact %s -o %t.exact
// RUN: env PAGETIDE_OPTIONS=period=0:trace_path=%t.ptrace %t.exact
// RUN: %build_cxx -O1 -DNEAR %s -o %t.near
// RUN: env PAGETIDE_OPTIONS=period=0:trace_path=%t.ptrace %t.near
// RUN: %build_cxx -O1 -Xclang -mllvm -Xclang -pagetide-layout=rw-site -DSITES \
// RUN:   %s -o %t.sites
// RUN: env PAGETIDE_OPTIONS=period=0:trace_path=%t.ptrace %t.sites

#include "pagetide/abi.h"
#include "pagetide/pagetide.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define UNMARKED                                                               \
  __attribute__((disable_sanitizer_instrumentation, noinline))

namespace abi = pagetide::abi;

#ifdef NEAR
constexpr unsigned kCellShift = abi::kNearCellShift;
#else
constexpr unsigned kCellShift = abi::kDefaultGranuleShift;
#endif
#ifdef SITES
using Cell = unsigned;
#else
using Cell = unsigned char;
#endif
constexpr unsigned long kGranule = 1ul << abi::kDefaultGranuleShift;
constexpr unsigned long kCells = kGranule >> kCellShift;
constexpr unsigned kGranules = 4, kKinds = 2;
constexpr greg_t kTrapFlag = 0x100;

static char *arena;
static unsigned marks[kGranules][kKinds];
static volatile bool stepping;
static volatile unsigned long result;

/// Counts the cells that hold a mark, and empties them.
UNMARKED static void take(unsigned granule, unsigned kind) {
  unsigned long first =
      ((unsigned long)arena / kGranule + granule) * kCells * kKinds + kind;
  for (unsigned long i = 0; i < kCells; ++i) {
    unsigned long offset =
        abi::kShadowBias + (first + i * kKinds) * sizeof(Cell);
    Cell cell = 0;
    asm volatile("xchg %0, %%gs:(%1)" : "+q"(cell) : "r"(offset) : "memory");
    marks[granule][kind] += cell != abi::kCellEmpty;
  }
}

UNMARKED static void on_step(int, siginfo_t *, void *context) {
  for (unsigned granule = 0; granule < kGranules; ++granule)
    for (unsigned kind = 0; kind < kKinds; ++kind)
      take(granule, kind);
  if (!stepping)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

template <typename Call>
__attribute__((noinline)) static void run_marked(const Call &call) {
  call();
}

template <typename Call> UNMARKED static void step(Call call) {
  memset(marks, 0, sizeof(marks));
  stepping = true;
  asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  run_marked(call);
  stepping = false;
  asm volatile("nop");
}

static int failures;

/// The marks of each granule must be these: read, written; read, written; ...
UNMARKED static void check(const char *call, const char *expected) {
  char found[2 * kGranules + 1] = {};
  for (unsigned i = 0; i < kGranules * kKinds; ++i)
    found[i] = (char)('0' + marks[i / kKinds][i % kKinds]);
  if (strcmp(found, expected) == 0)
    return;
  printf("%s: %s marks, expected %s\n", call, found, expected);
  ++failures;
}

#define STEP(expected, call)                                                   \
  step([=] { call; });                                              \
  check(#call, expected)

UNMARKED int main() {
  arena = (char *)mmap(nullptr, kGranules * kGranule, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  if (arena == MAP_FAILED || sigaction(SIGTRAP, &action, nullptr) != 0)
    return 1;
  char *const a = arena, *const b = arena + 2 * kGranule;
  result = 100;
  const unsigned long n = result; // a length that the compiler does not know
  STEP("01000000", pagetide_mark_written(a, 1));
  STEP("01000000", pagetide_mark_written(a + 8, n));
  STEP("10000000", pagetide_mark_read(a + 8, n));
  STEP("01010000", pagetide_mark_written(a + kGranule - 8, n));
  STEP("01000000", memset(a, 'x', n));
  STEP("01001000", memcpy(a, b, n));
  STEP("10000001", memmove(b + kGranule, a, n));
  STEP("10001000", result = (unsigned long)memcmp(a, b, n));
  STEP("10000000", result = strlen(a));
  return failures != 0;
}

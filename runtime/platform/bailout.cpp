//===- bailout.cpp - When a thread of the runtime cannot go on ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/bailout.h"

#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/syscalls.h"

#include <stdarg.h>

namespace pagetide {

namespace {
struct Point {
  Point *outer;
  Reason *why;
  void *registers[5]; ///< as __builtin_setjmp wants it
};
/// Where a thread jumps back to. At most two threads use this at a time: the
/// recorder and the trace writer.
struct ThreadPoints {
  u32 tid; ///< 0: free
  Point *innermost;
};
} // namespace

PAGETIDE_RECORDER_STATE static ThreadPoints threads[4];

/// The points of the thread, or null.
static ThreadPoints *Of(u32 tid) {
  for (ThreadPoints &points : threads)
    if (LoadAcquire(&points.tid) == tid)
      return &points;
  return nullptr;
}

/// The calling thread's points; takes free ones if it has none.
static ThreadPoints *Claim() {
  const u32 tid = GetTidRaw();
  if (ThreadPoints *mine = Of(tid))
    return mine;
  for (ThreadPoints &points : threads) {
    u32 none = 0;
    if (__atomic_compare_exchange_n(&points.tid, &none, tid, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return &points;
  }
  return nullptr;
}

/// A function of its own: __builtin_longjmp must not be in the function that
/// calls __builtin_setjmp, and it restores no registers.
__attribute__((noinline)) static bool Run(Point &point, void (*step)(void *),
                                          void *arg) {
  if (__builtin_setjmp(point.registers))
    return false;
  step(arg);
  return true;
}

__attribute__((noinline)) static void Jump(Point &point) {
  __builtin_longjmp(point.registers, 1);
}

bool Attempt(Reason &why, void (*step)(void *arg), void *arg) {
  ThreadPoints *mine = Claim();
  if (!mine)
    Fatal("the runtime has too many threads. This is a bug of "
          "Pagetide.\n");
  Point point = {mine->innermost, &why, {}};
  mine->innermost = &point;
  const bool done = Run(point, step, arg);
  mine->innermost = point.outer;
  if (!point.outer)
    StoreRelease(&mine->tid, 0);
  return done;
}

void BailOut(const char *format, ...) {
  ThreadPoints *mine = Of(GetTidRaw());
  Reason unheard; // nobody reads it
  Reason &why = mine ? *mine->innermost->why : unheard;
  va_list args;
  va_start(args, format);
  FormatText(why.text, sizeof(why.text), format, args);
  va_end(args);
  if (!mine)
    Fatal("%s.\n", why.text);
  Jump(*mine->innermost);
  __builtin_unreachable();
}

} // namespace pagetide

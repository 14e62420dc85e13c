//===- in_flight.h - Ranges that a call under way may write ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While libc or the kernel works for the program, nobody can tell which bytes
// of a buffer have been written. The range is then in flight: its pages are not
// stable, and have no checksum.

#pragma once

#include "interceptors/unwindable.h"
#include "shadow/shadow.h"

namespace pagetide {

/// The length of a range in flight, for a call that may write anywhere but ends
/// soon.
constexpr uptr kAnywhere = uptr{1} << abi::kAddressBits;

/// A range that libc or the kernel may write while this object exists. Its
/// pages are not stable until then. Calls may nest, through callbacks and
/// signal handlers. Then the range spans all calls of its kind. This is a part
/// of an object that is told when its frame is unwound.
class InFlightPart {
public:
  InFlightPart(const void *p, uptr bytes, InFlightKind kind) {
    if (bytes)
      Begin(p, bytes, kind);
  }
  ~InFlightPart() { // call it after the marks
    if (innermost_ || counted_ || range_)
      End();
  }
  InFlightPart(const InFlightPart &) = delete;
  InFlightPart &operator=(const InFlightPart &) = delete;

private:
  friend void AbandonCalls(uptr stack);
  void Begin(const void *p, uptr bytes, InFlightKind kind);
  void End();
  InFlightRange *range_ = nullptr;
  bool counted_ = false;
  std::uint64_t *innermost_ =
      nullptr;              ///< the head of the chain of calls under way
  std::uint64_t outer_ = 0; ///< the next call in the chain
  u64 address_ = 0, bytes_ = 0;
};

struct MemoryRange {
  uptr begin = 0, bytes = 0;
};

/// What a call may write before it returns. The two may be far apart: all
/// between the ends of one range counts as unstable.
struct CallWrites {
  MemoryRange buffer;
  MemoryRange results; ///< small ones: a length, a time, a status
};

/// The same for a call that a callback's exception, or a cancellation, may
/// unwind. A function has one of these at most, and during all that may throw.
class InFlight : Unwindable {
public:
  __attribute__((always_inline)) explicit InFlight(const CallWrites &writes)
      : Unwindable{Unwound, nullptr},
        buffer_((const void *)writes.buffer.begin, writes.buffer.bytes,
                InFlightKind::kBuffer),
        results_((const void *)writes.results.begin, writes.results.bytes,
                 InFlightKind::kObject) {
    PAGETIDE_UNWINDABLE_FRAME();
    Push(*this);
  }
  __attribute__((always_inline)) InFlight(const void *p, uptr bytes)
      : InFlight({{(uptr)p, bytes}, {}}) {}
  ~InFlight() { Pop(*this); }
  InFlight(const InFlight &) = delete;
  InFlight &operator=(const InFlight &) = delete;

private:
  static void Unwound(Unwindable *frame) { ((InFlight *)frame)->~InFlight(); }
  InFlightPart buffer_, results_;
};

/// The thread is about to jump to the stack pointer `stack`. Calls in frames
/// that the jump abandons will not return.
void AbandonCalls(uptr stack);

} // namespace pagetide

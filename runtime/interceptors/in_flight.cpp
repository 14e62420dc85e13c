//===- in_flight.cpp - Ranges that a call under way may write -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/in_flight.h"

#include "interceptors/interceptor.h"
#include "interceptors/unwindable.h"
#include "threads/thread_start.h"

#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

/// Changes the range of a slot. One of the two ranges contains the other. At
/// any moment the recorder finds a range that covers both.
static void SetInFlight(InFlightRange &range, u64 address, u64 bytes) {
  if (range.bytes && bytes)
    StoreRelease(&range.bytes, u64{1} << abi::kAddressBits);
  StoreRelease(&range.address, address);
  StoreRelease(&range.bytes, bytes);
}

void InFlightPart::Begin(const void *p, uptr bytes, InFlightKind kind) {
  if (!ShadowReady() || !InShadowedRange((uptr)p, bytes))
    return;
  u32 slot = CurrentSlot();
  const bool fallback = slot == shadow_file::kFallbackSlot;
  SharingThread *sharing = fallback ? CurrentSharing() : nullptr;
  // If nobody knows whose call it is, it is only counted.
  if (fallback ? !sharing : SharesSlot(slot)) {
    counted_ = true;
    __atomic_fetch_add(&shadow.header->fallback_calls_in_flight, 1,
                       __ATOMIC_ACQ_REL);
    if (fallback) {
      ++self.fallback_calls;
      innermost_ = &self.fallback_call;
    }
  } else {
    SlotEntry &entry = shadow.slots[slot];
    range_ = &(sharing ? sharing->inflight : entry.inflight)[(u32)kind];
    innermost_ = sharing ? &sharing->inflight_call : &entry.inflight_call;
    address_ = range_->address;
    bytes_ = range_->bytes;
    u64 low = (uptr)p, high = low + bytes;
    if (bytes_) {
      low = Min(low, address_);
      high = address_ + bytes_ > high ? address_ + bytes_ : high;
    }
    SetInFlight(*range_, low, high - low);
  }
  if (innermost_) {
    outer_ = *innermost_;
    *innermost_ = (std::uint64_t)this;
  }
}

void InFlightPart::End() {
  if (innermost_)
    *innermost_ = outer_;
  if (counted_)
    __atomic_fetch_sub(&shadow.header->fallback_calls_in_flight, 1,
                       __ATOMIC_ACQ_REL);
  if (counted_ && innermost_)
    --self.fallback_calls;
  if (range_)
    SetInFlight(*range_, address_, bytes_);
}

void AbandonCalls(uptr stack) {
  if (!ShadowReady())
    return;
  u32 slot = CurrentSlot();
  const bool fallback = slot == shadow_file::kFallbackSlot;
  const SharingThread *sharing = fallback ? CurrentSharing() : nullptr;
  const std::uint64_t &innermost = sharing ? sharing->inflight_call
                                   : fallback
                                       ? self.fallback_call
                                       : shadow.slots[slot].inflight_call;
  if ((!innermost && !self.unwindable) || SharesSlot(slot))
    return;
  // Stacks grow downward, so abandoned calls are between here and the target.
  // If a handler jumps from its own stack to another one, they are anywhere on
  // the handler's stack, and below the target on the other one. Only calls that
  // are certainly abandoned are ended. A call that is not ended only makes
  // pages unstable.
  const uptr here = (uptr)__builtin_frame_address(0);
  stack_t handlers = {};
  Syscall(SYS_sigaltstack, 0, (uptr)&handlers);
  const uptr low = (uptr)handlers.ss_sp, high = low + handlers.ss_size;
  auto on_handlers = [&](uptr p) { return p >= low && p < high; };
  const bool leaves_stack = (handlers.ss_flags & SS_ONSTACK) &&
                            on_handlers(here) && !on_handlers(stack);
  auto left = [&](uptr call) {
    return leaves_stack ? on_handlers(call) || call < stack
                        : call > here && call < stack;
  };
  while (innermost && left(innermost))
    ((InFlightPart *)innermost)->End();
  AbandonUnwindable(
      [](uptr frame, const void *arg) {
        return (*(const decltype(left) *)arg)(frame);
      },
      &left);
}

} // namespace pagetide

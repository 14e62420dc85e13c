//===- schedule.cpp - When the open period ends ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/schedule.h"

#include "recorder/recorder_state.h"
#include "recorder/windows.h"

namespace pagetide {

void Schedule(u64 from) {
  u64 period = __atomic_load_n(&record_config.period_ns, __ATOMIC_ACQUIRE);
  constexpr u64 kNever = 0; // also if the sum wraps: beyond five centuries
  recorder_state.next_end = EndWithinWindow(
      from, period && from + period > from ? from + period : kNever);
}

void ChangePeriod(u64 period_ns) {
  __atomic_store_n(&record_config.period_ns, period_ns, __ATOMIC_RELEASE);
  Schedule(MonotonicNs());
}

} // namespace pagetide

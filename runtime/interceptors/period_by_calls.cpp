//===- period_by_calls.cpp - Periods that end at every Nth call -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/period_by_calls.h"

#include "platform/options.h"
#include "recorder/requests.h"
#include "shadow/call_sites.h"
#include "threads/slots.h"

namespace pagetide {

u64 calls_per_period;

/// The thread whose calls count, identified by its thread-local storage.
static const ThreadSelf *counted;
static u64 calls; ///< since the last period that ended here

void CountCallsOfThisThread() {
  counted = &self;
  calls = 0;
  calls_per_period = GetFlags().end_period_calls;
}

void CountInterceptedCall() {
  if (&self != counted || self.in_request || !Recording())
    return;
  if (++calls < calls_per_period)
    return;
  calls = 0;
  const KeptCaller kept; // the program's callback may run
  RequestPeriodEnd(trace::kPeriodDriven);
}

} // namespace pagetide

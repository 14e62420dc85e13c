//===- period_pool.cpp - Results of periods, used again -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/period_pool.h"

#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/own_memory.h"

namespace pagetide {

PAGETIDE_RECORDER_STATE static Lock lock;
PAGETIDE_RECORDER_STATE static PeriodResult *pool;

PeriodResult *NewPeriodResult() {
  PeriodResult *result;
  {
    RawThreadLock hold(lock);
    result = pool;
    if (result)
      pool = result->next;
  }
  if (!result)
    result = (PeriodResult *)MapAnonymous(sizeof(PeriodResult), false);
  if (!result)
    BailOut("out of memory for a page set");
  result->set.Clear();
  result->sites.Clear();
  result->hashes.clear();
  result->combined = {};
  result->frames_before.clear();
  result->frames_after.clear();
  result->next = nullptr;
  return result;
}

void RecyclePeriodResult(PeriodResult *result) {
  RawThreadLock hold(lock);
  result->next = pool;
  pool = result;
}

} // namespace pagetide

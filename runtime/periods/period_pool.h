//===- period_pool.h - Results of periods, used again ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/period_result.h"

namespace pagetide {

/// A result to fill, from the pool. There are as many as may be pending.
PeriodResult *NewPeriodResult();
void RecyclePeriodResult(PeriodResult *result);

} // namespace pagetide

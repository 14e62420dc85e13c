//===- callback_period.h - A period as the callback sees it ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/pagetide.h"
#include "periods/period_result.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// Describes a period for the callback. Valid until the next call. `mappings`
/// is compared with the list of the last call. For the recorder's thread.
const pagetide_period &DescribePeriod(const PeriodResult &result,
                                      const MappingList &mappings,
                                      const MappingList &passed);

} // namespace pagetide

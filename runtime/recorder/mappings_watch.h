//===- mappings_watch.h - The program's mappings, as they change ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_MAPPINGS_WATCH_H
#define PAGETIDE_RUNTIME_RECORDER_MAPPINGS_WATCH_H

#include "platform/proc_maps.h"

namespace pagetide {

/// Recording begins: nothing is known of the mappings.
void ForgetMappings();

/// Looks which mappings there are, at most once in each interval of option
/// `mappings` unless `at_once`. The trace is told of changes.
void LookAtMappings(u64 now, bool at_once);

/// As last looked up.
const MappingList &KnownMappings();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_MAPPINGS_WATCH_H

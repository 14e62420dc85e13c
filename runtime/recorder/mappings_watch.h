//===- mappings_watch.h - The program's mappings, as they change ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/proc_maps.h"

namespace pagetide {

/// A recording starts: no mapping is known.
void ForgetMappings();

/// Reads the list of mappings and writes changes to the trace. The memory
/// behind a file's data (.bss) has the file's name. Reads nothing if the last
/// look is more recent than option `mappings` says, unless `at_once` is set.
void LookAtMappings(u64 now, bool at_once);

/// Writes to the trace what threads of the program saw (looks_before_close.h).
void TakeLooksBeforeClose();

/// The list as last read.
const MappingList &KnownMappings();

/// What SharedChanges() was before that list was read. 0: none was read yet.
u64 SharedChangesAtLook();

/// Mappings of files that only threads of the program saw, since
/// ForgetPassedMappings.
const MappingList &PassedMappings();
void ForgetPassedMappings();

} // namespace pagetide

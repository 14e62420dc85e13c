//===- looks_before_close.h - Mappings of libraries that are closed -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that is opened and closed between two of the recorder's looks at
// the mappings would be in no list, and its pages would have no name. So the
// thread that closes a library reads the list before, and hands it to the
// recorder. It does not wait: it may hold the loader's lock, for which a
// period's callback may wait.

#pragma once

#include "platform/proc_maps.h"

namespace pagetide {

/// On a thread of the program that is about to call dlclose. Does nothing if no
/// library was loaded since the last such look.
void LookBeforeClose();

/// On the recorder's thread: takes one of the lists. False if there is none.
bool TakeLookBeforeClose(MappingList &list, u64 &time);

/// In a forked child: the lists are of the parent, and its threads do not
/// exist.
void RenewLooksInChild();

} // namespace pagetide

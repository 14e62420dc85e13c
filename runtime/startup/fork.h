//===- fork.h - Keeping parent and child apart ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Registers handlers of fork: the child gets a shadow and a recorder of its
/// own.
void InitFork();

} // namespace pagetide

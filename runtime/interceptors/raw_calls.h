//===- raw_calls.h - What system calls have read and written --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/call_memory.h"

namespace pagetide::calls {

/// Marks what a call has done, at its return. If it has failed, `result` is -1
/// and errno says how. False if no table knows the number.
bool DidCall(long number, long result, const u64 (&arguments)[6]);

} // namespace pagetide::calls

//===- marks_suspended.h - Our own accesses are not the program's ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/pagetide.h"

namespace pagetide::checkpoint {

/// While it exists, the calling thread's accesses are in no page set.
class MarksSuspended {
public:
  MarksSuspended() { pagetide_leave_out_begin(); }
  ~MarksSuspended() { pagetide_leave_out_end(); }
  MarksSuspended(const MarksSuspended &) = delete;
};

} // namespace pagetide::checkpoint

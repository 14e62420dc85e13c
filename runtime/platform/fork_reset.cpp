//===- fork_reset.cpp - Variables that a forked child does not keep -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/fork_reset.h"

#include "sanitizer_common/sanitizer_libc.h"

// The linker sets these. NOLINTBEGIN(readability-identifier-naming)
extern "C" char __start_pagetide_recorder_state[];
extern "C" char __stop_pagetide_recorder_state[];
extern "C" char __start_pagetide_zero_in_child[];
extern "C" char __stop_pagetide_zero_in_child[];
// NOLINTEND(readability-identifier-naming)

namespace pagetide {

static void Zero(char *begin, const char *end) {
  __sanitizer::internal_memset(begin, 0, (__sanitizer::uptr)(end - begin));
}

void ZeroRecorderState() {
  Zero(__start_pagetide_recorder_state, __stop_pagetide_recorder_state);
}
void ZeroInChild() {
  Zero(__start_pagetide_zero_in_child, __stop_pagetide_zero_in_child);
}

} // namespace pagetide

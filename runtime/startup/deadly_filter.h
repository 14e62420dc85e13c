//===- deadly_filter.h - Filters that end recorded processes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// First phase, when marks are wanted. Returns false, after a message, if the
/// process inherited a system call filter that ends it for a call that
/// recording makes, and if it may run unrecorded (option on_failure). Ends the
/// process if it may not.
bool FilterAllowsRecording(bool may_run_unrecorded);

} // namespace pagetide

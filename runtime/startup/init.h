//===- init.h - The second phase of start-up ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Options, interceptors, threads, fork handlers, recorder; then recording, if
/// the options ask for it. Runs once, from the first module constructor: libc
/// and other sanitizers are ready by then.
void EnsureSecondPhase();

} // namespace pagetide

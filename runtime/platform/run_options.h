//===- run_options.h - Options of the record above this process -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// The options that the nearest `pagetide record` among the ancestors of this
/// process gives to its run (shadow_file.h). Null if there is no such ancestor.
/// Looks once. If the user records nothing, that costs one system call.
const char *OptionsOfRun();

} // namespace pagetide

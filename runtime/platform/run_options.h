//===- run_options.h - Options of the record above this process -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_RUN_OPTIONS_H
#define PAGETIDE_RUNTIME_PLATFORM_RUN_OPTIONS_H

namespace pagetide {

/// The options that the nearest `pagetide record` among the ancestors of this
/// process gives to its run (shadow_file.h). Null if there is no such ancestor.
/// Looks once. If the user records nothing, that costs one system call.
const char *OptionsOfRun();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_RUN_OPTIONS_H

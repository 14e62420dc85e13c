//===- environment.h - The options that a process is given ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// First phase: libc has not set `environ` yet.
void SetStartEnvironment(char **environment);

/// PAGETIDE_OPTIONS of the environment. Null if there is no such variable, or
/// if the process is setuid and must not take orders from its caller.
const char *OptionsOfEnvironment();

/// PAGETIDE_OPTIONS of the environment. If there is no such variable, the
/// options of the `pagetide record` that is an ancestor of this process. If
/// there is none, those that `pagetide target` has registered for this program,
/// or null.
const char *OptionsOfProcess();

} // namespace pagetide

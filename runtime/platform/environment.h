//===- environment.h - PAGETIDE_OPTIONS, at any time ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_ENVIRONMENT_H
#define PAGETIDE_RUNTIME_PLATFORM_ENVIRONMENT_H

namespace pagetide {

/// First phase: libc has not set `environ` yet.
void SetStartEnvironment(char **environment);

/// The environment's options. Null if there are none, or if the process is
/// setuid and must not take orders from its caller.
const char *OptionsOfEnvironment();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_ENVIRONMENT_H

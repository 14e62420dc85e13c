//===- protection_events.h - What a program with protected memory does ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While memory is protected the engine serves faults of the program. It must
// also know when the kernel writes, when rights and mappings change, and when
// threads and processes begin (program_events.h).
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_PROTECTION_EVENTS_H
#define PAGETIDE_RUNTIME_ENGINES_PROTECTION_EVENTS_H

#include "engines/engine.h"

namespace pagetide {

/// Engine::prepare: installs the handler of SIGSEGV, and its stack on the
/// calling thread. From then on the engine listens to the program.
const char *PrepareProtection(Sigaction *sigaction);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_PROTECTION_EVENTS_H

//===- first_phase.cpp - The first phase of start-up ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs before every other constructor of the process (the library is linked
// with -z initfirst), because instrumented code marks from its first
// instruction on. It maps the shadow and sets the base with system calls only:
// libc, and other sanitizers, may not be ready.
//
//===----------------------------------------------------------------------===//

#include "platform/environment.h"
#include "platform/gs_base.h"
#include "platform/messages.h"
#include "startup/control_signal.h"
#include "startup/deadly_filter.h"
#include "startup/demand.h"
#include "startup/fork.h"
#include "startup/loaded_modules.h"

namespace pagetide {

static void StartMarks(const LoadedNotes &notes) {
  if (!MarksAreWanted(notes.flags, notes.always) ||
      !FilterAllowsRecording(/*may_run_unrecorded=*/!notes.always))
    return LeaveMarksOff();
  SetMarksOn();
  AdmitLoadedModules();
  SwitchLoadedModulesOn();
}

__attribute__((constructor)) static void FirstPhase(int, char **,
                                                    char **environment) {
  SetStartEnvironment(environment);
  InitMessages();
  InitBaseRegister();
  if (const LoadedNotes &notes = ReadLoadedNotes(); notes.any) {
    StartMarks(notes);
    InitControlSignal();
  }
  InitFork();
}

} // namespace pagetide

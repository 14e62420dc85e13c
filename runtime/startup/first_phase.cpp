//===- first_phase.cpp - The first phase of start-up ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before every other constructor of the process (the library is linked
// with -z initfirst), because instrumented code marks from its first
// instruction on. It maps the shadow and sets the base with system calls only:
// libc, and other sanitizers, may not be ready.

#include "arch/shadow_base.h"
#include "platform/environment.h"
#include "platform/messages.h"
#include "shadow/shadow.h"
#include "startup/control_signal.h"
#include "startup/deadly_filter.h"
#include "startup/demand.h"
#include "startup/fork.h"
#include "startup/late_start.h"
#include "startup/loaded_modules.h"
#include "startup/other_namespace.h"
#include "startup/started_by_recorded.h"

#include <sys/resource.h>
#include <sys/syscall.h>

namespace pagetide {

/// A recorded program may start this one with less address space than a shadow
/// takes. Then it runs unrecorded.
static bool HasRoom() {
  rlimit limit;
  u64 shadow_bytes = 0;
  if (Failed(Syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (uptr)&limit)) ||
      limit.rlim_cur == RLIM_INFINITY || !LoadedModulesFit(shadow_bytes) ||
      HasAddressSpace(shadow_bytes) || !IsStartedByRecorded())
    return true;
  RunUnrecorded("a limit on address space (ulimit -v) leaves no room for the "
                "shadow. Lift the limit, or build with "
                "-fpagetide-precision=exact");
  return false;
}

static void StartMarks(const LoadedNotes &notes) {
  if (!MarksAreWanted(notes.flags, notes.always) ||
      !FilterAllowsRecording(notes.always ? Wish::kMarksAlways
                                          : Wish::kMarks) ||
      (!notes.always && !HasRoom()))
    return LeaveMarksOff();
  SetMarksOn();
  AdmitLoadedModules();
  SwitchLoadedModulesOn();
}

__attribute__((constructor)) static void FirstPhase(int, char **,
                                                    char **environment) {
  SetStartEnvironment(environment);
  InitMessages();
  if (InOtherNamespace())
    return LeaveMarksOff();
  InitBaseRegister();
  if (const LoadedNotes &notes = ReadLoadedNotes(); notes.any) {
    StartMarks(notes);
    InitControlSignal();
  }
  InitFork();
}

} // namespace pagetide

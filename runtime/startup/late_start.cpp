//===- late_start.cpp - Switching marks on while the program runs ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/late_start.h"

#include "arch/shadow_base.h"
#include "interceptors/real_functions.h"
#include "platform/fork_reset.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "startup/demand.h"
#include "startup/init.h"
#include "startup/loaded_modules.h"
#include "startup/other_namespace.h"
#include "threads/unregistered.h"

#include "sanitizer_common/sanitizer_mutex.h"

#include <link.h>

namespace pagetide {

/// Runs `visit` while no library comes or goes.
static void UnderLoaderLock(void (*visit)()) {
  dl_iterate_phdr(
      [](dl_phdr_info *, size_t, void *visit) {
        ((void (*)())visit)();
        return 1; // once
      },
      (void *)visit);
}

const char *WhyMarksStayOff() {
  if (InOtherNamespace())
    return "what asks for it was loaded into a namespace of its own (by "
           "dlmopen or LD_AUDIT)";
  if (MarksAreOn() || !HasInstrumentedModule())
    return nullptr;
  u64 shadow_bytes = 0;
  if (!LoadedModulesFit(shadow_bytes))
    return "its instrumented files were built with different layouts, "
           "precisions or granules";
  if (GetBaseRegister())
    return "its GS base is in use, by another tool";
  if (!HasAddressSpace(shadow_bytes))
    return "a limit on address space (ulimit -v) leaves no room for the shadow";
  if (AnyThreadBlocksAttachment())
    return "one of its threads blocks every real-time signal, or all signals "
           "are in use: marks need a shadow for each thread, which a signal "
           "sets up";
  return nullptr;
}

void SwitchMarksOn(bool late) {
  PAGETIDE_ZERO_IN_CHILD static __sanitizer::StaticSpinMutex mutex;
  __sanitizer::SpinMutexLock lock(&mutex);
  if (MarksAreOn() || !HasInstrumentedModule())
    return;
  // Threads that are created from here on get slots. Those that exist get
  // theirs in the second phase.
  SetMarksOn();
  SetEntryMode(kEntryMarks);
  UnderLoaderLock(AdmitLoadedModules);
  shadow.marks_late = late;
  EnsureSecondPhase();
  // A recording switches marks on where running code can change to its marked
  // copy, and says since when each thread has changed (recorder/windows.h).
  if (late && LoadedModulesChangeCopies())
    LetMarksRest();
  // Last, because a mark needs its thread's base. A library that is loaded
  // meanwhile sets its byte itself.
  UnderLoaderLock(SwitchLoadedModulesOn);
}

} // namespace pagetide

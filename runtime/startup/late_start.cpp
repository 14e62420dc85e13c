//===- late_start.cpp - Switching marks on while the program runs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "startup/late_start.h"

#include "interceptors/real_functions.h"
#include "shadow/shadow.h"
#include "startup/demand.h"
#include "startup/init.h"
#include "startup/preinit.h"

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

void SwitchMarksOn(bool late) {
  static __sanitizer::StaticSpinMutex mutex;
  __sanitizer::SpinMutexLock lock(&mutex);
  if (MarksAreOn() || !HasInstrumentedModule())
    return;
  // Threads that are created from here on get slots. Those that exist get
  // theirs in the second phase.
  SetMarksOn();
  __atomic_store_n(&idle, false, __ATOMIC_RELEASE);
  UnderLoaderLock(AdmitLoadedModules);
  shadow.marks_late = late;
  EnsureSecondPhase();
  // Last, because a mark needs its thread's base. A library that is loaded
  // meanwhile sets its byte itself.
  UnderLoaderLock(SwitchLoadedModulesOn);
}

} // namespace pagetide

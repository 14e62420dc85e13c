//===- module_init.cpp - What a module's constructor calls ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pagetide/abi.h"
#include "platform/exports.h"
#include "platform/options.h"
#include "recorder/requests.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "startup/demand.h"
#include "startup/init.h"
#include "startup/late_start.h"
#include "startup/loaded_modules.h"
#include "startup/other_namespace.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>

namespace pagetide {

/// Registers OnAtexitHandlersDone from the constructor of the program itself.
/// That is the first constructor after libc has registered the destructors of
/// all files. So the handler runs right before these destructors, and after
/// every other handler. Each of the program's object files has a constructor.
static void RegisterAtexitHandlersDone(const void *base_of_module) {
  static bool registered;
  if (GetFlags().kernel_writes && !registered &&
      (uptr)base_of_module == PageDown(getauxval(AT_PHDR)))
    registered = !atexit(OnAtexitHandlersDone);
}

/// True if the module stays without marks.
static bool LeavesMarksOff(const abi::ModuleNote &record, bool is_first) {
  if (MarksAreOn() || !abi::marks_on_byte(record))
    return false;
  // The first phase has decided, unless nothing was instrumented then.
  return !is_first || !MarksAreWanted(record.info.flags, /*always=*/false);
}

static const char *OriginOf(const abi::ModuleNote &record, Dl_info &where) {
  dladdr((const void *)&record, &where);
  return where.dli_fname ? where.dli_fname : "";
}

} // namespace pagetide

PAGETIDE_EXPORT void
__pagetide_module_init_v6(const pagetide::abi::ModuleNote *record) {
  using namespace pagetide;
  if (InOtherNamespace())
    return LeaveOutModule(*record);
  Dl_info where = {};
  if (ControlReady() && !ShadowReady())
    return LeaveMarksUnread(*record, OriginOf(*record, where));
  AnnounceModule(*record);
  const bool is_first = !HasInstrumentedModule();
  NoteInstrumentedModule();
  if (LeavesMarksOff(*record, is_first))
    return;
  SwitchMarksOn(/*late=*/!is_first);
  AdmitModule(record->info, OriginOf(*record, where));
  EnsureSecondPhase();
  AddMarkSwitch(*record);
  RegisterAtexitHandlersDone(where.dli_fbase);
}

PAGETIDE_EXPORT void
__pagetide_module_exit(const pagetide::abi::ModuleNote *record) {
  pagetide::RemoveMarkSwitch(*record);
}

//===- demand.cpp - Whether marks are on ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/demand.h"

#include "interceptors/real_functions.h"
#include "pagetide/abi.h"
#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/target_options.h"

namespace pagetide {

static bool marks_on;

bool MarksAreOn() { return __atomic_load_n(&marks_on, __ATOMIC_ACQUIRE); }

void SetMarksOn() { __atomic_store_n(&marks_on, true, __ATOMIC_RELEASE); }

void LeaveMarksOff() { SetEntryMode(kEntryIdle); }

bool MarksAreWanted(u32 flags, bool always) {
  if (always)
    return true;
  if (const char *options = OptionsOfProcess(); options && *options)
    return !SaysMarksLate(options);
  if (const char *list = UnknownTargetList())
    Warning("%s: is not a list of targets that this libpagetide.so knows. The "
            "program is not recorded. Write the list with the pagetide that "
            "belongs to it: pagetide target reset.\n",
            list);
  const char *defaults = OptionsOfProgram();
  const bool uses_api = flags & abi::kModuleUsesApi;
  return (uses_api || *defaults) && !SaysMarksLate(defaults);
}

} // namespace pagetide

//===- other_namespace.cpp - The library loaded once more -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/other_namespace.h"

#include "platform/environment.h"
#include "platform/messages.h"

#include <dlfcn.h>
#include <link.h>

namespace pagetide {

/// The loader's list of the program's namespace, which debuggers read. All
/// namespaces have the same loader.
static bool IsInProgramsNamespace() {
  for (const link_map *map = _r_debug.r_map; map; map = map->l_next)
    if (map->l_ld == _DYNAMIC)
      return true;
  return false;
}

bool InOtherNamespace() {
  // A library never changes its namespace.
  static const bool kOther = !IsInProgramsNamespace();
  return kOther;
}

void LeaveOutModule(const abi::ModuleNote &note) {
  Dl_info where = {};
  dladdr(&note, &where);
  const char *file = where.dli_fname ? where.dli_fname : "a library";
  if (!abi::marks_on_byte(note))
    Fatal("%s was loaded into a namespace of its own (by dlmopen or LD_AUDIT), "
          "where it cannot be recorded, and its marks cannot be off. Build it "
          "with -fpagetide-mode=on-demand or -fno-pagetide, or load it with "
          "dlopen.\n",
          file);
  static bool said;
  const char *options = OptionsOfProcess();
  if (said || !options || !*options)
    return;
  said = true;
  Warning("%s was loaded into a namespace of its own (by dlmopen or LD_AUDIT). "
          "What it touches there is not recorded. It runs without marks, as "
          "natively. To record it, load it with dlopen.\n",
          file);
}

} // namespace pagetide

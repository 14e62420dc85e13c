//===- environment.cpp - The options that a process is given --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/environment.h"

#include "platform/run_options.h"
#include "platform/start_data.h"
#include "platform/target_options.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/auxv.h>
#include <unistd.h>

using namespace __sanitizer;

namespace pagetide {

PAGETIDE_START_DATA static char **start_environment;

void SetStartEnvironment(char **environment) {
  start_environment = environment;
}

/// Not sanitizer_common's GetEnv, which reads /proc/self/environ. Without
/// /proc, or without a free descriptor, it finds no options.
static const char *Environment(const char *name) {
  uptr bytes = internal_strlen(name);
  for (char **entry = environ ? environ : start_environment; entry && *entry;
       ++entry)
    if (!internal_strncmp(*entry, name, bytes) && (*entry)[bytes] == '=')
      return *entry + bytes + 1;
  return nullptr;
}

const char *OptionsOfEnvironment() {
  return getauxval(AT_SECURE) ? nullptr : Environment("PAGETIDE_OPTIONS");
}

const char *OptionsOfProcess() {
  if (getauxval(AT_SECURE))
    return nullptr;
  if (const char *options = Environment("PAGETIDE_OPTIONS"))
    return options;
  if (const char *options = OptionsOfRun())
    return options;
  return OptionsOfTarget(Environment("XDG_CONFIG_HOME"), Environment("HOME"));
}

} // namespace pagetide

//===- link.h - How a process in QEMU reaches record ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/emulate/emulation.h"

#include <string>

namespace pagetide::emulation {

/// What the plugin was told at its start.
struct Settings {
  std::string socket;     ///< of record
  bool by_thread = false; ///< threads have shadows of their own
  std::string compared;   ///< if not empty: marks are compared (comparison.h)
};
extern Settings settings;

/// Sends a message, with a descriptor if it is not negative. `answered`: waits
/// until record has done what the message asks. False if record cannot be
/// reached, or has gone; errno says why. The connection is closed in any case.
bool tell(MessageKind kind, const std::string &text = "", int fd = -1,
          bool answered = false);

/// Whether an errno says that record has ended, as it may before processes that
/// outlive the command. They run on, and nobody complains.
bool record_has_gone(int error);

/// On the standard error, as Pagetide's.
void complain(const std::string &text);

} // namespace pagetide::emulation

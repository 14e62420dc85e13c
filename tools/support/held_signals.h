//===- held_signals.h - Signals that wait until all is put in order -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <signal.h>

namespace pagetide::tools {

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT wait while this object lives. Afterwards
/// they end this process as ever.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;

  /// Readable while one of them waits.
  int fd() const { return fd_.get(); }

private:
  sigset_t before_;
  UniqueFd fd_;
};

} // namespace pagetide::tools

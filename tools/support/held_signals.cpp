//===- held_signals.cpp - Signals that wait until all is put in order -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/held_signals.h"

#include <sys/signalfd.h>

namespace pagetide::tools {

HeldSignals::HeldSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC));
}

HeldSignals::~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

} // namespace pagetide::tools

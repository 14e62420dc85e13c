//===- signal_held.h - A write must fail, and not end the program ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <pthread.h>
#include <signal.h>

#include <ctime>

namespace pagetide::checkpoint {

/// While it exists, a write of the calling thread that the kernel answers by
/// this signal (SIGXFSZ, SIGPIPE) fails instead.
class SignalHeld {
public:
  explicit SignalHeld(int number) {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, number);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, number) == 1;
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~SignalHeld() {
    const timespec now = {};
    if (!was_pending_)
      ::sigtimedwait(&signal_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalHeld(const SignalHeld &) = delete;

private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

} // namespace pagetide::checkpoint

//===- control_request.h - One request of pagetide ctl --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/control.h"
#include "platform/syscalls.h"

namespace pagetide {

/// A request of pagetide ctl (pagetide/control.h), from its receipt to the
/// reply. System calls only; the socket is in the calling thread's table of
/// descriptors.
class ControlRequest {
public:
  /// Connects to the ctl of that number and receives its request. False if
  /// there is no such ctl, or if it belongs to another user: then there is
  /// nothing to answer.
  bool Begin(u32 ctl);
  const control::Request &Asked() const { return asked_; }

  /// Fills in what the process is doing, sends the reply and ends the
  /// request. `reason` not null: the request was refused, and why.
  void Reply(const char *reason = nullptr);

private:
  int socket_;
  control::Request asked_;
};

} // namespace pagetide

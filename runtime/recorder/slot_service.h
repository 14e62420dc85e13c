//===- slot_service.h - The recorder gives slots to new threads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Does what threads that want slots have asked for (threads/slot_requests.h),
/// and says once if slots have run out.
void ServeSlots();
/// A recording starts: warn again when slots run out.
void RenewSlotWarning();

} // namespace pagetide

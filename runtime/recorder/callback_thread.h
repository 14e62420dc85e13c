//===- callback_thread.h - Giving periods to the program ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/pagetide.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Sets the program's callback (null: none) and starts the callback thread if
/// it does not run. Registers `at_exit` with atexit when a callback is set for
/// the first time. Returns a pagetide_status.
int SetCallback(pagetide_callback callback, void *user, void (*at_exit)());
bool HasCallback();

/// The callback ends the program or calls exec. From now on it counts as
/// returned, and it is not called again until it does return. True if the
/// caller is the callback thread. Otherwise the caller is the thread that has
/// made the request.
bool AbandonCallback();

/// Runs the callback on the calling thread. Its accesses are in no page set.
void RunCallback(const pagetide_period &period);

/// Makes the callback thread run the callback; false if there is no such
/// thread. That thread wakes the recorder when CallbackDone() has become true.
/// For the recorder's thread.
bool StartCallbackElsewhere(const pagetide_period &period);
bool CallbackDone();

/// Ends the callback thread, or starts it again if there is a callback. The
/// caller is the program's only thread.
void EndCallbackThread();
void RenewCallbackThread();

/// In a forked child: a new callback thread if there is a callback.
void RenewCallbackInChild();
/// In a forked child that may not make a thread: no callback is called any
/// more.
void DropCallbackInChild();
/// For the fork handlers.
void LockCallback();
void UnlockCallback();

} // namespace pagetide

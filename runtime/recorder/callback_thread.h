//===- callback_thread.h - Giving periods to the program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_CALLBACK_THREAD_H
#define PAGETIDE_RUNTIME_RECORDER_CALLBACK_THREAD_H

#include "pagetide/pagetide.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Sets the program's callback (null: none) and makes sure that a thread of our
/// own is there to run it. Returns a pagetide_status.
int SetCallback(pagetide_callback callback, void *user, void (*at_exit)());
bool HasCallback();

/// The program ends, or becomes another, within the callback: to everybody else
/// it counts as returned from now on, and no period is given to it before it
/// has. True where the caller is the callback thread; otherwise it is the
/// thread whose request the callback belongs to.
bool LeaveCallback();

/// Runs the callback on the calling thread, whose accesses are left out
/// meanwhile.
void RunCallback(const pagetide_period &period);

/// Has the callback thread run it; false where there is no such thread. It
/// wakes the recorder when CallbackDone() has become true. On the recorder's
/// thread.
bool StartCallbackElsewhere(const pagetide_period &period);
bool CallbackDone();

/// In a forked child: a new callback thread if there is a callback.
void RenewCallbackInChild();
/// The same where no thread may be made: no callback is called from now on.
void DropCallbackInChild();
/// Fork handlers' part.
void LockCallback();
void UnlockCallback();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_CALLBACK_THREAD_H

//===- stopped_threads.h - Stop the program's threads for a moment --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cut (cuts/cut.h) needs all threads to stand for a moment. A helper
// process, which shares the memory, seizes the threads by ptrace and interrupts
// them. The recorder goes on meanwhile and reads. The helper releases all
// threads when the bound has passed, whatever the recorder does. So a recorder
// that waits for a lock of a stopped thread, or is itself not scheduled,
// prolongs the stop no further.
//
// A thread without a processor stops only when it gets one, which takes many
// milliseconds on a busy machine. So the helper drives all threads out of user
// code (membarrier): they stop before they return there, and it need not see
// them stop. They may be in the kernel, in a call, as threads that sleep there.
//
// Threads that sleep in a system call are not touched: a stop would end some
// calls with EINTR (epoll_wait and others). Such a thread has no access under
// way. If it wakes it marks before it writes, and the caller looks at its marks
// again.
//
// A thread that is stopped as it enters such a call would see EINTR too. The
// helper then has it make the call anew.
//
// For the recorder's thread.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Why a thread could not be stopped, although another try may succeed.
inline constexpr char kStopAgain[] = "a thread was about to end";
inline constexpr char kNotInTime[] =
    "a thread did not stop in the time that option cut_stop allows";

// LeakSanitizer stops threads by ptrace too, and a thread has one tracer. It
// would take memory for leaked that a thread holds which it could not stop. So
// one waits for the other.

/// On a thread of the program that is about to stop all others: waits until the
/// recorder's stop is over, and keeps it from beginning the next one.
void BeginOtherStop();
void EndOtherStop();
/// On the recorder's thread. False if another stop is under way.
bool BeginOwnStop();
void EndOwnStop();

/// Starts the helper. Returns null, or a static text that says what keeps
/// threads from being stopped. Call ReleaseThreads() in both cases.
const char *PrepareToStop(u64 bound_ns);

/// Stops each thread that does not sleep in a system call and is not stopped
/// yet: none is in user code then. Returns null when all others sleep, or a
/// static text as above. Sets `stopped_any` to whether it stopped a thread.
const char *StopAwakeThreads(bool &stopped_any);

/// True if a thread may have run that the first call of StopAwakeThreads left
/// asleep. If none has, nobody has marked anything since that call.
bool MayAnySleeperHaveRun();

/// False once the bound has passed: the threads run again.
bool StillStanding();

/// True if nobody saw one of the threads stop. It is in no user code, but may
/// have made a thread meanwhile, which is.
bool AnyUnseenToStop();

/// True if a thread that nobody saw stop may have made a process since. That
/// process could run in this memory. Call it when all has been read.
bool AnyStoppedHasChild();

/// What stopped the threads for how long.
struct StopTimes {
  u64 pause_ns; ///< from the first thread stopped to the last one released
  bool in_time; ///< the threads stood until this call
};
/// Releases all threads.
StopTimes ReleaseThreads();

} // namespace pagetide

//===- raw_process.h - Processes that share the program's memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short helpers of the recorder that must not be threads of the program: one
// that stops these threads by ptrace, and those that may fault.
//
// Such a process shares the memory and the recorder's descriptors. Its signal
// actions are its own, and it blocks all signals. The program's wait calls do
// not see it. It ends with the recorder.
//
// For the recorder's thread.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

struct RawProcess {
  void (*run)(void *arg);
  void *arg;
  const char *name; ///< as ps shows it, 15 bytes at most

  u32 pid;     ///< 0: it does not run
  u32 starter; ///< the process that started it
  void *stack; ///< kept for the next start
};

/// Starts `process`, which does not run, and must outlive it. False if the
/// system does not allow that.
bool StartRawProcess(RawProcess &process);

/// True if the process has ended, or was never started.
bool HasEnded(RawProcess &process);

/// Ends it, wherever it is.
void KillRawProcess(RawProcess &process);

/// Waits until it has ended.
void JoinRawProcess(RawProcess &process);

} // namespace pagetide

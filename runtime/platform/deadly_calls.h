//===- deadly_calls.h - Calls for which a filter ends the process ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

namespace pagetide {

/// What decides which calls recording makes.
struct RecordingNeeds {
  bool trace;
  bool control;
  trace::ChecksumMode checksum;
  trace::UnstablePolicy unstable;
};

/// Long enough for NeedsAsOptions().
using NeedsText = char[96];

/// Needs as options, for the functions below.
const char *NeedsAsOptions(NeedsText &text, const RecordingNeeds &needs);

/// The first call that recording with these options makes and for which a
/// system call filter ends this process. Null if there is none, or if that
/// cannot be found out. `by_engine`: by the engine that they name, not by
/// marks. Makes system calls only.
const char *DeadlyCall(const char *options, bool by_engine);

/// The same with the options of this process. In a forked child the answer is
/// that of TestFilterInChild().
const char *DeadlyCall();

/// A filter that the program is about to install, as seccomp() has it.
struct ComingFilter {
  uptr flags;
  uptr program; ///< address of the struct sock_fprog
};

/// The first call that a recording with these options makes while it runs, and
/// for which the calling thread's filters and this one end the process. Null if
/// there is none, if the kernel refuses the filter, or if an earlier filter
/// forbids such a trial.
const char *DeadlyCallUnder(const ComingFilter &filter, const char *options,
                            bool by_engine);

/// In a forked child of a recorded process, before anything else is made anew.
/// The program may have installed a filter since it was started.
void TestFilterInChild();

/// What TestFilterInChild() has found in this process; else null.
const char *KnownDeadlyCall();

} // namespace pagetide

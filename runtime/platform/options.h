//===- options.h - Options of PAGETIDE_OPTIONS ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/engines.h"
#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

namespace pagetide {

// C++ type of each kind of option.
using FlagBool = bool;
using FlagDuration = u64; // ns
using FlagText = const char *;
using FlagNumber = u64;
using FlagGranularity = u32; // log2 of bytes; 0: auto
using FlagChecksum = trace::ChecksumMode;
struct FlagUnstable {
  bool is_auto; ///< the policy depends on the recording's other settings
  trace::UnstablePolicy policy; ///< kFlag if is_auto
};
enum class OnFailure { kRefuse, kContinue, kStop };
using FlagOnFailure = OnFailure;
using FlagEngine = engines::Kind;
enum class MarksWhen { kStart, kLate };
using FlagMarks = MarksWhen;

struct Flags {
#define PAGETIDE_FLAG(kind, name, value, help) Flag##kind name;
#include "platform/options.inc"
#undef PAGETIDE_FLAG
};

constexpr u64 kMinPeriodNs = kNsPerMs;
/// 0: only the program ends its periods.
constexpr bool IsPeriod(u64 ns) { return !ns || ns >= kMinPeriodNs; }
// libc keeps the two real-time signals below these.
constexpr u32 kMinControlSignal = 35, kMaxControlSignal = 64;

/// Parses defaults, the program's own defaults and the options that the process
/// is given. Dies with a message at an unknown name or a bad value. Does
/// nothing when called again.
void InitFlags();
/// The same each time, for fuzzers.
void ReadFlags();

// These read options before InitFlags.

/// Whether the options that the process is given name an engine.
bool EngineIsNamed();

/// What __pagetide_default_options() returns; never null.
const char *OptionsOfProgram();

/// Whether `text` sets option marks to late.
bool SaysMarksLate(const char *text);

/// The signal of option control_signal; 0: none.
u32 ControlSignal();

const Flags &GetFlags();
/// Option engine no longer counts in this process, as marks_first has it.
void UseMarks();
/// What the engine of the options can do.
inline const engines::Capabilities &EngineCan() {
  return engines::of(GetFlags().engine);
}

/// All that was set, for the trace's Process frame; never null.
const char *FlagsAsText();

} // namespace pagetide

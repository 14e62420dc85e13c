//===- control.h - How pagetide ctl reaches a process -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pagetide ctl` makes a socket, and sends a signal to the process whose value
// names that socket. The process connects to it, receives one Request and sends
// one Reply. The process remembers one signal, so ctl sends it again until the
// process connects. The kernel tells each side who the other one is
// (SO_PEERCRED). Both sides come from one build, and refuse another version
// than theirs.

#ifndef PAGETIDE_CONTROL_H
#define PAGETIDE_CONTROL_H

#include <cstdint>

namespace pagetide::control {

inline constexpr std::uint32_t kVersion = 6;

/// A process that can be reached has one private page without access mapped at
/// marker_address(kVersion, signal), where signal is the number of the signal.
/// So ctl never sends the signal to a process that would end of it. A memory
/// file would have a name, and costs each start 40 us more. Programs are mapped
/// higher (from 0x5555'5555'4000 on), libraries and stacks higher still. It
/// must not be where the shadow of a sanitizer is: for MemorySanitizer this is
/// memory of the program.
inline constexpr std::uint64_t kMarkerBase = 0x5450'0000'0000;
inline constexpr std::uint64_t kMarkerBytes = 4096;
inline constexpr std::uint32_t kMarkerSignals = 256;
inline constexpr std::uint32_t kMarkerVersions = 4096;
inline constexpr std::uint64_t kMarkerEnd =
    kMarkerBase + kMarkerBytes * kMarkerSignals * kMarkerVersions;

/// The version is below kMarkerVersions, the signal below kMarkerSignals.
constexpr std::uint64_t marker_address(std::uint32_t version,
                                       std::uint32_t signal) {
  return kMarkerBase +
         kMarkerBytes * (std::uint64_t{version} * kMarkerSignals + signal);
}

/// The socket is in shadow_file::kRunDirectory followed by the user's number (a
/// directory of mode 0700). Its name is this and the signal's value, which is
/// ctl's pid. It is of type SOCK_SEQPACKET.
inline constexpr char kSocketPrefix[] = "ctl-";

enum class Operation : std::uint32_t {
  kStatus = 1,
  kStart = 2,  ///< switches marks on if they are off, and records
  kStop = 3,   ///< ends the recording; the trace is complete afterwards
  kPeriod = 4, ///< changes the length of periods
  kFlush = 5,  ///< writes all complete periods to the trace
  kWindow = 6, ///< marks are on in windows from now on, or throughout
};

/// What kStart says; the rest is as the process's own options have it.
enum RequestSays : std::uint32_t {
  kSaysPeriod = 1,
  kSaysPerThread = 2,
  kSaysChecksum = 4,
  kSaysUnstable = 8,
  kSaysChecksumRelative = 16,
  kSaysGranularity = 32,
  kSaysWindow = 64,
};

struct Request {
  std::uint64_t magic; ///< kRequestMagic
  std::uint32_t version;
  Operation operation;
  std::uint64_t period_ns;  ///< kStart, kPeriod: at least 1 ms, or 0 (by API)
  std::uint32_t per_thread; ///< kStart: 0 or 1
  std::uint32_t checksum;   ///< kStart: trace::ChecksumMode
  std::uint32_t unstable;   ///< kStart: trace::UnstablePolicy
  std::uint32_t says;       ///< kStart: RequestSays
  std::uint32_t checksum_relative; ///< kStart: 0 or 1
  std::uint32_t unit_shift; ///< kStart: log2 bytes; 0: the build's granule
  std::uint64_t window_ns;  ///< kStart, kWindow: 0: marks are on throughout
  std::uint64_t every_ns;   ///< kStart, kWindow: more than window_ns
  char trace_path[4096];    ///< kStart: absolute, ends in 0
};
inline constexpr std::uint64_t kRequestMagic = 0x5145524C54435450; // "PTCTLREQ"

struct Reply {
  std::uint64_t magic; ///< kReplyMagic
  std::uint32_t version;
  std::uint32_t refused;    ///< 1: nothing was done, and `reason` says why
  std::uint32_t recording;  ///< 1: a recording is under way, after the request
  std::uint32_t by_record;  ///< 1: `pagetide record` began that recording
  std::uint32_t marks_late; ///< 1: marks were switched on while it ran
  std::uint32_t per_thread;
  std::uint32_t marks_on;
  std::uint32_t changes_copies; ///< 1: built with mode windows
  std::uint64_t period_ns;
  std::uint64_t window_ns; ///< 0: marks are on throughout
  std::uint64_t every_ns;
  std::uint64_t periods; ///< that have ended in this recording, or in the last
  std::uint64_t seconds; ///< since that recording began
  /// Of the recording under way, or of the one that was stopped. Empty: none.
  char trace_path[4096];
  char reason[1024]; ///< one sentence, which ends in 0
};
inline constexpr std::uint64_t kReplyMagic = 0x5045524C54435450; // "PTCTLREP"

} // namespace pagetide::control

#endif // PAGETIDE_CONTROL_H

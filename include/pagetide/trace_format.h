//===- trace_format.h - The trace file, version 1 -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only header shared by the runtime, which writes traces, and the tools,
// which read them (and write the last period of a program that died).
// docs/reference/trace-format.md says the same for people; keep both in step.
//
//   file  := FileHeader frame*
//   frame := FrameHeader payload      (payload: zstd, or raw where flagged)
//
// Every frame can be decoded on its own. All integers are little-endian;
// `varint` is LEB128, unsigned, ten bytes at most; `string` is a varint length
// and that many bytes, without a terminator. Times are CLOCK_MONOTONIC
// nanoseconds.
//
// A trace is complete if its last frame is an End frame. Frames may follow an
// End frame (a call of exec that failed): it is then no end.
//
// This header needs neither libc nor libstdc++ beyond <cstdint> and <cstddef>:
// the runtime includes it.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TRACE_FORMAT_H
#define PAGETIDE_TRACE_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace pagetide::trace {

inline constexpr std::uint8_t kMagic[8] = {'P', 'G', 'T',  'I',
                                           'D', 'E', '\r', '\n'};
inline constexpr std::uint16_t kVersionMajor = 1; ///< a reader refuses others
inline constexpr std::uint16_t kVersionMinor = 1; ///< later minors only add

enum class ChecksumMode : std::uint8_t {
  kNone = 0,
  kWritten = 1,
  kAccessed = 2
};
enum class UnstablePolicy : std::uint8_t { kFlag = 0, kRehash = 1, kStop = 2 };

enum HeaderFlags : std::uint32_t {
  kHeaderPerThread = 1,      ///< sections are by thread; otherwise all tid 0
  kHeaderSkipsConstants = 2, ///< some module leaves constant globals unmarked
};

struct FileHeader {
  std::uint8_t magic[8];
  std::uint16_t version_major;
  std::uint16_t version_minor;
  std::uint32_t header_bytes; ///< 80; the first frame starts here
  std::uint32_t layout;       ///< abi::Layout: 0 rw, 1 access, 2 write
  std::uint8_t cell_shift;
  std::uint8_t granule_shift; ///< run addresses are in units of 1<<this
  ChecksumMode checksum_mode;
  UnstablePolicy unstable_policy;
  std::uint32_t flags; ///< HeaderFlags
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint32_t page_bytes;
  std::uint64_t monotonic_ns; ///< CLOCK_MONOTONIC when recording began
  std::uint64_t realtime_ns;  ///< CLOCK_REALTIME at that moment
  std::uint64_t period_ns;    ///< 0: the program ends its periods itself
  std::uint64_t reserved;     ///< 0
  std::uint64_t hash;         ///< XXH3-64 of the bytes before this field
};
static_assert(sizeof(FileHeader) == 80);

inline constexpr std::uint32_t kFrameMagic = 0x52465450; // "PTFR"

enum class FrameType : std::uint16_t {
  kProcess = 1,
  kMappings = 2,
  kThreads = 3,
  kPeriod = 4,
  kNote = 5,
  kEnd = 6,
  // 7 is kept for sites (the source line that touched a page last).
  kKernelWrites = 8, ///< since 1.1
  kRegions = 9,      ///< since 1.1
};

enum FrameFlags : std::uint16_t {
  kFrameRaw = 1, ///< payload not compressed; stored_bytes == raw_bytes
};

struct FrameHeader {
  std::uint32_t magic; ///< kFrameMagic
  FrameType type;      ///< a reader skips types it does not know
  std::uint16_t flags; ///< FrameFlags
  std::uint32_t stored_bytes;
  std::uint32_t raw_bytes; ///< at most kMaxFrameBytes
  std::uint64_t hash;      ///< XXH3-64 of the stored payload, seeded with
                           ///< frame_seed(this header)
};
static_assert(sizeof(FrameHeader) == 24);

/// Ties the payload's hash to the header's other fields.
constexpr std::uint64_t frame_seed(const FrameHeader &h) {
  return (std::uint64_t{h.stored_bytes} << 32 | h.raw_bytes) ^
         (std::uint64_t(h.type) << 16 | h.flags) * 0x9E3779B97F4A7C15ull;
}

/// Bound on both stored and raw payload bytes: a reader's memory.
inline constexpr std::uint32_t kMaxFrameBytes = 16u << 20;
/// Where a writer cuts a period into parts (raw bytes, approximate).
inline constexpr std::uint32_t kPartBytes = 4u << 20;

// Process   := string executable, varint count, string argument*,
//              string options, string engine, string runtime_version
// Mappings  := varint time, varint count,
//              { varint start, varint bytes, varint protection,
//                varint offset, string name }*      all of them, when changed
//              (start and bytes in bytes; sorted by start; name as in
//              /proc/self/maps, empty where anonymous; the shadow is left out;
//              protection: PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4, since 1.1
//              also kMappingShared)
// Threads   := varint count, { u8 event, varint tid, varint time,
//              string name }*
// Note      := varint time, varint period, u8 code, string text
// End       := varint time, u8 reason, varint detail
//
// Period (one part; a period has one part or more, in order, each covering
// granules above those of the part before it) :=
//   varint index            from 0
//   u8     part_flags       PartFlags
//   u8     period_flags     PeriodFlags
//   varint start, varint end - start
//   varint overruns         scheduled ends that passed unserved in this period
//   varint sections         one a thread that accessed something here
//     { varint tid, varint runs, run* }*             sorted by tid
//     run := varint gap, varint length-1, u8 RunFlags
//            gap: granules since the end of the section's previous run in this
//            part (granule 0 for the first); runs of one section do not overlap
//   varint checksum_runs    { varint gap, varint length-1, u8 ChecksumState }*
//   u64    hash*            one a granule in a kStable checksum run, in order
//   only in the last part:
//   u64    combined, varint stable, varint left_out
//
// KernelWrites (one part; parts as those of a period, all of them before the
// first part of the period of that index): the pages that the kernel saw
// written since the frames of this type before, or since recording began :=
//   varint index
//   u8     part_flags       PartFlags
//   varint time             of the look at the page tables
//   varint runs
//     { varint gap, varint length-1, u8 KernelRunFlags }*
//            in pages of FileHeader::page_bytes, whatever the granule
//
// Regions: what is known of parts of the address space beyond their mappings'
// names, all of it, when changed; in force for the KernelWrites that follow :=
//   varint time, varint count,
//   { u8 RegionKind, varint start, varint bytes, varint tid, string text }*
//            regions may overlap
//
// A checksum belongs to the granule, whichever threads touched it: in a
// per-thread trace it stands once and serves every section's row.

enum class ThreadEvent : std::uint8_t { kStart = 0, kEnd = 1 };

/// Beside the PROT_ bits of a mapping's protection.
inline constexpr std::uint32_t kMappingShared = 8;

enum KernelRunFlags : std::uint8_t {
  kKernelWritten = 1,
  kKernelTouched = 2, ///< of a shared mapping seen for the first time: read or
                      ///< written, not known which
};

enum class RegionKind : std::uint8_t {
  kThreadStack = 0, ///< of thread `tid`, its thread-local storage included
  kThreadLocal = 1, ///< thread-local storage of thread `tid`
  kRuntime = 2,     ///< the runtime's own memory
  kUnseen = 3,      ///< writes to it cannot be seen; text says why
  kInFlight = 4,    ///< a system call of thread `tid` may be writing it, and
                    ///< will be marked when it returns
  kLoader = 5,      ///< the loader's account of a file, while the process exits
};

enum PartFlags : std::uint8_t {
  kPartLast = 1,
  kPartExiting = 2, ///< of KernelWrites: the process had called its exit
                    ///< handlers and was running its files' destructors
};

enum PeriodFlags : std::uint8_t {
  kPeriodDriven = 1,    ///< ended by the program, not by the clock
  kPeriodPartial = 2,   ///< cut short by the program's death; harvested
  kPeriodHarvested = 4, ///< complete, but written after the program's death
  kPeriodFinal = 8,     ///< cut short by exit, exec or stop
};

enum RunFlags : std::uint8_t {
  kRunRead = 1,
  kRunWritten = 2,
  kRunAccessed = 4,    ///< layout `access`: read or written, not known which
  kRunCarried = 8,     ///< written in an earlier period by a thread that had
                       ///< not settled; not marked in this one
  kRunMayRead = 16,    ///< may have been read: a call failed half way, or a
                       ///< mark of precision near left it open
  kRunMayWritten = 32, ///< may have been written, likewise
  // 64 is reserved.
};

enum class ChecksumState : std::uint8_t {
  kNone = 0, ///< not asked for
  kStable = 1,
  kUnstable = 2,
  kGone = 3,
  kUnreadable = 4,
};

enum class EndReason : std::uint8_t {
  kExit = 0,   ///< exit, return from main, _exit, quick_exit; detail 0
  kExec = 1,   ///< a call of the exec family; the new program is another trace
  kStop = 2,   ///< pagetide_stop()
  kAbort = 3,  ///< abort()
  kKilled = 4, ///< harvested after the process died; detail: 0 (unknown), or
               ///< 256 + signal, or the exit status
  kFailed = 5, ///< the runtime could not go on; a Note frame says why
};

enum class NoteCode : std::uint8_t {
  kInfo = 0,
  kThreadsShared = 1, ///< slots ran out: threads shared shadows
  kLost = 2,          ///< something that should be here is not; text says what
  kForked = 3,        ///< this process is a fork; text names the parent's trace
};

//===----------------------------------------------------------------------===//
// Encoding and decoding
//===----------------------------------------------------------------------===//

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Writes v at p (kMaxVarintBytes must be free) and returns the end.
inline std::uint8_t *put_varint(std::uint8_t *p, std::uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<std::uint8_t>(v) | 0x80;
    v >>= 7;
  }
  *p++ = static_cast<std::uint8_t>(v);
  return p;
}

inline std::uint8_t *put_u64(std::uint8_t *p, std::uint64_t v) {
  for (int i = 0; i < 8; ++i)
    *p++ = static_cast<std::uint8_t>(v >> (8 * i));
  return p;
}

/// Reads a varint from [p, end). Returns the end of it, or nullptr where the
/// bytes stop short or the value does not fit 64 bits.
inline const std::uint8_t *
get_varint(const std::uint8_t *p, const std::uint8_t *end, std::uint64_t &v) {
  v = 0;
  for (unsigned shift = 0; p != end && shift < 64; shift += 7) {
    const std::uint8_t byte = *p++;
    if (shift == 63 && byte > 1)
      return nullptr;
    v |= std::uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80))
      return p;
  }
  return nullptr;
}

/// A period's combined checksum is the sum, modulo 2^64, over its stable
/// granules of XXH3-64 of the 16 bytes { u64 address, u64 hash }: it does not
/// depend on the order. How many granules were left out of it (unstable, gone,
/// unreadable) stands beside it.
struct CombinedInput {
  std::uint64_t address;
  std::uint64_t hash;
};
static_assert(sizeof(CombinedInput) == 16);

} // namespace pagetide::trace

#endif // PAGETIDE_TRACE_FORMAT_H

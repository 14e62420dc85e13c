//===- trace_format.h - The trace file, version 1 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of traces. The runtime writes traces. The tools read them, and
// write the last periods of a killed program. docs/reference/trace-format.md
// describes the same format; keep both in step.
//
//   file  := FileHeader frame*
//   frame := FrameHeader payload      (payload: zstd, or raw where flagged)
//
// Every frame can be decoded on its own. All integers are little-endian;
// `varint` is LEB128, unsigned, ten bytes at most; `string` is a varint length
// and that many bytes, without a terminator. Times are CLOCK_MONOTONIC
// nanoseconds.
//
// A trace is complete if its last frame is an End frame. If frames follow an
// End frame, the program went on because its call of exec failed. Then the
// trace did not end there.
//
// The runtime includes this header, so it needs nothing of libc or libstdc++
// except <cstdint> and <cstddef>.

#ifndef PAGETIDE_TRACE_FORMAT_H
#define PAGETIDE_TRACE_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace pagetide::trace {

inline constexpr std::uint8_t kMagic[8] = {'P', 'G', 'T',  'I',
                                           'D', 'E', '\r', '\n'};
inline constexpr std::uint16_t kVersionMajor = 1;  ///< a reader refuses others
inline constexpr std::uint16_t kVersionMinor = 10; ///< later minors only add

enum class ChecksumMode : std::uint8_t {
  kNone = 0,
  kWritten = 1,
  kAccessed = 2
};
enum class UnstablePolicy : std::uint8_t {
  kFlag = 0,
  kRehash = 1,
  kStop = 2,
  kCut = 3, ///< since 1.6
};

enum HeaderFlags : std::uint32_t {
  kHeaderPerThread = 1,      ///< sections are by thread; otherwise all tid 0
  kHeaderSkipsConstants = 2, ///< some module does not mark constant globals
  /// Marks were switched on while the program ran. Calls that were running then
  /// have none, so that any period may lack accesses.
  kHeaderMarksLate = 4,
  /// Since 1.5. Marks name sites: places in the source.
  kHeaderSites = 8,
  /// Period frames have a second hash for each checksum (since 1.6).
  kHeaderRelativeHashes = 16,
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
  std::uint64_t period_ns;    ///< 0: the clock ends no period
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
  kPeriodSites = 7,  ///< since 1.5
  kKernelWrites = 8, ///< since 1.1
  kRegions = 9,      ///< since 1.1
  kRunId = 10,       ///< since 1.2
  kSiteTable = 11,   ///< since 1.5
  kCut = 12,         ///< since 1.6
};

/// Frames that tell of the address space and of threads. What a Period frame
/// says is read with the help of those before it, so it counts them.
constexpr bool is_context(FrameType type) {
  return type == FrameType::kMappings || type == FrameType::kThreads ||
         type == FrameType::kRegions;
}
/// Since this minor version Period frames have kPartFirst and a count of the
/// context frames, and End frames have a count of periods.
inline constexpr std::uint16_t kMinorWithCounts = 4;
inline constexpr std::uint16_t kMinorWithSharedObjects = 9;

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

/// Makes the payload's hash depend on the header's other fields.
constexpr std::uint64_t frame_seed(const FrameHeader &h) {
  return (std::uint64_t{h.stored_bytes} << 32 | h.raw_bytes) ^
         (std::uint64_t(h.type) << 16 | h.flags) * 0x9E3779B97F4A7C15ull;
}

/// The most bytes of a payload, stored and raw. This limits a reader's memory.
inline constexpr std::uint32_t kMaxFrameBytes = 16u << 20;
inline constexpr std::size_t kRunIdBytes = 16;
/// A writer splits a period into parts of about this many raw bytes.
inline constexpr std::uint32_t kPartBytes = 4u << 20;

// RunId     := u8 id[kRunIdBytes]   first in the file, if `pagetide record`
//              made it: the same in all traces of one run, random
// Process   := string executable, varint count, string argument*,
//              string options, string engine, string runtime_version
//              (engine: a name of engines.h; early traces say shadow for
//              marks, or mprotect). Since 1.8 written again when a program has
//              written a title over its arguments
// Mappings  := varint time, varint count,
//              { varint start, varint bytes, varint protection,
//                varint offset, string name }*      all of them, if changed
//              (start and bytes in bytes; sorted by start; name as in
//              /proc/self/maps, empty if anonymous; without the shadow;
//              protection: PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4, since 1.1
//              also kMappingShared, since 1.3 kMappingBss)
//              since 1.9: { varint device, varint inode }*   one for each with
//              kMappingShared, in their order
//              (mappings with the same two are of the same memory, also in
//              other processes; device: major << 32 | minor)
// Threads   := varint count, { u8 event, varint tid, varint time,
//              string name }*
// Note      := varint time, varint period, u8 code, string text
// End       := varint time, u8 reason, varint detail,
//              since 1.4: varint periods   (one above the last period's index)
//
// Period (one part; a period has one part or more, in order, each covering
// granules above those of the part before it) :=
//   varint index            from 0
//   u8     part_flags       PartFlags
//   u8     period_flags     PeriodFlags
//   varint start, varint end - start
//   varint overruns         scheduled ends that passed within this period
//   varint sections         one for each thread that accessed something here
//     { varint tid, varint runs, run* }*             sorted by tid
//     run := varint gap, varint length-1, u8 RunFlags
//            gap: granules since the end of the section's previous run in this
//            part (granule 0 for the first); runs of one section do not overlap
//   varint checksum_runs    { varint gap, varint length-1, u8 ChecksumState }*
//   u64    hash*            one for each granule of the kStable checksum
//                           runs, in order
//   only in the last part:
//   u64    combined, varint stable, varint left_out
//   since 1.4, in every part:
//   varint context          is_context() frames that precede in the file
//   with kHeaderRelativeHashes, in every part:
//   u64    relative_hash*   one for each hash, in order
//
// KernelWrites (one part; parts as those of a period, all before the first part
// of the period with that index): the pages that the kernel reports as written
// since the last frames of this type, or since recording began :=
//   varint index
//   u8     part_flags       PartFlags
//   varint time             when the page tables were read
//   varint runs
//     { varint gap, varint length-1, u8 KernelRunFlags }*
//            in pages of FileHeader::page_bytes, whatever the granule
//
// Regions: what is known of parts of the address space besides their mappings'
// names. Lists all regions whenever they change, for the KernelWrites that
// follow :=
//   varint time, varint count,
//   { u8 RegionKind, varint start, varint bytes, varint tid, string text }*
//            regions may overlap
//
// SiteTable: what site ids mean. A trace may have several; they may repeat
// entries. The places of one frame share its strings :=
//   varint strings, string*
//   varint sites
//     { varint id, u8 SiteKind bits, place, varint callers, place* }*
//   place := varint function, varint file   (indices into the strings)
//            varint line, varint column     (0: not known)
//   (function: its linkage name. callers: where the function was inlined, the
//   innermost first. With kSiteReturn the place has other contents: function
//   is empty, file is the path of a loaded file, line is the offset in it of
//   the address to which the call of libc returns, and column is 0.)
//
// PeriodSites (one part; all parts before the first part of the period with
// that index) :=
//   varint index
//   u8     part_flags       PartFlags: kPartFirst, kPartLast
//   varint start, varint end - start        of the period
//   varint sections         sorted by tid, of whatever recording
//     { varint tid, varint runs,
//       { varint gap, varint length-1, varint read, varint write }* }*
//            read, write: ids of sites, 0: none. With kSiteMay the access is
//            only possible. Under layout access, read is the id of any access.
//   (A section goes on in the next part if that begins with the same tid.)
//
// Cut (before the first part of the period with that index): how the period
// ended, if it was to end in a cut :=
//   varint index
//   varint time             the instant; 0: there was no cut
//   varint pause            from the first thread stopped to the last released
//   varint marked           granules read while threads stood: just written;
//   varint unsettled        a thread was perhaps about to write them
//   varint rounds           of reading ahead, before the stop
//   string reason           why there was no cut; empty if there was one
//
// A checksum belongs to a granule, not to a thread. A per-thread trace has it
// once, for the rows of all sections.

enum class ThreadEvent : std::uint8_t {
  kStart = 0,
  kEnd = 1,
  /// Since 1.10. In the window of marks that has just ended, the thread's sets
  /// are exact from this time on. Those of other threads may lack accesses.
  kExactSince = 2,
};

/// Added to the PROT_ bits of a mapping's protection.
inline constexpr std::uint32_t kMappingShared = 8;
/// Since 1.3. The mapping is not of the file that its name says, but is memory
/// behind that file's data, for variables that start as zeros (.bss).
inline constexpr std::uint32_t kMappingBss = 16;

enum KernelRunFlags : std::uint8_t {
  kKernelWritten = 1,
  kKernelTouched = 2, ///< of a new shared mapping: read or written, it is not
                      ///< known which
};

enum class RegionKind : std::uint8_t {
  kThreadStack = 0, ///< of thread `tid`, its thread-local storage included
  kThreadLocal = 1, ///< thread-local storage of thread `tid`
  kRuntime = 2,     ///< the runtime's own memory
  kUnseen = 3,      ///< writes to it cannot be detected; text says why
  kInFlight = 4,    ///< a system call of thread `tid` may be writing it; the
                    ///< runtime marks it when the call returns
  kLoader = 5,      ///< the loader's record of a module; of one that was
                    ///< opened later, only while the process exits
};

enum PartFlags : std::uint8_t {
  kPartLast = 1,
  kPartExiting = 2, ///< in KernelWrites: the process had called its exit
                    ///< handlers and was running its files' destructors
  kPartFirst = 4,   ///< of Period, since 1.4
};

enum PeriodFlags : std::uint8_t {
  kPeriodDriven = 1,    ///< ended by the program, not by the clock
  kPeriodPartial = 2,   ///< ended by the program's death; harvested
  kPeriodHarvested = 4, ///< complete, but written after the program's death
  kPeriodFinal = 8,     ///< ended early by exit, exec or stop
  kPeriodOff = 16,      ///< between two windows: marks were off (since 1.10)
};

enum RunFlags : std::uint8_t {
  kRunRead = 1,
  kRunWritten = 2,
  kRunAccessed = 4, ///< layout `access`: read or written
  kRunCarried = 8,  ///< written in an earlier period, by a thread that had
                    ///< not settled; not marked in this period
  /// Possibly read: a call failed part of the way or does not say what it
  /// touched (qsort, under every precision), or a mark of precision near may be
  /// about this granule or a neighbour.
  kRunMayRead = 16,
  kRunMayWritten = 32, ///< possibly written, for the same reasons
  /// Since 1.7. The kernel saw the granule's page written, and no mark of this
  /// period says so. With kRunWritten; with kRunMayWritten if the granule is
  /// smaller than a page; with kRunAccessed under layout `access`.
  kRunUnmarked = 64,
};

/// Ids of sites are below this. With it, the access of a row is only possible.
inline constexpr std::uint32_t kSiteMay = 1u << 31;

enum SiteKind : std::uint8_t {
  kSiteReads = 1,
  kSiteWrites = 2,
  kSiteReturn = 4, ///< a call of libc, known by its return address only
};

enum class ChecksumState : std::uint8_t {
  kNone = 0, ///< not requested
  kStable = 1,
  kUnstable = 2,
  kGone = 3,
  kUnreadable = 4,
};

enum class EndReason : std::uint8_t {
  kExit = 0,   ///< exit, return from main, _exit, quick_exit; detail 0
  kExec = 1,   ///< a call of the exec family; the new program has another trace
  kStop = 2,   ///< pagetide_stop(), or pagetide ctl
  kAbort = 3,  ///< abort()
  kKilled = 4, ///< harvested after the process died; detail: 0 (unknown), or
               ///< 256 + signal, or the exit status
  kFailed = 5, ///< the runtime could not go on; a Note frame says why
};

enum class NoteCode : std::uint8_t {
  kInfo = 0,
  kThreadsShared = 1, ///< slots ran out: several threads share a shadow
  kLost = 2,          ///< something is missing; text says what
  kForked = 3,        ///< a forked child; text names the parent's trace
};

//===----------------------------------------------------------------------===//
// Encoding and decoding
//===----------------------------------------------------------------------===//

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Writes v at p, which has room for kMaxVarintBytes. Returns the end.
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

/// Reads a varint from [p, end). Returns its end, or nullptr if bytes are
/// missing or the value does not fit 64 bits.
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

/// A period's combined checksum is a sum, modulo 2^64, over its stable
/// granules. Each adds the XXH3-64 of the 16 bytes { u64 address, u64 hash }.
/// The order does not matter. The number of other granules (unstable, gone,
/// unreadable) is stored beside it.
struct CombinedInput {
  std::uint64_t address;
  std::uint64_t hash;
};
static_assert(sizeof(CombinedInput) == 16);

} // namespace pagetide::trace

#endif // PAGETIDE_TRACE_FORMAT_H

//===- emulation.h - What record and the plugin for QEMU share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine emulate runs each process of a run in QEMU's user mode. A plugin in
// each of these marks what the program's threads access, in shadows that lie in
// a memory file. `pagetide record` holds the file and takes the marks at each
// boundary, also after the process has died.
//
// A process introduces itself by a message with the file. It has one connection
// for each message, so it holds no descriptor that the program could close.

#pragma once

#include "pagetide/abi.h"

#include <atomic>
#include <cstdint>

namespace pagetide::emulation {

inline constexpr std::uint32_t kMagic = 0x554d4550; ///< "PEMU"
/// Record and plugin are of one build. Another version is refused.
inline constexpr std::uint32_t kVersion = 1;

enum class MessageKind : std::uint32_t {
  kHello,     ///< a process begins; comes with its memory file
  kEndPeriod, ///< the program asks for a boundary; answered when it is done
  kLastLook,  ///< exit or exec is next; answered as soon as all is taken
  kNative,    ///< exec of `text` is next, and QEMU cannot run it
};

struct Message {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  MessageKind kind = MessageKind::kHello;
  char text[4096] = {};
};

/// Who makes this system call asks for a boundary. Linux has no such number, so
/// it does nothing elsewhere (ENOSYS).
inline constexpr std::int64_t kEndPeriodCall = 0x70676564;

inline constexpr abi::Layout kLayout = abi::Layout::kRw;
inline constexpr unsigned kShift = abi::kDefaultGranuleShift;
inline constexpr std::uint64_t kShadowBytes =
    abi::shadow_bytes(kLayout, kShift);

enum class SlotState : std::uint32_t {
  kFree,
  kLive,
  kEnded, ///< its thread is gone, and its marks are to be taken
};

/// One shadow: of a thread, or of all threads that have no other.
struct Slot {
  std::atomic<SlotState> state;
  std::atomic<std::uint32_t> tid;
};

inline constexpr std::uint32_t kMaxSlots = 256;

/// The memory file's beginning. Slot 0 is that of the process: it has the marks
/// of all threads, or of those that found no free slot.
struct Header {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t slots; ///< 1, or kMaxSlots if threads count apart
  std::uint32_t reserved;
  Slot slot[kMaxSlots];
};

inline constexpr std::uint64_t kHeaderBytes = 4096;
static_assert(sizeof(Header) <= kHeaderBytes);

constexpr std::uint64_t offset_of_slot(std::uint32_t slot) {
  return kHeaderBytes + slot * kShadowBytes;
}

} // namespace pagetide::emulation

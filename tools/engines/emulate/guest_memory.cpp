//===- guest_memory.cpp - The memory of the program in QEMU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines what the tables of system calls stand on (call_memory.h).

#include "engines/emulate/guest_memory.h"

#include "engines/emulate/shadows.h"
#include "interceptors/call_memory.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/sem.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pagetide::emulation {

std::uint64_t guest_base = 0;

static thread_local std::uint8_t *current = nullptr;

MarksOf::MarksOf(std::uint8_t *shadow) { current = shadow; }
MarksOf::~MarksOf() { current = nullptr; }

std::string string_at(std::uint64_t address, std::uint64_t most) {
  const calls::uptr bytes = calls::StringBytes(address, most, false);
  std::string text(bytes, '\0');
  if (!calls::CopyIn(text.data(), address, bytes))
    return {};
  if (!text.empty() && text.back() == '\0')
    text.pop_back();
  return text;
}

std::optional<std::vector<std::string>> strings_at(std::uint64_t address) {
  std::vector<std::string> strings;
  for (std::uint64_t string = address; string; address += sizeof(string)) {
    if (!calls::CopyIn(&string, address, sizeof(string)))
      return std::nullopt;
    char first;
    if (string && !calls::CopyIn(&first, string, 1))
      return std::nullopt;
    if (string)
      strings.push_back(string_at(string));
  }
  return strings;
}

/// A mark of what is only possible: in empty cells alone.
static void mark_may(std::uint8_t *cell) {
  std::uint8_t empty = abi::kCellEmpty;
  std::atomic_ref<std::uint8_t>(*cell).compare_exchange_strong(empty,
                                                               abi::kCellMay);
}

} // namespace pagetide::emulation

namespace pagetide::calls {

using emulation::current;

void MarkRead(uptr p, uptr bytes) {
  emulation::mark_range(current, p, bytes, false);
}
void MarkWrite(uptr p, uptr bytes) {
  emulation::mark_range(current, p, bytes, true);
}
void MarkMayRead(uptr p, uptr bytes) {
  emulation::for_each_cell(current, p, bytes, false, emulation::mark_may);
}
void MarkMayWrite(uptr p, uptr bytes) {
  emulation::for_each_cell(current, p, bytes, true, emulation::mark_may);
}

/// errno stays that of the program's call.
bool CopyIn(void *to, uptr from, uptr bytes) {
  const int error = errno;
  iovec local = {to, bytes};
  iovec remote = {reinterpret_cast<void *>(from + emulation::guest_base),
                  bytes};
  const bool copied = ::process_vm_readv(::getpid(), &local, 1, &remote, 1,
                                         0) == static_cast<ssize_t>(bytes);
  errno = error;
  return copied;
}

uptr StringBytes(uptr p, uptr most, bool) {
  constexpr uptr kPiece = 256; // divides pages
  uptr bytes = 0;
  while (bytes < most) {
    char piece[kPiece];
    const uptr n = std::min(kPiece - (p + bytes) % kPiece, most - bytes);
    if (!CopyIn(piece, p + bytes, n))
      return bytes;
    for (uptr i = 0; i < n; ++i)
      if (!piece[i])
        return bytes + i + 1;
    bytes += n;
  }
  return bytes;
}

/// The number says size and direction, but for older requests.
RequestBytes BytesOfRequest(u32 number) {
  constexpr uptr kTermios = 36, kWindow = 8, kNumber = 4, kInterface = 40;
  switch (number) {
  case TCGETS:
    return {0, kTermios};
  case TCSETS:
  case TCSETSW:
  case TCSETSF:
    return {kTermios, 0};
  case TIOCGWINSZ:
    return {0, kWindow};
  case TIOCSWINSZ:
    return {kWindow, 0};
  case TIOCGPGRP:
  case TIOCGSID:
  case TIOCOUTQ:
  case FIONREAD:
    return {0, kNumber};
  case TIOCSPGRP:
  case FIONBIO:
  case FIOASYNC:
    return {kNumber, 0};
  case SIOCGIFCONF: // what it leads to is marked apart
    return {2 * sizeof(uptr), kNumber};
  default:
    break;
  }
  if (number >> 8 == SIOCGIFNAME >> 8) // about an interface
    return {kInterface, kInterface};
  const uptr size = _IOC_SIZE(number);
  return {_IOC_DIR(number) & _IOC_WRITE ? size : 0,
          _IOC_DIR(number) & _IOC_READ ? size : 0};
}

uptr SemaphoresOf(int set) {
  semid_ds status;
  return ::semctl(set, 0, IPC_STAT, &status) == 0 ? status.sem_nsems : 0;
}

// Processes and descriptors of the program are QEMU's own.
u32 OwnProcess() { return u32(getpid()); }

PipeEnd EndOfPipe(u32 descriptor) {
  const int flags = fcntl(int(descriptor), F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY ? PipeEnd::kReads
                                                       : PipeEnd::kWrites;
}

} // namespace pagetide::calls

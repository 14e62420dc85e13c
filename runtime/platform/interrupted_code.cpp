//===- interrupted_code.cpp - What a thread was doing ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/interrupted_code.h"

#include "arch/signals.h"
#include "platform/start_data.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

namespace pagetide {

/// rt_sigprocmask reads its argument before it looks at what to do. So it tells
/// whether a page is there. All system call filters allow it.
static bool IsReadable(uptr address) {
  constexpr uptr kNothing = 99;
  return ErrnoOf(Syscall(SYS_rt_sigprocmask, kNothing, address, 0,
                         sizeof(u64))) == EINVAL;
}

//===- Frames of handlers -------------------------------------------------===//

bool IsInHandler(uptr stack_pointer) {
  // The stack ends at memory that is not there. If other memory follows, what
  // is found in it can only delay what is asked for.
  constexpr uptr kMaxStackBytes = uptr{64} << 20;
  uptr readable = PageDown(stack_pointer);
  for (uptr at = (stack_pointer + 7) & ~uptr{7};
       at < stack_pointer + kMaxStackBytes; at += sizeof(u64)) {
    for (; readable < at + kSignalFrameBytes; readable += kPageBytes)
      if (!IsReadable(readable))
        return false;
    if (IsSignalFrame((const void *)at))
      return true;
  }
  return false;
}

//===- Code that takes no locks -------------------------------------------===//

PAGETIDE_START_DATA static const void *libc_function;

void NoteLibc(const void *function) { libc_function = function; }

/// The file that has the address; null if there is none.
static const void *FileOf(const void *address) {
  dl_find_object found;
  return _dl_find_object(const_cast<void *>(address), &found)
             ? nullptr
             : found.dlfo_map_start;
}

/// Code of neither libc, nor the loader, nor an allocator, nor this library.
static bool IsCodeOfProgram(const void *code) {
  const void *file = FileOf(code);
  return file && file != (const void *)getauxval(AT_BASE) &&
         file != FileOf(libc_function) &&
         file != FileOf((const void *)malloc) &&
         file != FileOf((const void *)IsInHandler);
}

namespace {
/// .eh_frame_hdr, as every linker makes it: distances of 32 bits.
struct UnwindTable {
  u8 version, frame_encoding, count_encoding, table_encoding;
  s32 frames;
  u32 count;
  struct {
    s32 code, entry; ///< from the table's beginning
  } functions[1];    ///< by rising code
};
/// A frame description entry. What follows says how the stack grows.
struct UnwindEntry {
  u32 bytes; ///< without this field
  u32 common;
  s32 code;
  u32 code_bytes;
  u8 augmentation_bytes;
};
} // namespace

/// The entry of the function that has the address; null if there is none.
static const UnwindEntry *UnwindEntryOf(const u8 *code) {
  dl_find_object file;
  if (_dl_find_object(const_cast<u8 *>(code), &file) || !file.dlfo_eh_frame)
    return nullptr;
  const auto *base = (const u8 *)file.dlfo_eh_frame;
  const auto &table = *(const UnwindTable *)base;
  constexpr u8 kVersion = 1, kRelative = 0x1b, kUnsigned = 3, kFromBase = 0x3b;
  if (table.version != kVersion || table.frame_encoding != kRelative ||
      table.count_encoding != kUnsigned || table.table_encoding != kFromBase)
    return nullptr;
  u32 first = 0, end = table.count;
  while (first < end) { // the first function behind the address
    const u32 middle = first + (end - first) / 2;
    if (base + table.functions[middle].code <= code)
      first = middle + 1;
    else
      end = middle;
  }
  if (!first)
    return nullptr;
  const auto &found = table.functions[first - 1];
  const auto *entry = (const UnwindEntry *)(base + found.entry);
  return code < base + found.code + entry->code_bytes ? entry : nullptr;
}

/// Whether the thread is in a function of libc that keeps nothing on the stack,
/// as those for strings do, and was called by the program. None of these takes
/// a lock. Unwinders are told of each step by which a stack grows; they are
/// told nothing of these functions.
static bool IsInLeafOfLibc(const ucontext_t &interrupted) {
  const auto *code = (const u8 *)GetInstruction(interrupted);
  if (FileOf(code) != FileOf(libc_function) ||
      !IsCodeOfProgram(GetCallerOfLeaf(interrupted)))
    return false;
  const UnwindEntry *entry = UnwindEntryOf(code);
  if (!entry)
    return false;
  const u8 *step = &entry->augmentation_bytes + 1 + entry->augmentation_bytes;
  const u8 *end = (const u8 *)&entry->common + entry->bytes;
  while (step < end && !*step) // padding
    ++step;
  return step == end;
}

/// Whether the kernel restarts a call of that number after the handler, and
/// libc holds no lock meanwhile.
static bool WaitsWithoutLock(uptr number, uptr second) {
  switch (number) {
  case SYS_futex: // conditions, joins and semaphores; locks wait without a set
    return (second & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  case SYS_wait4:
  case SYS_waitid:
  case SYS_accept:
  case SYS_accept4:
  case SYS_recvfrom:
  case SYS_recvmsg:
    return true;
  default:
    return false;
  }
}

/// Whether the thread waited in a system call of libc. After calls that sleep
/// or wait for events the kernel has stored EINTR. Before others it has set the
/// instruction back.
static bool Waited(const ucontext_t &interrupted) {
  if (FileOf((const void *)GetInstruction(interrupted)) !=
      FileOf(libc_function))
    return false;
  const InterruptedCall call = GetInterruptedCall(interrupted);
  return call.has_failed ||
         (call.restarts && WaitsWithoutLock(call.number, call.second));
}

/// Recording begins on at most this much stack.
constexpr uptr kStackBytes = uptr{64} << 10;

static bool HasRoom(uptr stack_pointer, const stack_t &handlers) {
  if (stack_pointer - (uptr)handlers.ss_sp < handlers.ss_size)
    return stack_pointer - (uptr)handlers.ss_sp > kStackBytes;
  for (uptr used = 0; used <= kStackBytes; used += kPageBytes)
    if (!IsReadable(stack_pointer - used))
      return false;
  return true;
}

bool MayTakeLocks(const ucontext_t &interrupted) {
  return HasRoom((uptr)__builtin_frame_address(0), interrupted.uc_stack) &&
         (IsCodeOfProgram((const void *)GetInstruction(interrupted)) ||
          IsInLeafOfLibc(interrupted) || Waited(interrupted)) &&
         !(interrupted.uc_stack.ss_flags & SS_ONSTACK) &&
         !IsInHandler(GetStackPointer(interrupted));
}

} // namespace pagetide

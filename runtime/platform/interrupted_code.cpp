//===- interrupted_code.cpp - What a thread was doing ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/interrupted_code.h"

#include "platform/start_data.h"

#include <dlfcn.h>
#include <errno.h>
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

namespace {
/// What the kernel puts below a handler: its ucontext. It tells the handler's
/// signal only if that asks for it.
struct SignalFrame {
  u64 flags, link;
  u64 stack[3];
  u64 registers[18];
  u64 segments;
  u64 error, trap, old_mask, fault_address;
  u64 vectors; ///< where the vector registers are saved: above, or null
};
} // namespace

/// Programs have these segments everywhere, and the kernel clears fs and gs.
constexpr u64 kSegments = u64{0x2b} << 48 | 0x33;
constexpr u64 kMaxFlags = 7;

static bool IsSignalFrame(const SignalFrame &frame) {
  return frame.segments == kSegments && frame.flags <= kMaxFlags &&
         !frame.link && (!frame.vectors || frame.vectors > (uptr)&frame);
}

bool IsInHandler(uptr stack_pointer) {
  // The stack ends at memory that is not there. If other memory follows, what
  // is found in it can only delay what is asked for.
  constexpr uptr kMaxStackBytes = uptr{64} << 20;
  uptr readable = PageDown(stack_pointer);
  for (uptr at = (stack_pointer + 7) & ~uptr{7};
       at < stack_pointer + kMaxStackBytes; at += sizeof(u64)) {
    for (; readable < at + sizeof(SignalFrame); readable += kPageBytes)
      if (!IsReadable(readable))
        return false;
    if (IsSignalFrame(*(const SignalFrame *)at))
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

/// Whether a call returns to that address.
static bool IsReturnAddress(const u8 *code) {
  const bool has_distance = code[-5] == 0xe8;
  const bool by_pointer = code[-6] == 0xff && code[-5] == 0x15;
  const bool by_register = code[-2] == 0xff && code[-1] >= 0xd0;
  return has_distance || by_pointer || by_register;
}

/// Whether the thread is in a function of libc that keeps nothing on the stack,
/// as those for strings do. None of these takes a lock.
static bool IsInLeafOfLibc(const greg_t *registers) {
  if (FileOf((const void *)registers[REG_RIP]) != FileOf(libc_function))
    return false;
  const auto *caller = *(const u8 *const *)registers[REG_RSP];
  return IsCodeOfProgram(caller) && IsReturnAddress(caller);
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
static bool Waited(const greg_t *registers) {
  constexpr u16 kSyscallInstruction = 0x050f;
  const auto *code = (const u16 *)registers[REG_RIP];
  if (FileOf(code) != FileOf(libc_function))
    return false;
  return (registers[REG_RAX] == -EINTR && code[-1] == kSyscallInstruction) ||
         (code[0] == kSyscallInstruction &&
          WaitsWithoutLock((uptr)registers[REG_RAX], (uptr)registers[REG_RSI]));
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
  const greg_t *registers = interrupted.uc_mcontext.gregs;
  return HasRoom((uptr)__builtin_frame_address(0), interrupted.uc_stack) &&
         (IsCodeOfProgram((const void *)registers[REG_RIP]) ||
          IsInLeafOfLibc(registers) || Waited(registers)) &&
         !(interrupted.uc_stack.ss_flags & SS_ONSTACK) &&
         !IsInHandler((uptr)registers[REG_RSP]);
}

} // namespace pagetide

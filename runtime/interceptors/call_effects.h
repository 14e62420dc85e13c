//===- call_effects.h - The words that describe system calls --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// raw_numbers.def and tabled.def say by these words what a call has read and
// written. The words mark after the call. errno says how it failed.

#pragma once

#include "interceptors/call_memory.h"

namespace pagetide::calls {

inline constexpr uptr kMaxAddress = 128;               ///< sockaddr_storage
inline constexpr uptr kLongestMessage = uptr{1} << 24; ///< of a System V queue

inline uptr Least(uptr a, uptr b) { return a < b ? a : b; }

/// The value at p; zero if it cannot be read.
template <typename T> T ValueIn(uptr p) {
  T value = {};
  if (p && !CopyIn(&value, p, sizeof(value)))
    value = {};
  return value;
}

class Effects {
public:
  explicit Effects(bool succeeded) : succeeded_(succeeded) {}

  void Read(uptr p, uptr bytes) const;
  void Write(uptr p, uptr bytes) const;
  void Put(uptr p, uptr bytes) const;
  void Change(uptr p, uptr bytes) const;
  void MayRead(uptr p, uptr bytes) const;
  void MayWrite(uptr p, uptr bytes) const;
  void MayChange(uptr p, uptr bytes) const;
  void ReadString(uptr p) const;
  void MayReadString(uptr p) const;
  /// The kernel has read a path. If it has refused the call, it has looked at
  /// the path only if the error says so.
  void ReadPath(uptr p) const;
  /// The second path of a call, which it may have refused for the first one.
  void ReadOther(uptr p) const { ReadString(p); }

  /// A buffer of which the kernel has written or read `done` bytes. After
  /// EFAULT all of it is marked as may: nobody knows how much was done.
  void Input(uptr p, uptr bytes, sptr done) const;
  void Output(uptr p, uptr bytes, sptr done) const;
  /// The same of a vector, which the kernel reads.
  void Copied(uptr pieces, uptr n, sptr done) const;
  void Passed(uptr pieces, uptr n, sptr done) const;

  /// A result whose full length, which may exceed the room, the kernel tells.
  void Sized(uptr p, uptr length) const;
  /// The header of a message, and what it leads to.
  void Message(uptr p, sptr done, bool received) const;
  /// Several of them, of which the call has dealt with `done`.
  void Messages(uptr p, uptr n, sptr done, bool received) const;
  /// The other vector of process_vm_readv and process_vm_writev. The kernel
  /// reads it if the local one is not empty. What it leads to is only marked if
  /// it is of this process.
  void Remote(u32 pid, uptr pieces, uptr n, sptr done, bool written) const;
  /// A vector of vmsplice: read, or written if the pipe's end is for reading.
  void Spliced(u32 pipe, uptr pieces, uptr n, sptr done) const;
  /// The kernel writes a result into each entry, also if a signal interrupts.
  void Polled(uptr p, uptr n) const;
  /// Sets of descriptors, and the time that was left, also after a failure.
  void Selected(uptr n, uptr in, uptr out, uptr special, uptr timeout) const;
  /// A handle of a file, behind its length and kind.
  void Handle(uptr p) const;
  /// The kernel does not look at the path if no time is to be set.
  void SetTimes(uptr path, uptr times) const;
  void Futex(sptr result, uptr word, uptr operation, uptr time,
             uptr other) const;

  // Commands of prctl, fcntl, semctl, msgctl, shmctl and ioctl.
  void Property(int command, uptr p) const;
  void Descriptor(int command, uptr p) const;
  void Semaphores(int id, int command, uptr p) const;
  void MessageQueue(int command, uptr p) const;
  void SharedMemory(int command, uptr p) const;
  void Request(u32 number, uptr p) const;

protected:
  bool succeeded_;

private:
  void FillPages(u32 number, uptr p) const;
  void Vector(uptr pieces, uptr n, sptr done, bool input) const;
};

/// What a call has done; 0 if it has failed.
inline uptr Done(sptr result) { return result < 0 ? 0 : uptr(result); }

/// Whether a call has succeeded.
// NOLINTNEXTLINE(readability-identifier-naming): words of raw_numbers.def
enum class When { k_always, k_zero, k_counted, k_positive, k_some };
inline bool Succeeded(sptr value, When when) {
  switch (when) {
  case When::k_always:
    return true;
  case When::k_zero:
    return !value;
  case When::k_counted:
    return value >= 0;
  case When::k_positive:
    return value > 0;
  case When::k_some:
    return value;
  }
}

} // namespace pagetide::calls

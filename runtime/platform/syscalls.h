//===- syscalls.h - Raw system calls and the base register ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime needs of the kernel and the processor, without libc: these
// functions are used before libc is ready, on threads that libc does not know,
// and where an interposed libc function would recurse.
//
// Processors: x86-64 only. The shadow's base is the GS segment base; another
// processor would keep it in thread-local storage behind the same functions
// (GetShadowBase, SetShadowBase, MarkCell).
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_SYSCALLS_H
#define PAGETIDE_RUNTIME_PLATFORM_SYSCALLS_H

#include "pagetide/abi.h"
#include "sanitizer_common/sanitizer_internal_defs.h"

#if !defined(__x86_64__) || !defined(__linux__)
#error "Pagetide's runtime supports Linux on x86-64"
#endif

namespace pagetide {

using __sanitizer::s64;
using __sanitizer::sptr;
using __sanitizer::u16;
using __sanitizer::u32;
using __sanitizer::u64;
using __sanitizer::u8;
using __sanitizer::uptr;

constexpr u64 kNsPerMs = 1000 * 1000;
constexpr u64 kNsPerSec = 1000 * kNsPerMs;

/// One system call. A result above -4096 (as unsigned) is minus an errno.
inline uptr Syscall(long number, uptr a = 0, uptr b = 0, uptr c = 0, uptr d = 0,
                    uptr e = 0, uptr f = 0) {
  uptr result;
  register uptr r10 asm("r10") = d;
  register uptr r8 asm("r8") = e;
  register uptr r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory", "cc");
  return result;
}
inline bool Failed(uptr result) { return result > (uptr)-4096; }
inline int ErrnoOf(uptr result) { return Failed(result) ? -(int)result : 0; }

/// The name of an errno value as people search for it, e.g. "ENOSPC (No space
/// left on device)"; never null.
const char *DescribeErrno(int error);

//===- Base register ------------------------------------------------------===//

/// Learns whether `wrgsbase` may be used (Linux 5.9, AT_HWCAP2); it takes 15 ns
/// where arch_prctl takes 300. Call once before SetShadowBase.
void InitBaseRegister();
/// 0 where nobody has set it, or the shadow lies at kShadowBias.
uptr GetGsBase();
/// Where the calling thread's shadow lies, if it has one.
inline uptr GetShadowBase() { return GetGsBase() + abi::kShadowBias; }
/// Async-signal-safe. Affects only the calling thread; new threads inherit it.
void SetShadowBase(uptr base);

/// Stores a cell of the calling thread's shadow: what a mark does.
inline void StoreCell(uptr offset, u8 value) {
  *(volatile u8 __seg_gs *)(offset + abi::kShadowBias) = value;
}
inline u8 LoadCell(uptr offset) {
  return *(volatile u8 __seg_gs *)(offset + abi::kShadowBias);
}
inline void StoreCellIfEmpty(uptr offset, u8 value) {
  // What is there now will be taken at the boundary that would take ours.
  if (LoadCell(offset) != abi::kCellEmpty)
    return;
  u8 expected = abi::kCellEmpty;
  asm volatile("lock cmpxchgb %2, %%gs:(%1)"
               : "+a"(expected)
               : "r"(offset + abi::kShadowBias), "q"(value)
               : "memory", "cc");
}

//===- Time, identity -----------------------------------------------------===//

u64 MonotonicNs();
u64 RealtimeNs();
u32 GetPidRaw();
u32 GetTidRaw();
/// CPU time of a thread that shares this process's memory, in ns; 0 where there
/// is none such, kUnknownNs where the system does not tell.
constexpr u64 kUnknownNs = ~u64{0};
u64 ThreadCpuNs(u32 tid);

//===- Waiting ------------------------------------------------------------===//

/// Sleeps while *word == expected, until woken or CLOCK_MONOTONIC reaches
/// deadline_ns (0: no deadline). May return early.
void FutexWait(const u32 *word, u32 expected, u64 deadline_ns = 0);
void FutexWakeAll(const u32 *word);

template <typename T> struct TypeIdentity {
  using Type = T; // keeps the argument from deciding T
};
template <typename T> inline T LoadAcquire(const T *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <typename T>
inline void StoreRelease(T *p, typename TypeIdentity<T>::Type v) {
  __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

/// A mutex that sleeps, works across raw threads, and can be made new in a
/// forked child. Zero-initialised is unlocked.
class Lock {
public:
  void Acquire();
  void Release();
  void Reset() { state_ = 0; }

private:
  u32 state_ = 0; // 0 free, 1 held, 2 held and awaited
};

/// All signals; but for SIGSEGV where the runtime itself serves faults.
extern u64 signals_to_block;

/// Blocks all signals of the calling thread while it lives, so that no signal
/// handler runs while the runtime holds a lock.
class ScopedBlockSignals {
public:
  ScopedBlockSignals();
  ~ScopedBlockSignals();
  /// What was blocked before.
  u64 saved() const { return saved_; }
  ScopedBlockSignals(const ScopedBlockSignals &) = delete;
  ScopedBlockSignals &operator=(const ScopedBlockSignals &) = delete;

private:
  u64 saved_;
};

/// For locks that only the runtime's own threads take: they block all signals
/// anyway.
class RawThreadLock {
public:
  explicit RawThreadLock(Lock &lock) : lock_(lock) { lock_.Acquire(); }
  ~RawThreadLock() { lock_.Release(); }
  RawThreadLock(const RawThreadLock &) = delete;
  RawThreadLock &operator=(const RawThreadLock &) = delete;

private:
  Lock &lock_;
};

class ScopedLock {
public:
  explicit ScopedLock(Lock &lock) : lock_(lock) { lock_.Acquire(); }
  ~ScopedLock() { lock_.Release(); }
  ScopedLock(const ScopedLock &) = delete;
  ScopedLock &operator=(const ScopedLock &) = delete;

private:
  ScopedBlockSignals block_signals_; // outlives the lock
  Lock &lock_;
};

//===- Memory -------------------------------------------------------------===//

/// Anonymous private memory, not reserved; null on failure. Kept out of core
/// dumps where `dump` is false.
void *MapAnonymous(uptr bytes, bool dump = true);
void Unmap(void *p, uptr bytes);

struct AddressRange {
  uptr begin, end;
};

/// A growing array in pages of its own: no allocator, no locks, so that it
/// serves on raw threads and survives fork. Elements must be trivially
/// copyable. Keeps its memory when cleared.
template <typename T> class PageVec {
public:
  uptr size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T &operator[](uptr i) { return data_[i]; }
  const T &operator[](uptr i) const { return data_[i]; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &back() { return data_[size_ - 1]; }
  void clear() { size_ = 0; }
  void push_back(const T &value) {
    if (size_ == capacity_)
      Grow(size_ + 1);
    data_[size_++] = value;
  }
  void resize(uptr size) {
    if (size > capacity_)
      Grow(size);
    size_ = size;
  }
  void reserve(uptr size) {
    if (size > capacity_)
      Grow(size);
  }
  /// False where memory ran out; otherwise it can grow to `size` without fail.
  bool TryReserve(uptr size) { return size <= capacity_ || TryGrow(size); }
  void swap(PageVec &other) noexcept {
    PageVec t = *this;
    *this = other;
    other = t;
  }
  /// Gives the memory back.
  void Free() {
    if (data_)
      Unmap(data_, bytes_);
    *this = PageVec();
  }

private:
  void Grow(uptr at_least);
  bool TryGrow(uptr at_least);
  T *data_ = nullptr;
  uptr size_ = 0;
  uptr capacity_ = 0;
  uptr bytes_ = 0;
};

/// Grows a block of MapAnonymous memory to hold `want` bytes; null when memory
/// ran out.
void *GrowPages(void *p, uptr old_bytes, uptr want, uptr *new_bytes);
/// Leaves off (bailout.h) because of it.
[[noreturn]] void LeaveOffWithoutMemory(uptr bytes);

template <typename T> bool PageVec<T>::TryGrow(uptr at_least) {
  uptr want = capacity_ * 2 > at_least ? capacity_ * 2 : at_least;
  void *grown = GrowPages(data_, bytes_, want * sizeof(T), &bytes_);
  if (!grown)
    return false;
  data_ = (T *)grown;
  capacity_ = bytes_ / sizeof(T);
  return true;
}

/// The runtime's own memory: what MapAnonymous and GrowPages gave and Unmap has
/// not taken back, in no order; complete for what was mapped when this was
/// called. The kernel merges it with the program's where they touch, so that
/// its list of mappings does not tell.
void ListOwnMemory(PageVec<AddressRange> &ranges);
/// In a forked child: whoever was changing the list is not there.
void RenewOwnMemoryInChild();

template <typename T> void PageVec<T>::Grow(uptr at_least) {
  if (!TryGrow(at_least))
    LeaveOffWithoutMemory(at_least * sizeof(T));
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_SYSCALLS_H

//===- locks.h - Waiting, locks and blocked signals -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Sleeps while *word == expected, until woken or CLOCK_MONOTONIC reaches
/// deadline_ns (0: no deadline). May return early.
void FutexWait(const u32 *word, u32 expected, u64 deadline_ns = 0);
void FutexWakeAll(const u32 *word);

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

/// For rt_sigprocmask.
constexpr u64 kAllSignals = ~u64{0};

/// Blocks all signals of the calling thread while it lives, so that no signal
/// handler runs while the runtime holds a lock.
class ScopedBlockSignals {
public:
  ScopedBlockSignals();
  ~ScopedBlockSignals();
  /// What was blocked before.
  u64 Saved() const { return saved_; }
  ScopedBlockSignals(const ScopedBlockSignals &) = delete;
  ScopedBlockSignals &operator=(const ScopedBlockSignals &) = delete;

private:
  u64 saved_;
};

/// For who blocks all signals anyway, as the raw threads do, and creators of
/// threads.
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

} // namespace pagetide

//===- place_table.h - Numbered places for threads, without a lock --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of as many places as Linux has threads. It grows by blocks and never
// moves. To take a place and to give it back are a few instructions, however
// many are taken, and nobody waits for anybody. So signal handlers and threads
// that libc does not know may do both.

#pragma once

#include "platform/own_memory.h"

namespace pagetide {

/// No place: there is no memory for another one.
constexpr u32 kNoPlace = ~u32{0};

/// A `T` is zero when its place is first taken. The table uses its member
/// `kNext` while the place is free.
template <typename T, u32 T::*kNext> class PlaceTable {
public:
  /// Block number b has kFirstBlock << b places.
  static constexpr u32 kFirstBlock = 512;

  T &At(u32 place) const {
    const u32 block = BlockOf(place);
    return LoadAcquire(
        &blocks_[block])[place - kFirstBlock * ((1u << block) - 1)];
  }
  /// All places ever taken are below this.
  u32 End() const { return LoadAcquire(&end_); }

  /// Has the first places at `first`, so that these need no memory.
  void PlaceFirst(T (&first)[kFirstBlock]) {
    StoreRelease(&blocks_[0], &first[0]);
  }

  u32 Take() {
    const u32 place = TakeFree();
    return place != kNoPlace ? place : TakeNew();
  }

  void Give(u32 place) {
    u64 top = LoadAcquire(&free_top_), with;
    do {
      __atomic_store_n(&(At(place).*kNext), (u32)top, __ATOMIC_RELAXED);
      with = ((top >> 32) + 1) << 32 | (place + 1);
    } while (!__atomic_compare_exchange_n(&free_top_, &top, with, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  }

  /// Frees all places, in a forked child.
  void Reset() {
    end_ = 0;
    free_top_ = 0;
  }

private:
  /// More places than there can be threads (2^22).
  static constexpr u32 kBlocks = 14;

  static u32 BlockOf(u32 place) {
    return 31 - (u32)__builtin_clz(place / kFirstBlock + 1);
  }

  bool HaveBlock(u32 block) {
    if (block >= kBlocks)
      return false;
    if (LoadAcquire(&blocks_[block]))
      return true;
    const uptr bytes = PageUp((uptr{kFirstBlock} << block) * sizeof(T));
    auto *made = (T *)MapAnonymous(bytes);
    T *none = nullptr;
    if (made &&
        !__atomic_compare_exchange_n(&blocks_[block], &none, made, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      Unmap(made, bytes); // another thread was first
    return made;
  }

  u32 TakeFree() {
    u64 top = LoadAcquire(&free_top_);
    while ((u32)top) {
      const u32 place = (u32)top - 1;
      const u32 next = __atomic_load_n(&(At(place).*kNext), __ATOMIC_RELAXED);
      const u64 without = ((top >> 32) + 1) << 32 | next;
      if (__atomic_compare_exchange_n(&free_top_, &top, without, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return place;
    }
    return kNoPlace;
  }

  u32 TakeNew() {
    u32 place = LoadAcquire(&end_);
    do
      if (!HaveBlock(BlockOf(place)))
        return kNoPlace;
    while (!__atomic_compare_exchange_n(&end_, &place, place + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return place;
  }

  T *blocks_[kBlocks];
  u32 end_;
  /// The free places are a stack. This is its top: the place plus one, 0 if
  /// there is none, and above 32 bits a number that each change raises. Without
  /// it a place that was taken and given back meanwhile would look untouched.
  u64 free_top_;
};

} // namespace pagetide

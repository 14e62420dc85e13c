//===- key_set.h - What has been said already -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Keys that are not 0, at most kMaxKeys. Any thread may add one at any time.
template <u32 kMaxKeys> class KeySet {
public:
  /// False if the key was there before, or if there are too many.
  bool Add(u64 key) {
    for (u64 &place : keys_) {
      u64 other = 0;
      if (__atomic_compare_exchange_n(&place, &other, key, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return true;
      if (other == key)
        return false;
    }
    return false;
  }

private:
  u64 keys_[kMaxKeys];
};

} // namespace pagetide

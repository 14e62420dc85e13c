//===- io.h - Buffers and vectors of read, write and their like -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/in_flight.h"
#include "shadow/marking.h"

#include <sys/uio.h>

namespace pagetide {

/// Marks the `done` bytes that a call has written, or read. After EFAULT marks
/// the whole range as may, because nobody knows how much was done.
void MarkInput(const void *p, uptr bytes, sptr done);
void MarkOutput(const void *p, uptr bytes, sptr done);
/// The kernel moves no more than this in one call (MAX_RW_COUNT).
constexpr uptr kMaxBytesOfCall = 0x7ffff000;

// An address, and control data, that the kernel copies before it refuses them.
constexpr uptr kMaxAddressBytes = 128; ///< sockaddr_storage
constexpr uptr kMaxControlBytes = 20480;

/// Whether the kernel may have read an argument of a call that it has refused.
bool MayHaveLooked();

/// A copy of the program's vector. If its address is bad, the copy is empty and
/// the kernel refuses the call.
class Pieces {
public:
  Pieces(const iovec *vector, sptr count);
  ~Pieces();
  Pieces(const Pieces &) = delete;
  Pieces &operator=(const Pieces &) = delete;

  /// The span of all pieces, as a range in flight.
  __attribute__((always_inline)) InFlight Span() const {
    const iovec span = Bounds();
    return InFlight(span.iov_base, span.iov_len);
  }
  /// Marks the first `done` bytes of the pieces, or all as may after EFAULT.
  /// Also marks the vector itself as read.
  void MarkInputDone(sptr done) const;
  void MayHaveReadVector() const {
    MarkMayRead((uptr)vector_, count_ * sizeof(iovec));
  }
  void MarkVector() const { MarkRead((uptr)vector_, count_ * sizeof(iovec)); }
  template <typename Do> void ForEach(Do what) const {
    for (uptr i = 0; i < count_; ++i)
      what(pieces_[i]);
  }

  /// From the first byte of all pieces to the last.
  iovec Bounds() const;

private:
  static constexpr sptr kMaxPieces =
      1024; // UIO_MAXIOV: the kernel refuses more
  /// Room without a mapping: a stack may have only 16 KiB.
  static constexpr sptr kFew = 32;
  const iovec *vector_;
  uptr count_ = 0;
  iovec few_[kFew];
  iovec *pieces_ = few_;
};

/// The same for a call that reads the pieces, after it. Copies the vector only
/// if the call has failed.
void MarkOutputPieces(const iovec *vector, sptr count, sptr done);

} // namespace pagetide

//===- io.h - Buffers and vectors of read, write and their like -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_IO_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_IO_H

#include "interceptors/in_flight.h"

#include <sys/uio.h>

namespace pagetide {

/// Marks what a call has written: `done` bytes, or, where it failed on a bad
/// address, nobody knows how much of the range.
void MarkInput(const void *p, uptr bytes, sptr done);
void MarkOutput(const void *p, uptr bytes, sptr done);

/// A copy of the program's vector, made without trusting its address: a bad one
/// is for the kernel to refuse.
class Pieces {
public:
  Pieces(const iovec *vector, sptr count);
  ~Pieces();
  Pieces(const Pieces &) = delete;
  Pieces &operator=(const Pieces &) = delete;

  /// The span of all pieces, to be noted as in flight.
  InFlight Span() const;
  /// The bytes that `done` covers of the pieces, in order; or, after a bad
  /// address, all of them as may. The vector itself has been read.
  void MarkInputDone(sptr done) const;
  void MarkOutputDone(sptr done) const;

private:
  template <typename Mark> void MarkDone(sptr done, Mark mark) const;
  static constexpr sptr kMaxPieces =
      1024; // UIO_MAXIOV: the kernel refuses more
  /// As many have room here: a thread's stack may be no larger than 16 KiB.
  static constexpr sptr kFew = 32;
  const iovec *vector_;
  uptr count_ = 0;
  iovec few_[kFew];
  iovec *pieces_ = few_;
};

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_IO_H

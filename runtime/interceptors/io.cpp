//===- io.cpp - read, write and their like --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks what the kernel writes when the call returns. Until then the range is
// in flight.

#include "interceptors/io.h"

#include "interceptors/interceptor.h"
#include "platform/messages.h"
#include "platform/own_memory.h"

#include <sys/types.h>

using namespace pagetide;

namespace pagetide {

void MarkInput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidWrite(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveWritten(p, Min(bytes, kMaxBytesOfCall));
}

void MarkOutput(const void *p, uptr bytes, sptr done) {
  if (done > 0)
    DidRead(p, Min((uptr)done, bytes));
  else if (done < 0 && errno == EFAULT)
    MayHaveRead(p, Min(bytes, kMaxBytesOfCall));
}

bool MayHaveLooked() { return errno != ENOTSOCK; }

Pieces::Pieces(const iovec *vector, sptr count) : vector_(vector) {
  if (!ShadowReady() || count <= 0 || count > kMaxPieces)
    return;
  if (count > kFew)
    pieces_ = (iovec *)MapAnonymous(kMaxPieces * sizeof(iovec));
  if (!pieces_)
    Fatal("out of memory for the vector of a system call.\n");
  if (CopyFromProgram(pieces_, vector, (uptr)count * sizeof(iovec)))
    count_ = (uptr)count;
}

Pieces::~Pieces() {
  if (pieces_ != few_)
    Unmap(pieces_, kMaxPieces * sizeof(iovec));
}

iovec Pieces::Bounds() const {
  uptr low = ~uptr{0}, high = 0;
  for (uptr i = 0; i < count_; ++i) {
    if (!pieces_[i].iov_len)
      continue;
    uptr begin = (uptr)pieces_[i].iov_base;
    uptr end = begin + pieces_[i].iov_len;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
  }
  return {(void *)low, high > low ? high - low : 0};
}

void Pieces::MarkInputDone(sptr done) const {
  if (done < 0 && errno != EFAULT) {
    if (MayHaveLooked())
      MayHaveRead(vector_, count_ * sizeof(iovec));
    return;
  }
  MarkVector();
  uptr left = done < 0 ? 0 : (uptr)done;
  ForEach([&](const iovec &piece) {
    if (done < 0)
      return MarkInput(piece.iov_base, piece.iov_len, done);
    const uptr bytes = Min((uptr)piece.iov_len, left);
    MarkWrite((uptr)piece.iov_base, bytes);
    left -= bytes;
  });
}

void MarkOutputPieces(const iovec *vector, sptr count, sptr done) {
  if (!MarksReads() || count <= 0 || (done < 0 && !MayHaveLooked()))
    return;       // the kernel refused the call and read nothing
  if (done < 0) { // perhaps because of the vector's address
    const Pieces pieces(vector, count);
    errno == EFAULT
        ? pieces.MarkVector()
        : MayHaveRead(vector, Min((uptr)count, uptr{1024}) * sizeof(iovec));
    return pieces.ForEach([=](const iovec &piece) {
      MarkOutput(piece.iov_base, piece.iov_len, done);
    });
  }
  MarkRead((uptr)vector, (uptr)count * sizeof(iovec));
  uptr left = (uptr)done;
  for (sptr i = 0; i < count && left; ++i) {
    const uptr bytes = Min((uptr)vector[i].iov_len, left);
    MarkRead((uptr)vector[i].iov_base, bytes);
    left -= bytes;
  }
}

} // namespace pagetide

#define PAGETIDE_INPUT_PIECES(name, parameters, arguments)                     \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    Pieces pieces(v, n);                                                       \
    InFlight in_flight = pieces.Span();                                        \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    pieces.MarkInputDone(done);                                                \
    return done;                                                               \
  }
#define PAGETIDE_OUTPUT_PIECES(name, parameters, arguments)                    \
  PAGETIDE_INTERCEPTOR(SSIZE_T, name, PAGETIDE_UNPACK parameters) {            \
    OnInterceptedCall();                                                       \
    SSIZE_T done = RESOLVED(name) arguments;                                   \
    MarkOutputPieces(v, n, done);                                              \
    return done;                                                               \
  }

PAGETIDE_INPUT_PIECES(readv, (int fd, const iovec *v, int n), (fd, v, n))
PAGETIDE_INPUT_PIECES(preadv, (int fd, const iovec *v, int n, off_t at),
                      (fd, v, n, at))
PAGETIDE_INPUT_PIECES(preadv64, (int fd, const iovec *v, int n, off_t at),
                      (fd, v, n, at))
PAGETIDE_INPUT_PIECES(preadv2,
                      (int fd, const iovec *v, int n, off_t at, int flags),
                      (fd, v, n, at, flags))
PAGETIDE_INPUT_PIECES(preadv64v2,
                      (int fd, const iovec *v, int n, off_t at, int flags),
                      (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(pwritev2,
                       (int fd, const iovec *v, int n, off_t at, int flags),
                       (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(pwritev64v2,
                       (int fd, const iovec *v, int n, off_t at, int flags),
                       (fd, v, n, at, flags))
PAGETIDE_OUTPUT_PIECES(writev, (int fd, const iovec *v, int n), (fd, v, n))
PAGETIDE_OUTPUT_PIECES(pwritev, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))
PAGETIDE_OUTPUT_PIECES(pwritev64, (int fd, const iovec *v, int n, off_t at),
                       (fd, v, n, at))

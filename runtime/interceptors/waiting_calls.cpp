//===- waiting_calls.cpp - What calls that wait may be writing ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/waiting_calls.h"

#include "interceptors/interceptor.h"
#include "interceptors/io.h"

#include "arch/older_calls.h"

#include <sys/socket.h>
#include <sys/syscall.h>

namespace pagetide {

namespace {

class Span {
public:
  void Add(uptr p, uptr bytes) {
    if (!p || !bytes)
      return;
    low_ = Min(low_, p);
    high_ = p + bytes > high_ ? p + bytes : high_;
  }
  void AddPieces(uptr vector, uptr count) {
    const iovec bounds = Pieces((const iovec *)vector, (sptr)count).Bounds();
    Add((uptr)bounds.iov_base, bounds.iov_len);
  }
  void AddMessage(uptr p) {
    const auto message = ValueAt((const msghdr *)p);
    AddPieces((uptr)message.msg_iov, message.msg_iovlen);
  }
  MemoryRange Get() const {
    return high_ > low_ ? MemoryRange{low_, high_ - low_} : MemoryRange();
  }

private:
  uptr low_ = ~uptr{0}, high_ = 0;
};

} // namespace

MemoryRange WrittenWhileWaiting(long number, const u64 (&a)[6]) {
  constexpr uptr kEventBytes = 12, kPolledBytes = 8, kDoneBytes = 32;
  constexpr uptr kMostMessages = 1024; // UIO_MAXIOV
  const auto few = [](u64 n) { return (sptr)(int)n > 0 ? (uptr)(int)n : 0; };
  Span span;
  switch (number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_recvfrom:
  case SYS_mq_timedreceive:
    return {a[1], a[2]};
  case SYS_getrandom:
    return {a[0], a[1]};
  case SYS_msgrcv:
    return {a[1], a[2] + sizeof(long)};
  case SYS_accept:
  case SYS_accept4:
    return {a[1], ValueAt((const u32 *)a[2])};
  case kOldEpollWait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    return {a[1], few(a[2]) * kEventBytes};
  case SYS_io_getevents:
  case SYS_io_pgetevents:
    return {a[3], few(a[2]) * kDoneBytes};
  case kOldPoll:
  case SYS_ppoll:
    return {a[0], few(a[1]) * kPolledBytes};
  case kOldSelect:
  case SYS_pselect6:
    for (int i = 1; i <= 3; ++i)
      span.Add(a[i], (few(a[0]) + 63) / 64 * 8);
    break;
  case SYS_readv:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_process_vm_readv:
  case SYS_vmsplice: // it writes if the pipe's end is for reading
    span.AddPieces(a[1], a[2]);
    break;
  case SYS_recvmsg:
    span.AddMessage(a[1]);
    break;
  case SYS_recvmmsg:
    for (uptr i = 0; i < Min(few(a[2]), kMostMessages); ++i)
      span.AddMessage(a[1] + i * sizeof(mmsghdr));
    break;
  default:
    break;
  }
  return span.Get();
}

} // namespace pagetide

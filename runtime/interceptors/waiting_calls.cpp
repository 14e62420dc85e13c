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
  MemoryRange Get() const {
    return high_ > low_ ? MemoryRange{low_, high_ - low_} : MemoryRange();
  }

private:
  uptr low_ = ~uptr{0}, high_ = 0;
};

struct Spans {
  Span buffer, results;

  /// A message's names, and its header, of `bytes` at p.
  void AddHeader(uptr p, uptr bytes, const msghdr &message) {
    results.Add((uptr)message.msg_name, message.msg_namelen);
    results.Add((uptr)message.msg_control, message.msg_controllen);
    results.Add(p, bytes);
  }
  void AddMessage(uptr p, uptr bytes) {
    const auto message = ValueAt((const msghdr *)p);
    buffer.AddPieces((uptr)message.msg_iov, message.msg_iovlen);
    AddHeader(p, bytes, message);
  }
  /// An address of a socket, and its length, which says how much room it has.
  void AddAddress(uptr p, uptr room, uptr length) {
    results.Add(p, room);
    results.Add(p ? length : 0, sizeof(u32));
  }
  CallWrites Get() const { return {buffer.Get(), results.Get()}; }
};

} // namespace

CallWrites WrittenWhileWaiting(long number, const u64 (&a)[6]) {
  constexpr uptr kEventBytes = 12, kPolledBytes = 8, kDoneBytes = 32;
  constexpr uptr kStatusBytes = 4, kUsageBytes = 144, kSignalBytes = 128;
  constexpr uptr kMostMessages = 1024; // UIO_MAXIOV
  const auto few = [](u64 n) { return (sptr)(int)n > 0 ? (uptr)(int)n : 0; };
  Spans spans;
  Span &buffer = spans.buffer, &results = spans.results;
  switch (number) {
  case SYS_read:
  case SYS_pread64:
    buffer.Add(a[1], a[2]);
    break;
  case SYS_recvfrom:
    buffer.Add(a[1], a[2]);
    spans.AddAddress(a[4], ValueAt((const u32 *)a[5]), a[5]);
    break;
  case SYS_mq_timedreceive:
    buffer.Add(a[1], a[2]);
    results.Add(a[3], sizeof(u32)); // the priority
    break;
  case SYS_getrandom:
    buffer.Add(a[0], a[1]);
    break;
  case SYS_msgrcv:
    buffer.Add(a[1], a[2] + sizeof(long));
    break;
  case SYS_accept:
  case SYS_accept4:
    spans.AddAddress(a[1], ValueAt((const u32 *)a[2]), a[2]);
    break;
  case kOldEpollWait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
    buffer.Add(a[1], few(a[2]) * kEventBytes);
    break;
  case SYS_io_getevents:
  case SYS_io_pgetevents:
    buffer.Add(a[3], few(a[2]) * kDoneBytes);
    break;
  case SYS_ppoll:
    results.Add(a[2], kTimeBytes); // that is left
    [[fallthrough]];
  case kOldPoll:
    buffer.Add(a[0], few(a[1]) * kPolledBytes);
    break;
  case kOldSelect:
  case SYS_pselect6:
    for (int i = 1; i <= 3; ++i)
      buffer.Add(a[i], (few(a[0]) + 63) / 64 * 8);
    results.Add(a[4], kTimeBytes);
    break;
  case SYS_readv:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_process_vm_readv:
  case SYS_vmsplice: // it writes if the pipe's end is for reading
    buffer.AddPieces(a[1], a[2]);
    break;
  case SYS_recvmsg:
    spans.AddMessage(a[1], sizeof(msghdr));
    break;
  case SYS_recvmmsg:
    for (uptr i = 0; i < Min(few(a[2]), kMostMessages); ++i)
      spans.AddMessage(a[1] + i * sizeof(mmsghdr), sizeof(mmsghdr));
    results.Add(a[4], kTimeBytes);
    break;
  case SYS_wait4:
    results.Add(a[1], kStatusBytes);
    buffer.Add(a[3], kUsageBytes);
    break;
  case SYS_waitid:
    results.Add(a[2], kSignalBytes);
    buffer.Add(a[4], kUsageBytes);
    break;
  case SYS_rt_sigtimedwait:
    results.Add(a[1], kSignalBytes);
    break;
  case SYS_nanosleep:
    results.Add(a[1], kTimeBytes);
    break;
  case SYS_clock_nanosleep:
    results.Add(a[3], kTimeBytes);
    break;
  default:
    break;
  }
  return spans.Get();
}

CallWrites WrittenByMessage(const msghdr *message, const msghdr &header,
                            const iovec &pieces) {
  Spans spans;
  spans.buffer.Add((uptr)pieces.iov_base, pieces.iov_len);
  spans.AddHeader((uptr)message, sizeof(msghdr), header);
  return spans.Get();
}

CallWrites WrittenWithAddress(MemoryRange buffer, const void *address, u32 room,
                              const u32 *length) {
  Spans spans;
  spans.buffer.Add(buffer.begin, buffer.bytes);
  spans.AddAddress((uptr)address, room, (uptr)length);
  return spans.Get();
}

} // namespace pagetide

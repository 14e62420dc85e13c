//===- call_effects.cpp - The words that describe system calls ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/call_effects.h"

#include "interceptors/path_errors.h"

#include <errno.h>

namespace pagetide::calls {

namespace {

constexpr uptr kNoBound = ~uptr{0} >> 1;
constexpr uptr kMaxControl = 20480;          ///< the kernel copies no more
constexpr uptr kMaxPieces = 1024;            ///< UIO_MAXIOV
constexpr uptr kMaxPolled = uptr{1} << 20;   ///< fs.nr_open
constexpr uptr kMaxBytesOfCall = 0x7ffff000; ///< MAX_RW_COUNT

struct Piece { // iovec
  uptr p, bytes;
};

} // namespace

//===- Ranges and strings -------------------------------------------------===//

void Effects::Read(uptr p, uptr bytes) const {
  if (p)
    succeeded_ ? MarkRead(p, bytes) : MarkMayRead(p, bytes);
}
void Effects::Write(uptr p, uptr bytes) const {
  if (p && succeeded_)
    MarkWrite(p, bytes);
  else if (p && errno == EFAULT)
    MarkMayWrite(p, bytes);
}
void Effects::Put(uptr p, uptr bytes) const {
  succeeded_ ? Write(p, bytes) : MayWrite(p, bytes);
}
void Effects::Change(uptr p, uptr bytes) const {
  Read(p, bytes);
  Put(p, bytes);
}
void Effects::MayRead(uptr p, uptr bytes) const {
  if (p)
    MarkMayRead(p, bytes);
}
void Effects::MayWrite(uptr p, uptr bytes) const {
  if (p)
    MarkMayWrite(p, bytes);
}
void Effects::MayChange(uptr p, uptr bytes) const {
  MayRead(p, bytes);
  MayWrite(p, bytes);
}
void Effects::ReadString(uptr p) const {
  if (!succeeded_)
    MayReadString(p);
  else if (p)
    MarkRead(p, StringBytes(p, kNoBound, true));
}
void Effects::MayReadString(uptr p) const {
  if (p)
    MarkMayRead(p, StringBytes(p, kNoBound, false));
}
void Effects::ReadPath(uptr p) const {
  if (!p)
    return;
  if (succeeded_)
    return ReadString(p);
  if (HasLookedForFile(errno))
    MarkRead(p, StringBytes(p, kMaxPathBytes, false));
  else
    MarkMayRead(p, StringBytes(p, kMaxPathBytes, false));
}

//===- Buffers and vectors ------------------------------------------------===//

void Effects::Input(uptr p, uptr bytes, sptr done) const {
  if (done > 0)
    MarkWrite(p, Least(uptr(done), bytes));
  else if (done < 0 && errno == EFAULT)
    MarkMayWrite(p, Least(bytes, kMaxBytesOfCall));
}
void Effects::Output(uptr p, uptr bytes, sptr done) const {
  if (done > 0)
    MarkRead(p, Least(uptr(done), bytes));
  else if (done < 0 && errno == EFAULT)
    MarkMayRead(p, Least(bytes, kMaxBytesOfCall));
}

void Effects::Vector(uptr pieces, uptr n, sptr done, bool input) const {
  if (!n || n > kMaxPieces || (done < 0 && errno == ENOTSOCK))
    return; // the kernel refused the call and read nothing
  if (done < 0 && errno != EFAULT)
    return MarkMayRead(pieces, n * sizeof(Piece));
  if (Piece last;
      !CopyIn(&last, pieces + (n - 1) * sizeof(Piece), sizeof(last)))
    return; // the vector's address is bad
  MarkRead(pieces, n * sizeof(Piece));
  uptr left = Done(done);
  for (uptr i = 0; i < n && (left || done < 0); ++i) {
    const auto piece = ValueIn<Piece>(pieces + i * sizeof(Piece));
    const uptr bytes = done < 0 ? piece.bytes : Least(piece.bytes, left);
    const sptr of_piece = done < 0 ? done : sptr(bytes);
    input ? Input(piece.p, bytes, of_piece) : Output(piece.p, bytes, of_piece);
    left -= done < 0 ? 0 : bytes;
  }
}
void Effects::Copied(uptr pieces, uptr n, sptr done) const {
  Vector(pieces, n, done, true);
}
void Effects::Passed(uptr pieces, uptr n, sptr done) const {
  Vector(pieces, n, done, false);
}
void Effects::Remote(u32 pid, uptr pieces, uptr n, sptr done,
                     bool written) const {
  if (done > 0 && pid == OwnProcess())
    return Vector(pieces, n, done, written);
  Effects(done > 0).Read(pieces, Least(n, kMaxPieces) * sizeof(Piece));
}
void Effects::Spliced(u32 pipe, uptr pieces, uptr n, sptr done) const {
  const PipeEnd end = EndOfPipe(pipe);
  Vector(pieces, n, done, end == PipeEnd::kReads);
  for (uptr i = 0; end == PipeEnd::kUnknown && i < n && done > 0; ++i) {
    const auto piece = ValueIn<Piece>(pieces + i * sizeof(Piece));
    MayWrite(piece.p, piece.bytes);
  }
}

//===- Sockets, and waiting for descriptors -------------------------------===//

void Effects::Sized(uptr p, uptr length) const {
  if (!p)
    return;
  Change(length, 4);
  if (succeeded_)
    MayWrite(p, ValueIn<u32>(length));
}
void Effects::Message(uptr p, sptr done, bool received) const {
  struct Header { // msghdr
    uptr name;
    u32 name_bytes;
    uptr pieces, piece_count;
    uptr control, control_bytes;
    int flags;
  };
  constexpr uptr kNameBytesAt = 8, kControlBytesAt = 40;
  const auto header = ValueIn<Header>(p);
  const uptr name_bytes = Least(header.name_bytes, kMaxAddress);
  const uptr control_bytes = Least(header.control_bytes, kMaxControl);
  Read(p, sizeof(header));
  if (!received) {
    Passed(header.pieces, header.piece_count, done);
    Read(header.name, name_bytes);
    Read(header.control, control_bytes);
    return;
  }
  Copied(header.pieces, header.piece_count, done);
  if (!succeeded_ && errno != EFAULT)
    return;
  MayWrite(header.name, name_bytes);
  MayWrite(header.control, control_bytes);
  if (header.name)
    Put(p + kNameBytesAt, sizeof(header.name_bytes));
  Put(p + kControlBytesAt, sizeof(header.control_bytes) + sizeof(int));
}
void Effects::Messages(uptr p, uptr n, sptr done, bool received) const {
  constexpr uptr kBytes = 64, kDoneAt = 56; // of a mmsghdr
  for (sptr i = 0; i < done; ++i, p += kBytes) {
    Message(p, ValueIn<u32>(p + kDoneAt), received);
    Write(p + kDoneAt, sizeof(u32));
  }
  // It has perhaps looked at the one at which it stopped.
  if (done < sptr(n))
    Effects(false).Message(p, -1, received);
}
void Effects::Polled(uptr p, uptr n) const {
  constexpr uptr kBytes = 8, kFoundAt = 6; // of a pollfd
  const Effects call(succeeded_ || errno == EINTR);
  call.Read(p, Least(n, kMaxPolled) * kBytes);
  if (p && n)
    call.Put(p + kFoundAt, Least(n, kMaxPolled) * kBytes - kFoundAt);
}
void Effects::Selected(uptr n, uptr in, uptr out, uptr special,
                       uptr timeout) const {
  const uptr bytes = int(n) > 0 ? (Least(n, kMaxPolled) + 63) / 64 * 8 : 0;
  Change(in, bytes), Change(out, bytes), Change(special, bytes);
  Change(timeout, 16);
}
void Effects::Handle(uptr p) const {
  MayChange(p, 8);
  if (succeeded_)
    Write(p, 8 + ValueIn<u32>(p));
}

//===- Time ---------------------------------------------------------------===//

void Effects::SetTimes(uptr path, uptr times) const {
  constexpr sptr kOmit = 0x3ffffffe; // UTIME_OMIT
  Read(times, 32);
  const bool omitted = succeeded_ && times &&
                       ValueIn<sptr>(times + 8) == kOmit &&
                       ValueIn<sptr>(times + 24) == kOmit;
  if (!omitted)
    ReadPath(path);
}

void Effects::Futex(sptr result, uptr word, uptr operation, uptr time,
                    uptr other) const {
  constexpr uptr kCommands = 0x7f;
  enum { kWait = 0, kWake = 1, kRequeue = 3, kWaitSet = 9, kWakeSet = 10 };
  switch (operation & kCommands) {
  case kWait:
  case kWaitSet:
    if (!result || errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR) {
      MarkRead(word, 4);
      if (time)
        MarkRead(time, 16);
    }
    return;
  case kWake:
  case kWakeSet:
  case kRequeue:
    return;
  default: // other threads decide whether these read the word
    MarkMayRead(word, 4);
    MarkMayWrite(word, 4);
    MarkMayWrite(other, 4);
  }
}

//===- Commands -----------------------------------------------------------===//

void Effects::Property(int command, uptr p) const {
  constexpr int kSetName = 15, kGetName = 16, kGetTidAddress = 40;
  constexpr uptr kNameBytes = 16;
  switch (command) {
  case kSetName:
    return Read(p, StringBytes(p, kNameBytes - 1, succeeded_));
  case kGetName:
    return Write(p, kNameBytes);
  case kGetTidAddress:
    return Write(p, sizeof(uptr));
  case 2:  // PR_GET_PDEATHSIG; more that give a number
  case 5:  // PR_GET_UNALIGN
  case 9:  // PR_GET_FPEMU
  case 11: // PR_GET_FPEXC
  case 19: // PR_GET_ENDIAN
  case 25: // PR_GET_TSC
  case 37: // PR_GET_CHILD_SUBREAPER
    return Write(p, sizeof(int));
  default:
    return;
  }
}
void Effects::Descriptor(int command, uptr p) const {
  constexpr int kGetLock = 5, kSetLock = 6, kSetLockWait = 7, kSetOwner = 15,
                kGetOwner = 16, kOwnerIds = 17, kGetLockOfFile = 36,
                kSetLockOfFile = 37, kSetLockOfFileWait = 38, kFirstHint = 1035,
                kLastHint = 1038;
  constexpr uptr kLockBytes = 32;
  switch (command) {
  case kGetLock:
  case kGetLockOfFile:
    return Change(p, kLockBytes);
  case kSetLock:
  case kSetLockWait:
  case kSetLockOfFile:
  case kSetLockOfFileWait:
    return Read(p, kLockBytes);
  case kSetOwner:
    return Read(p, 8);
  case kGetOwner:
  case kOwnerIds:
    return Write(p, 8);
  default:
    if (command >= kFirstHint && command <= kLastHint)
      command % 2 ? Write(p, 8) : Read(p, 8);
  }
}
/// The number of semaphores decides how much GETALL writes.
void Effects::Semaphores(int id, int command, uptr p) const {
  constexpr int kSet = 1, kStat = 2, kInfo = 3, kGetAll = 13, kSetAll = 17,
                kStatNumber = 18, kSetInfo = 19, kStatAny = 20;
  constexpr uptr kBytes = 104, kInfoBytes = 40;
  switch (command) {
  case kStat:
  case kStatNumber:
  case kStatAny:
    return Write(p, kBytes);
  case kInfo:
  case kSetInfo:
    return Write(p, kInfoBytes);
  case kSet:
    return Read(p, kBytes);
  case kGetAll:
    return Write(p, SemaphoresOf(id) * 2);
  case kSetAll:
    return Read(p, SemaphoresOf(id) * 2);
  default:
    return;
  }
}
void Effects::MessageQueue(int command, uptr p) const {
  constexpr int kSet = 1, kStat = 2, kInfo = 3, kStatNumber = 11,
                kQueueInfo = 12, kStatAny = 13;
  constexpr uptr kBytes = 120, kInfoBytes = 32;
  if (command == kStat || command == kStatNumber || command == kStatAny)
    Write(p, kBytes);
  else if (command == kInfo || command == kQueueInfo)
    Write(p, kInfoBytes);
  else if (command == kSet)
    Read(p, kBytes);
}
void Effects::SharedMemory(int command, uptr p) const {
  constexpr int kSet = 1, kStat = 2, kLimits = 3, kStatNumber = 13, kInfo = 14,
                kStatAny = 15;
  constexpr uptr kBytes = 112, kLimitBytes = 72, kInfoBytes = 48;
  if (command == kStat || command == kStatNumber || command == kStatAny)
    Write(p, kBytes);
  else if (command == kLimits || command == kInfo)
    Write(p, command == kInfo ? kInfoBytes : kLimitBytes);
  else if (command == kSet)
    Read(p, kBytes);
}
/// Of a userfaultfd, whose memory may be another process's. What was done of a
/// request that failed is told too.
void Effects::FillPages(u32 number, uptr p) const {
  constexpr u32 kCopy = 0xc028aa03, kZero = 0xc020aa04, kMove = 0xc028aa05;
  if (number != kCopy && number != kZero && number != kMove)
    return;
  const sptr done = ValueIn<sptr>(p + (number == kZero ? 24 : 32));
  if (done <= 0)
    return;
  MayWrite(ValueIn<uptr>(p), uptr(done));
  if (number == kCopy)
    MarkRead(ValueIn<uptr>(p + 8), uptr(done));
  else if (number == kMove)
    MayRead(ValueIn<uptr>(p + 8), uptr(done));
}
void Effects::Request(u32 number, uptr p) const {
  constexpr u32 kInterfaces = 0x8912;  // SIOCGIFCONF
  constexpr u32 kExtents = 0xc020660b; // FS_IOC_FIEMAP
  constexpr uptr kExtentBytes = 56;    // fiemap_extent
  const RequestBytes bytes = BytesOfRequest(number);
  Read(p, bytes.read);
  Write(p, bytes.written);
  if (number == kInterfaces && succeeded_) // a length and an address
    Write(ValueIn<uptr>(p + 8), ValueIn<u32>(p));
  if (number == kExtents && succeeded_ && ValueIn<u32>(p + 24)) // how many fit
    Write(p + 32, ValueIn<u32>(p + 20) * kExtentBytes);
  FillPages(number, p);
}

} // namespace pagetide::calls

//===- tabled.cpp - Interceptors that tabled.def describes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/tabled.h"
#include "interceptors/in_flight.h"
#include "interceptors/io.h"
#include "interceptors/libc_sizes.h"
#include "interceptors/requests.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"

#include <sys/syscall.h>

using namespace pagetide;

/// Hundreds of functions share these: they are not expanded in each.
#define PAGETIDE_ONCE_ONLY __attribute__((noinline))

namespace {

/// The memory that initstate and setstate have given to libc's generator.
struct RandomMemory {
  uptr begin, bytes;
};
RandomMemory random_memory;

constexpr uptr kLongestMessage = uptr{1} << 24; ///< of a queue of System V
constexpr uptr kMaxPieces = 1024;               ///< UIO_MAXIOV
constexpr uptr kMaxPolled = uptr{1} << 20;      ///< fs.nr_open

/// What a call has done, in the words of tabled.def.
class Effects {
public:
  explicit Effects(bool succeeded) : succeeded_(succeeded) {}

  PAGETIDE_ONCE_ONLY void Read(uptr p, uptr bytes) const {
    DidRead((const void *)p, bytes, succeeded_);
  }
  PAGETIDE_ONCE_ONLY void Write(uptr p, uptr bytes) const {
    DidWrite((void *)p, bytes, succeeded_);
  }
  PAGETIDE_ONCE_ONLY void Put(uptr p, uptr bytes) const {
    succeeded_ ? Write(p, bytes) : MayWrite(p, bytes);
  }
  PAGETIDE_ONCE_ONLY void Change(uptr p, uptr bytes) const {
    Read(p, bytes);
    Put(p, bytes);
  }
  PAGETIDE_ONCE_ONLY void MayRead(uptr p, uptr bytes) const {
    if (p)
      MarkMayRead(p, bytes);
  }
  PAGETIDE_ONCE_ONLY void MayWrite(uptr p, uptr bytes) const {
    if (p)
      MarkMayWrite(p, bytes);
  }
  PAGETIDE_ONCE_ONLY void MayChange(uptr p, uptr bytes) const {
    MayRead(p, bytes);
    MayWrite(p, bytes);
  }
  PAGETIDE_ONCE_ONLY void ReadString(uptr p) const {
    succeeded_ ? DidReadString((const char *)p) : MayReadString(p);
  }
  PAGETIDE_ONCE_ONLY void MayReadString(uptr p) const {
    MayHaveReadString((const char *)p, false);
  }
  /// The name of a variable. libc looks at what follows later, if ever.
  void ReadVariable(uptr p) const {
    const auto *s = (const char *)p;
    if (!succeeded_)
      return MayReadString(p);
    uptr n = 0;
    while (s[n] && s[n] != '=')
      ++n;
    Read(p, n + 1);
  }
  PAGETIDE_ONCE_ONLY void WriteString(uptr p) const {
    if (succeeded_)
      DidWriteString((const char *)p);
  }
  PAGETIDE_ONCE_ONLY void ReadWide(uptr p) const {
    succeeded_ ? DidReadString((const wchar_t *)p)
               : MayHaveReadString((const wchar_t *)p, false);
  }
  /// The second path of a call, which it may have refused for the first one.
  void ReadOther(uptr p) const { ReadString(p); }
  PAGETIDE_ONCE_ONLY void ReadPath(uptr p) const {
    if (p)
      DidReadPath((const char *)p, !succeeded_);
  }
  /// A string with room; if it does not fit, as may.
  PAGETIDE_ONCE_ONLY void WriteName(uptr p, uptr room) const {
    WriteString(p);
    if (!succeeded_)
      MayWrite(p, room);
  }
  /// A buffer with a result of `bytes`; if it does not fit, as may.
  PAGETIDE_ONCE_ONLY void Fill(uptr p, uptr bytes, uptr room) const {
    if (!p || !room)
      return;
    if (succeeded_ && bytes <= room)
      MarkWrite(p, bytes);
    else
      MarkMayWrite(p, room);
  }

  //===- Character sets ---------------------------------------------------===//

  PAGETIDE_ONCE_ONLY void UseState(uptr p) const { DidUseState((void *)p); }
  PAGETIDE_ONCE_ONLY void ConvertOne(uptr to, uptr size, uptr s, uptr n,
                                     sptr used) const {
    DidConvertOne((void *)to, size, (const void *)s, n, used);
  }

  //===- Strings ----------------------------------------------------------===//

  void MayReadList(uptr p) const {
    const auto *s = (const char *const *)p;
    for (; *s; ++s) {
      MayRead((uptr)s, 8);
      MayReadString((uptr)*s);
    }
    MayRead((uptr)s, 8);
  }
  /// getsubopt replaces the comma behind an option.
  PAGETIDE_ONCE_ONLY void MayChangeOption(uptr p) const {
    const uptr rest = ValueAt((const uptr *)p);
    if (!rest)
      return;
    MayHaveReadString((const char *)rest, false);
    constexpr uptr kLongest = 4096; // what was before `rest` is not known
    const uptr begin = rest & ~(kLongest - 1);
    MayChange(begin, rest - begin + 1);
  }
  void MayChangeName(uptr p) const {
    if (p)
      MayWrite(p, Length((const char *)p) + 1);
  }
  /// A vector of strings, which libc has extended or changed.
  PAGETIDE_ONCE_ONLY void Vector(uptr vector, uptr bytes) const {
    MayChange(ValueAt((const uptr *)vector), ValueAt((const uptr *)bytes));
  }

  /// A stream on a buffer, which is made empty, or at whose end it begins.
  PAGETIDE_ONCE_ONLY void OpenBuffer(uptr p, uptr bytes, uptr mode) const {
    if (!p || !succeeded_)
      return;
    const char *const letters = (const char *)mode;
    if (*letters == 'a')
      MarkRead(p, LengthWithEnd((const char *)p, bytes));
    else if (*letters == 'w' && letters[1] == '+' && bytes)
      MarkWrite(p, 1);
  }
  /// Names that dn_comp has seen before, and a place for the next one.
  void MayChangeNames(uptr names, uptr end) const {
    if (names && end > names)
      MayChange(names, end - names);
  }
  PAGETIDE_ONCE_ONLY void Words(uptr p) const {
    const uptr count = ValueAt((const uptr *)p);
    const auto *words = (char *const *)ValueAt((const uptr *)p + 1);
    const uptr empty = ValueAt((const uptr *)p + 2);
    if (!succeeded_ || !words)
      return;
    MayWrite((uptr)words, (empty + count + 1) * sizeof(*words));
    MarkWrite((uptr)(words + empty), count * sizeof(*words));
    for (uptr i = 0; i < count; ++i)
      WriteString((uptr)words[empty + i]);
  }

  //===- Random numbers ---------------------------------------------------===//

  void SetRandomState(uptr p, uptr bytes) const {
    UseRandomState(); // the former one is written too
    random_memory = {p, bytes};
  }
  PAGETIDE_ONCE_ONLY void UseRandomState() const {
    MayChange(random_memory.begin, random_memory.bytes);
  }
  /// random_data begins with pointers into the state.
  PAGETIDE_ONCE_ONLY void RandomState(uptr data) const {
    constexpr uptr kStateAt = 16, kMaxBytes = 63 * 4;
    MayChange(ValueAt((const uptr *)(data + kStateAt)) - 4, kMaxBytes + 4);
  }

  //===- Lists ------------------------------------------------------------===//

  PAGETIDE_ONCE_ONLY void Link(uptr element, uptr before) const {
    MarkWrite(element, 16);
    if (!before)
      return;
    Change(before, 8);
    if (const uptr after = ValueAt((const uptr *)element))
      MarkWrite(after + 8, 8);
  }
  PAGETIDE_ONCE_ONLY void Unlink(uptr element) const {
    MarkRead(element, 16);
    if (const uptr after = ValueAt((const uptr *)element))
      MarkWrite(after + 8, 8);
    if (const uptr before = ValueAt((const uptr *)(element + 8)))
      MarkWrite(before, 8);
  }

  /// A node of a tree, whose first word is the key. The key is written if the
  /// node is new.
  PAGETIDE_ONCE_ONLY void Inserted(sptr node, uptr key) const {
    if (node && ValueAt((const uptr *)node) == key)
      MayWrite((uptr)node, 8);
  }

  //===- Time -------------------------------------------------------------===//

  /// A time that libc brings into its ranges. -1 is a time too.
  PAGETIDE_ONCE_ONLY void Normalized(uptr p, long result) const {
    Read(p, kTmBytes);
    result == -1 ? MayWrite(p, kTmBytes) : Write(p, kTmBytes);
  }
  /// The kernel does not look at the path if no time is to be set.
  PAGETIDE_ONCE_ONLY void SetTimes(uptr path, uptr times) const {
    constexpr sptr kOmit = 0x3ffffffe; // UTIME_OMIT
    Read(times, 32);
    const bool omitted = succeeded_ && times &&
                         ValueAt((const sptr *)times + 1) == kOmit &&
                         ValueAt((const sptr *)times + 3) == kOmit;
    if (!omitted)
      ReadPath(path);
  }

  //===- Entries ----------------------------------------------------------===//

  /// libc reads line after line into the caller's room.
  PAGETIDE_ONCE_ONLY void Found(uptr entry, uptr bytes, uptr room,
                                uptr room_bytes, uptr found) const {
    MayWrite(found, 8);
    MayChange(entry, bytes);
    MayChange(room, room_bytes);
    if (!succeeded_)
      return;
    Write(found, 8);
    if (ValueAt((const uptr *)found))
      Write(entry, bytes);
  }
  /// A hostent in libc's memory, and its strings and addresses.
  PAGETIDE_ONCE_ONLY void Host(uptr p) const {
    if (!succeeded_)
      return;
    struct {
      const char *name;
      const char **aliases;
      int family, address_bytes;
      const char **addresses;
    } entry = {};
    if (!CopyFromProgram(&entry, (const void *)p, sizeof(entry)))
      return;
    Write(p, sizeof(entry));
    DidWriteString(entry.name);
    const char **at = entry.aliases;
    for (; *at; ++at)
      DidWriteString(*at);
    MarkWrite((uptr)entry.aliases, (uptr)(at + 1) - (uptr)entry.aliases);
    at = entry.addresses;
    for (; *at; ++at)
      MarkWrite((uptr)*at, (uptr)entry.address_bytes);
    MarkWrite((uptr)entry.addresses, (uptr)(at + 1) - (uptr)entry.addresses);
  }
  PAGETIDE_ONCE_ONLY void Groups(uptr groups, uptr count) const {
    Change(count, 4);
    const int n = ValueAt((const int *)count);
    if (n > 0)
      MayWrite(groups, (uptr)n * 4);
  }
  PAGETIDE_ONCE_ONLY void Entry(uptr entry, uptr found) const {
    constexpr uptr kBytesAt = 16; // of a dirent: its length
    Write(found, 8);
    if (succeeded_ && ValueAt((const uptr *)found))
      Write(entry, ValueAt((const u16 *)(entry + kBytesAt)));
  }

  /// Offsets of files, which the kernel stores if it has moved anything.
  PAGETIDE_ONCE_ONLY void MoveOffsets(uptr from, uptr to, sptr result) const {
    if (result <= 0)
      return;
    Write(from, 8);
    Write(to, 8);
  }

  //===- Sockets, and waiting for descriptors -----------------------------===//

  /// A result whose full length, which may exceed the room, the kernel tells.
  void Sized(uptr p, uptr length) const {
    if (!p)
      return;
    Change(length, 4);
    if (succeeded_)
      MayWrite(p, ValueAt((const u32 *)length));
  }
  /// The header of a message, and what it leads to.
  void Message(uptr p, sptr done, bool received) const {
    struct Header { // msghdr
      uptr name;
      u32 name_bytes;
      const iovec *pieces;
      uptr piece_count;
      uptr control, control_bytes;
      int flags;
    };
    constexpr uptr kNameBytesAt = 8, kControlBytesAt = 40;
    const auto header = ValueAt((const Header *)p);
    const uptr name_bytes = Min(uptr{header.name_bytes}, kMaxAddressBytes);
    Read(p, sizeof(header));
    if (!received) {
      Passed((uptr)header.pieces, header.piece_count, done);
      Read(header.name, name_bytes);
      Read(header.control, Min(header.control_bytes, kMaxControlBytes));
      return;
    }
    Copied((uptr)header.pieces, header.piece_count, done);
    if (!succeeded_ && errno != EFAULT)
      return;
    MayWrite(header.name, name_bytes);
    MayWrite(header.control, Min(header.control_bytes, kMaxControlBytes));
    if (header.name)
      Put(p + kNameBytesAt, sizeof(header.name_bytes));
    Put(p + kControlBytesAt, sizeof(header.control_bytes) + sizeof(int));
  }
  /// Several of them, of which the call has dealt with `done`.
  void Messages(uptr p, uptr n, sptr done, bool received) const {
    constexpr uptr kBytes = 64, kDoneAt = 56; // of a mmsghdr
    for (sptr i = 0; i < done; ++i, p += kBytes) {
      Message(p, ValueAt((const u32 *)(p + kDoneAt)), received);
      Write(p + kDoneAt, sizeof(u32));
    }
    // It has perhaps looked at the one at which it stopped.
    if (done < (sptr)n)
      Effects(false).Message(p, -1, received);
  }
  /// The bytes of pieces that a call has filled, or has read.
  void Copied(uptr pieces, uptr n, sptr done) const {
    Pieces((const iovec *)pieces, (sptr)n).MarkInputDone(done);
  }
  void Passed(uptr pieces, uptr n, sptr done) const {
    MarkOutputPieces((const iovec *)pieces, (sptr)n, done);
  }
  /// The kernel reads the remote vector if the local one is not empty.
  void ReadRemote(uptr pieces, uptr n, sptr done) const {
    DidRead((const void *)pieces, Min(n, kMaxPieces) * sizeof(iovec), done > 0);
  }
  /// The kernel writes a result into each entry.
  void Polled(uptr p, uptr n) const {
    constexpr uptr kBytes = 8, kFoundAt = 6; // of a pollfd
    Read(p, Min(n, kMaxPolled) * kBytes);
    if (p && n)
      Put(p + kFoundAt, Min(n, kMaxPolled) * kBytes - kFoundAt);
  }
  /// Sets of descriptors, and the time that was left, also after a failure.
  void Selected(uptr n, uptr in, uptr out, uptr special, uptr timeout) const {
    const uptr bytes = int(n) > 0 ? (Min(n, kMaxPolled) + 63) / 64 * 8 : 0;
    Change(in, bytes), Change(out, bytes), Change(special, bytes);
    Change(timeout, 16);
  }
  /// A handle of a file, behind its length and kind.
  void Handle(uptr p) const {
    MayChange(p, 8);
    if (succeeded_)
      Write(p, 8 + ValueAt((const u32 *)p));
  }

  //===- Commands ---------------------------------------------------------===//

  PAGETIDE_ONCE_ONLY void Descriptor(int command, uptr p) const {
    constexpr int kGetLock = 5, kSetLock = 6, kSetLockWait = 7, kSetOwner = 15,
                  kGetOwner = 16, kOwnerIds = 17, kGetLockOfFile = 36,
                  kSetLockOfFile = 37, kSetLockOfFileWait = 38,
                  kFirstHint = 1035, kLastHint = 1038;
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
  void Semaphores(int id, int command, uptr p) const;
  void MessageQueue(int command, uptr p) const {
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
  void Request(u32 number, uptr p) const {
    constexpr u32 kInterfaces = 0x8912; // SIOCGIFCONF
    const RequestBytes bytes = BytesOfRequest(number);
    Read(p, bytes.read);
    Write(p, bytes.written);
    if (number == kInterfaces && succeeded_) // a length and an address
      Write(ValueAt((const uptr *)p + 1), ValueAt((const u32 *)p));
  }
  void SharedMemory(int command, uptr p) const {
    constexpr int kSet = 1, kStat = 2, kLimits = 3, kStatNumber = 13,
                  kInfo = 14, kStatAny = 15;
    constexpr uptr kBytes = 112, kLimitBytes = 72, kInfoBytes = 48;
    if (command == kStat || command == kStatNumber || command == kStatAny)
      Write(p, kBytes);
    else if (command == kLimits || command == kInfo)
      Write(p, command == kInfo ? kInfoBytes : kLimitBytes);
    else if (command == kSet)
      Read(p, kBytes);
  }
  void Loaded(int request, uptr p) const {
    constexpr int kSearchPath = 4, kSearchPathSize = 5, kOrigin = 6;
    if (request == kOrigin)
      WriteString(p);
    else if (request == kSearchPath)
      MayChange(p, ValueAt((const uptr *)p));
    else
      Write(p, request == kSearchPathSize ? 16 : 8);
  }

private:
  bool succeeded_;
};

} // namespace

#define PAGETIDE_TABLED(first, first_argument, type, name, when, effects)      \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK first uptr a, uptr b,       \
                       uptr c, uptr d, uptr e, uptr f, uptr g, uptr h) {       \
    OnInterceptedCall();                                                       \
    type result =                                                              \
        RESOLVED(name)(PAGETIDE_UNPACK first_argument a, b, c, d, e, f, g, h); \
    if (!ShadowReady())                                                        \
      return result;                                                           \
    struct Call : Effects {                                                    \
      using Effects::Effects;                                                  \
      void Mark([[maybe_unused]] const type &result, [[maybe_unused]] uptr a,  \
                [[maybe_unused]] uptr b, [[maybe_unused]] uptr c,              \
                [[maybe_unused]] uptr d, [[maybe_unused]] uptr e,              \
                [[maybe_unused]] uptr f, [[maybe_unused]] uptr g,              \
                [[maybe_unused]] uptr h) const {                               \
        effects;                                                               \
      }                                                                        \
    };                                                                         \
    Call(Succeeded(result, When::k_##when))                                    \
        .Mark(result, a, b, c, d, e, f, g, h);                                 \
    return result;                                                             \
  }

namespace {
enum class When { k_always, k_zero, k_counted, k_some };
template <typename T> bool Succeeded(const T &result, When when) {
  const auto value = (sptr)result;
  return when == When::k_always || (when == When::k_zero      ? !value
                                    : when == When::k_counted ? value >= 0
                                                              : value != 0);
}
} // namespace

#define TABLED(type, name, when, effects)                                      \
  PAGETIDE_TABLED((), (), type, name, when, effects)
#define TABLED_REAL(real, type, name, when, effects)                           \
  PAGETIDE_TABLED((real x, ), (x, ), type, name, when, effects)
#include "interceptors/tabled.def"

/// What a call has done; 0 if it has failed.
static uptr Done(sptr result) { return result < 0 ? 0 : (uptr)result; }

namespace pagetide {
bool DidRawCall(long number, long result, const u64 (&arguments)[6]) {
  switch (number) {
#define RAW(name, when, effects)                                               \
  case SYS_##name: {                                                           \
    struct Call : Effects {                                                    \
      using Effects::Effects;                                                  \
      void Mark([[maybe_unused]] sptr result, [[maybe_unused]] uptr a,         \
                [[maybe_unused]] uptr b, [[maybe_unused]] uptr c,              \
                [[maybe_unused]] uptr d, [[maybe_unused]] uptr e,              \
                [[maybe_unused]] uptr f) const {                               \
        effects;                                                               \
      }                                                                        \
    };                                                                         \
    Call(Succeeded(result, When::k_##when))                                    \
        .Mark(result, arguments[0], arguments[1], arguments[2], arguments[3],  \
              arguments[4], arguments[5]);                                     \
    return true;                                                               \
  }
#include "interceptors/raw_numbers.def"
  default:
    return false;
  }
}
} // namespace pagetide

/// The number of semaphores decides how much GETALL writes.
void Effects::Semaphores(int id, int command, uptr p) const {
  constexpr int kSet = 1, kStat = 2, kInfo = 3, kGetAll = 13, kSetAll = 17,
                kStatNumber = 18, kSetInfo = 19, kStatAny = 20;
  constexpr uptr kBytes = 104, kInfoBytes = 40, kCountAt = 80;
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
  case kSetAll: {
    alignas(8) u8 set[kBytes];
    if (REAL(semctl)((uptr)id, 0, kStat, (uptr)set, 0, 0, 0, 0) < 0)
      return;
    const uptr bytes = *(const u64 *)(set + kCountAt) * 2;
    return command == kGetAll ? Write(p, bytes) : Read(p, bytes);
  }
  default:
    return;
  }
}

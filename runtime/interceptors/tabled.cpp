//===- tabled.cpp - Interceptors that tabled.def describes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/call_effects.h"
#include "interceptors/child_environment.h"
#include "interceptors/in_flight.h"
#include "interceptors/libc_sizes.h"
#include "interceptors/path_errors.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"

#include <sys/syscall.h>

using namespace pagetide;
using calls::kLongestMessage;
using calls::Least;

/// Hundreds of functions share these: they are not expanded in each.
#define PAGETIDE_ONCE_ONLY __attribute__((noinline))

namespace {

/// The memory that initstate and setstate have given to libc's generator.
struct RandomMemory {
  uptr begin, bytes;
};
RandomMemory random_memory;

/// What a call has done, in the words of tabled.def.
class Effects : public calls::Effects {
public:
  using calls::Effects::Effects;

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
  /// A string with room; if it does not fit, as may.
  PAGETIDE_ONCE_ONLY void WriteName(uptr p, uptr room) const {
    WriteString(p);
    if (!succeeded_)
      MayWrite(p, room);
  }
  /// The same of a string that has no end if the room is full.
  PAGETIDE_ONCE_ONLY void Name(uptr p, uptr room) const {
    if (succeeded_)
      MarkWrite(p, LengthWithEnd((const char *)p, room));
    else
      MayWrite(p, room);
  }
  /// A pattern, whose last X's before the suffix libc overwrites.
  PAGETIDE_ONCE_ONLY void MakeName(uptr p, uptr suffix) const {
    constexpr uptr kMade = 6;
    if (sptr(suffix) < 0)
      return; // it is refused, whatever the pattern is
    const uptr n = Length((const char *)p);
    MarkRead(p, n + 1);
    if (n >= kMade + suffix)
      MarkWrite(p + n - suffix - kMade, kMade);
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

  PAGETIDE_ONCE_ONLY void Duplicate(uptr s, uptr most, uptr copy) const {
    if (!copy)
      return;
    const uptr n = Length((const char *)copy);
    MarkRead(s, n < most ? n + 1 : n);
    MarkWrite(copy, n + 1);
  }
  PAGETIDE_ONCE_ONLY void DuplicateWide(uptr s, uptr copy) const {
    ReadWide(s);
    DidWriteString((const wchar_t *)copy);
  }
  /// As far as the character found; all of a string without it.
  PAGETIDE_ONCE_ONLY void ReadTo(uptr s, uptr found) const {
    found ? Read(s, found - s + sizeof(wchar_t)) : ReadWide(s);
  }
  PAGETIDE_ONCE_ONLY void FindAny(uptr s, uptr set, uptr found) const {
    DidFindAny((const wchar_t *)s, (const wchar_t *)set,
               (const wchar_t *)found);
  }
  PAGETIDE_ONCE_ONLY void Span(uptr s, uptr set, uptr n, bool whole) const {
    DidSpan((const wchar_t *)s, (const wchar_t *)set, n, whole);
  }
  void MayReadList(uptr p) const { DidReadStrings((Strings)p, false); }
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
  /// libc compares the name with those that it finds: with none if there are
  /// none.
  PAGETIDE_ONCE_ONLY void FoundBy(uptr name, uptr entry, uptr bytes, uptr room,
                                  uptr room_bytes, uptr found) const {
    Found(entry, bytes, room, room_bytes, found);
    const bool is_there = succeeded_ && ValueAt((const uptr *)found) != 0;
    is_there ? ReadString(name) : MayReadString(name);
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

  void Loaded(int request, uptr p) const {
    constexpr int kSearchPath = 4, kSearchPathSize = 5, kOrigin = 6;
    if (request == kOrigin)
      WriteString(p);
    else if (request == kSearchPath)
      MayChange(p, ValueAt((const uptr *)p));
    else
      Write(p, request == kSearchPathSize ? 16 : 8);
  }
};

/// The bytes of so many events of epoll.
uptr Events(uptr n) { return (int)n > 0 ? (u32)n * uptr{12} : 0; }

/// What select writes at its end: sets, and a time.
CallWrites Sets(uptr n, uptr in, uptr out, uptr special, uptr time) {
  return WrittenWhileWaiting(SYS_pselect6, {(u32)n, in, out, special, time});
}

/// What a call that waits writes at its end.
CallWrites ResultsOf(const CallWrites &writes) { return writes; }
CallWrites ResultsOf(uptr p, uptr bytes, uptr q = 0, uptr q_bytes = 0) {
  return {{q, q ? q_bytes : 0}, {p, p ? bytes : 0}};
}

} // namespace

#define PAGETIDE_TABLED(first, first_argument, before, type, name, when,       \
                        effects)                                               \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK first uptr a, uptr b,       \
                       uptr c, uptr d, uptr e, uptr f, uptr g, uptr h) {       \
    OnInterceptedCall();                                                       \
    before;                                                                    \
    type result =                                                              \
        RESOLVED(name)(PAGETIDE_UNPACK first_argument a, b, c, d, e, f, g, h); \
    if (!ShadowReady())                                                        \
      return result;                                                           \
    struct Call : Effects {                                                    \
      using Effects::Effects;                                                  \
      void operator()([[maybe_unused]] const type &result,                     \
                      [[maybe_unused]] uptr a, [[maybe_unused]] uptr b,        \
                      [[maybe_unused]] uptr c, [[maybe_unused]] uptr d,        \
                      [[maybe_unused]] uptr e, [[maybe_unused]] uptr f,        \
                      [[maybe_unused]] uptr g,                                 \
                      [[maybe_unused]] uptr h) const {                         \
        effects;                                                               \
      }                                                                        \
    };                                                                         \
    const Call mark(calls::Succeeded((sptr)result, calls::When::k_##when));    \
    mark(result, a, b, c, d, e, f, g, h);                                      \
    return result;                                                             \
  }

// A macro is not expanded within itself: each scan makes the row of one name
// and leaves the rest to the next. There are 16 scans and more.
#define PAGETIDE_SCAN(...) PAGETIDE_SCAN_8(PAGETIDE_SCAN_8(__VA_ARGS__))
#define PAGETIDE_SCAN_8(...) PAGETIDE_SCAN_4(PAGETIDE_SCAN_4(__VA_ARGS__))
#define PAGETIDE_SCAN_4(...) PAGETIDE_SCAN_2(PAGETIDE_SCAN_2(__VA_ARGS__))
#define PAGETIDE_SCAN_2(...) PAGETIDE_SCAN_1(PAGETIDE_SCAN_1(__VA_ARGS__))
#define PAGETIDE_SCAN_1(...) __VA_ARGS__
#define PAGETIDE_ROWS(first, first_argument, before, type, when, effects,      \
                      name, ...)                                               \
  PAGETIDE_TABLED(first, first_argument, before, type, name, when, effects)    \
  __VA_OPT__(PAGETIDE_MORE_ROWS PAGETIDE_NOTHING()()(                          \
      first, first_argument, before, type, when, effects, __VA_ARGS__))
#define PAGETIDE_NOTHING()
#define PAGETIDE_MORE_ROWS() PAGETIDE_ROWS
#define PAGETIDE_ALL_ROWS(...) PAGETIDE_SCAN(PAGETIDE_ROWS(__VA_ARGS__))

#define TABLED(type, name, when, effects)                                      \
  PAGETIDE_TABLED((), (), , type, name, when, effects)
#define TABLED_EACH(type, names, when, effects)                                \
  PAGETIDE_ALL_ROWS((), (), , type, when, effects, PAGETIDE_UNPACK names)
#define TABLED_REAL(real, type, name, when, effects)                           \
  TABLED_REAL_EACH(real, type, (name), when, effects)
#define TABLED_REAL_EACH(real, type, names, when, effects)                     \
  PAGETIDE_ALL_ROWS((real x, ), (x, ), , type, when, effects,                  \
                    PAGETIDE_UNPACK names)
#define TABLED_WAITS(written, type, name, when, effects)                       \
  TABLED_WAITS_EACH(written, type, (name), when, effects)
#define TABLED_WAITS_EACH(written, type, names, when, effects)                 \
  PAGETIDE_ALL_ROWS((), (), InFlight in_flight(ResultsOf written), type, when, \
                    effects, PAGETIDE_UNPACK names)
#define TABLED_CALL TABLED
#include "interceptors/raw_numbers.def"

#include "interceptors/tabled.def"

//===- stdio.cpp - Streams and formats ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libc's streams read and write of the program's own memory, marked at
// return. A stream's buffer is libc's and not marked, be it one that the program
// has lent by setvbuf or fmemopen.
//
// Formats are read as glibc reads them: numbered arguments, %n, wide strings and
// precisions included. Conversions that a program registers itself end the
// reading: what their arguments point to is not marked.
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "platform/locks.h"
#include "platform/own_memory.h"
#include "shadow/marking.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"

#include <stdarg.h>

using namespace pagetide;

DECLARE_REAL(SIZE_T, wcslen, const wchar_t *s)
extern "C" int ferror(void *stream) noexcept;
extern "C" int feof(void *stream) noexcept;

//===- Formats ------------------------------------------------------------===//

namespace {

/// What one conversion says, of printf or scanf.
struct Conversion {
  char letter;     ///< 0: the format has ended, or is none that we know
  int position;    ///< of its argument, from 1; 0: the next one
  bool star_width; ///< printf: the width is an argument; scanf: suppressed
  int width_position;
  int width; ///< scanf: 0: none
  bool star_precision;
  int precision_position;
  int precision;  ///< -1: none
  bool allocates; ///< scanf's m
  /// Letters of the length modifier: "hh" is 'H', "ll" and its synonyms 'q'.
  char modifier;
  /// Text stands between this conversion and the one before.
  bool after_text;
};

/// Walks over a format's conversions. Char is char or wchar_t.
template <typename Char> class FormatReader {
public:
  explicit FormatReader(const Char *format) : p_(format) {}

  /// `gnu_a`: %as allocates, as before C99.
  Conversion NextOfScanf(bool gnu_a) {
    Conversion c = Begin();
    if (Failed(c))
      return c;
    c.star_width = Skip('*');
    c.width = Number();
    c.allocates = Skip('m');
    Modifier(c);
    c.letter = Letter();
    if (gnu_a && c.letter == 'a' && !c.modifier &&
        (*p_ == 's' || *p_ == 'S' || *p_ == '[')) {
      c.allocates = true;
      c.letter = Letter();
    }
    if (c.letter == '[') {
      Skip('^');
      Skip(']');
      while (*p_ && *p_ != ']')
        ++p_;
      if (!Skip(']'))
        c.letter = 0;
    }
    return c;
  }

  Conversion NextOfPrintf() {
    Conversion c = Begin();
    if (Failed(c))
      return c;
    while (IsOneOf(*p_, "-+ #0'I"))
      ++p_;
    c.star_width = Skip('*');
    if (c.star_width)
      c.width_position = Position();
    else
      Number();
    if (Skip('.')) {
      c.star_precision = Skip('*');
      if (c.star_precision)
        c.precision_position = Position();
      else
        c.precision = Skip('-') ? (Number(), -1) : Number();
    }
    Modifier(c);
    c.letter = Letter();
    return c;
  }

private:
  static bool IsOneOf(Char c, const char *set) {
    for (; *set; ++set)
      if (c == (Char)*set)
        return true;
    return false;
  }
  bool Skip(char c) {
    if (*p_ != (Char)c)
      return false;
    ++p_;
    return true;
  }
  int Number() {
    int n = 0;
    for (; *p_ >= '0' && *p_ <= '9'; ++p_)
      n = n > 100000000 ? n : n * 10 + (int)(*p_ - '0');
    return n;
  }
  /// "3$": 3; where there is none, 0.
  int Position() {
    const Char *from = p_;
    int n = Number();
    if (n && Skip('$'))
      return n;
    p_ = from;
    return 0;
  }
  static bool Failed(const Conversion &c) { return c.position < 0; }
  /// Goes to the next conversion and reads its position.
  Conversion Begin() {
    Conversion c = {};
    c.precision = -1;
    for (;; ++p_) {
      if (!*p_) {
        c.position = -1;
        return c;
      }
      if (*p_ == '%') {
        ++p_;
        if (*p_ != '%')
          break;
      }
      // Blanks match blanks, and none.
      c.after_text |= !IsOneOf(*p_, " \t\n\v\f\r");
    }
    c.position = Position();
    return c;
  }
  void Modifier(Conversion &c) {
    if (!IsOneOf(*p_, "hlqLjzZt"))
      return;
    c.modifier = (char)*p_++;
    if (c.modifier == 'h' && Skip('h'))
      c.modifier = 'H';
    else if (c.modifier == 'l' && Skip('l'))
      c.modifier = 'q';
  }
  char Letter() {
    if (!*p_ || *p_ > 'z')
      return 0;
    return (char)*p_++;
  }
  const Char *p_;
};

/// Bytes of an integer that %n and scanf's integers store.
uptr IntegerBytes(char modifier) {
  switch (modifier) {
  case 'H':
    return 1;
  case 'h':
    return 2;
  case 0:
    return 4;
  default:
    return 8;
  }
}

enum class Kind : u8 { kWord, kReal, kLongReal };

/// A call's arguments, in any order where the format numbers them.
class Arguments {
public:
  explicit Arguments(va_list list) { va_copy(list_, list); }
  ~Arguments() { va_end(list_); }
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  /// Notes an argument's kind; false where its number is too high for us.
  bool Declare(int position, Kind kind) {
    if (position > kMost)
      return false;
    kinds_[position - 1] = kind;
    count_ = position > count_ ? position : count_;
    return true;
  }
  /// Reads all that were declared.
  void ReadDeclared() {
    for (int i = 0; i < count_; ++i)
      values_[i] = Next(kinds_[i]);
  }
  u64 Get(int position, Kind kind) {
    return position ? values_[position - 1] : Next(kind);
  }

private:
  u64 Next(Kind kind) {
    switch (kind) {
    case Kind::kWord:
      return va_arg(list_, u64);
    case Kind::kReal: // NOLINT(bugprone-branch-clone): other types
      va_arg(list_, double);
      break;
    case Kind::kLongReal:
      va_arg(list_, long double);
      break;
    }
    return 0;
  }
  static constexpr int kMost = 64;
  va_list list_;
  int count_ = 0;
  Kind kinds_[kMost] = {};
  u64 values_[kMost];
};

} // namespace

static void DidReadFormat(const char *format) { DidReadString(format); }
static void DidReadWideString(const wchar_t *s) {
  if (ShadowReady())
    MarkRead((uptr)s, (RESOLVED(wcslen)(s) + 1) * 4);
}
static void DidReadFormat(const wchar_t *format) { DidReadWideString(format); }
static void DidWriteWideString(const wchar_t *s) {
  if (ShadowReady())
    MarkWrite((uptr)s, (RESOLVED(wcslen)(s) + 1) * 4);
}

template <typename Char> static uptr LengthUpTo(const Char *s, uptr most) {
  uptr n = 0;
  while (n < most && s[n])
    ++n;
  return n < most ? n + 1 : n;
}

/// Marks the string of a %s, as far as printf reads it. Char is that of the
/// output.
template <typename Char>
static void DidPrintString(u64 address, bool wide, int precision) {
  if (!address) // "(null)"
    return;
  const uptr most = precision < 0 ? kNoBound : (uptr)precision;
  if (wide) {
    const wchar_t *s = (const wchar_t *)address;
    uptr n = LengthUpTo(s, most) * 4;
    if (precision < 0 || sizeof(Char) == 4) {
      DidRead(s, n);
    } else { // it bounds bytes, and a character may have several
      DidRead(s, Min(n, (most + 3) / 4 * 4));
      MayHaveRead(s, n);
    }
    return;
  }
  const char *s = (const char *)address;
  DidRead(s, LengthUpTo(s, most));
  if (precision >= 0 && sizeof(Char) == 4)
    MayHaveRead(s, LengthUpTo(s, most * 6)); // it bounds characters
}

/// Marks what printf has read and written through its arguments.
template <typename Char>
static void DidPrint(const Char *format, va_list list, int result) {
  if (!ShadowReady())
    return;
  DidReadFormat(format);
  Arguments arguments(list);
  auto kind = [](const Conversion &c) {
    char lower = (char)(c.letter | 32);
    if (lower != 'a' && lower != 'e' && lower != 'f' && lower != 'g')
      return Kind::kWord;
    return c.modifier == 'L' || c.modifier == 'q' ? Kind::kLongReal
                                                  : Kind::kReal;
  };
  // Numbered arguments must all be known before any can be had.
  FormatReader<Char> first(format);
  for (;;) {
    Conversion c = first.NextOfPrintf();
    if (!c.letter || !c.position)
      break;
    if (!arguments.Declare(c.position, kind(c)) ||
        (c.width_position &&
         !arguments.Declare(c.width_position, Kind::kWord)) ||
        (c.precision_position &&
         !arguments.Declare(c.precision_position, Kind::kWord)))
      return;
  }
  arguments.ReadDeclared();
  FormatReader<Char> reader(format);
  for (;;) {
    Conversion c = reader.NextOfPrintf();
    if (!c.letter)
      return;
    if (c.star_width)
      arguments.Get(c.width_position, Kind::kWord);
    int precision = c.precision;
    if (c.star_precision)
      precision = (int)arguments.Get(c.precision_position, Kind::kWord);
    switch (c.letter) {
    case 's':
      DidPrintString<Char>(arguments.Get(c.position, Kind::kWord),
                           c.modifier == 'l', precision);
      break;
    case 'S':
      DidPrintString<Char>(arguments.Get(c.position, Kind::kWord), true,
                           precision);
      break;
    case 'n': {
      void *p = (void *)arguments.Get(c.position, Kind::kWord);
      if (result >= 0)
        DidWrite(p, IntegerBytes(c.modifier));
      else
        MayHaveWritten(p, IntegerBytes(c.modifier));
      break;
    }
    case 'm': // errno's text
      break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
    case 'p':
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      arguments.Get(c.position, kind(c));
      break;
    default: // one that we do not know
      return;
    }
  }
}

/// Marks what scanf's conversion has stored. Char is that of the input.
template <typename Char> static void DidStore(const Conversion &c, void *p) {
  bool wide = c.modifier == 'l' || c.letter == 'S' || c.letter == 'C';
  switch (c.letter) {
  case 's':
  case 'S':
  case '[':
  case 'c':
  case 'C': {
    char *text = (char *)p;
    if (c.allocates) {
      DidWrite(p, sizeof(char *));
      text = *(char **)p;
    }
    if ((c.letter | 32) != 'c') {
      if (wide)
        DidWriteWideString((wchar_t *)text);
      else
        DidWriteString(text);
      return;
    }
    // So many, or fewer at the input's end; a character may have several bytes.
    uptr unit = wide ? 4 : 1, most = c.width ? (uptr)c.width : 1;
    DidWrite(text, unit);
    MayHaveWritten(text, most * (!wide && sizeof(Char) == 4 ? 6 : unit));
    return;
  }
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
    DidWrite(p, c.modifier == 'L' || c.modifier == 'q' ? 10
                : c.modifier == 'l'                    ? 8
                                                       : 4);
    return;
  case 'p':
    DidWrite(p, sizeof(void *));
    return;
  default:
    DidWrite(p, IntegerBytes(c.modifier));
  }
}

/// Marks what scanf has stored: its first `stored` conversions did.
template <typename Char>
static void DidScan(const Char *format, va_list list, int stored, bool gnu_a) {
  if (!ShadowReady())
    return;
  DidReadFormat(format);
  Arguments arguments(list);
  FormatReader<Char> first(format);
  for (;;) {
    Conversion c = first.NextOfScanf(gnu_a);
    if (!c.letter || !c.position)
      break;
    for (int i = 1; i <= c.position; ++i)
      if (!arguments.Declare(i, Kind::kWord))
        return;
  }
  arguments.ReadDeclared();
  FormatReader<Char> reader(format);
  bool surely_here = true; // nothing between the last success and here can fail
  for (int left = stored < 0 ? 0 : stored;;) {
    Conversion c = reader.NextOfScanf(gnu_a);
    if (!c.letter)
      return;
    surely_here &= !c.after_text;
    if (c.star_width) { // reads and forgets: may have been the one that failed
      surely_here = false;
      continue;
    }
    void *p = (void *)arguments.Get(c.position, Kind::kWord);
    if (c.letter == 'n') { // is not counted
      if (left || (surely_here && stored > 0))
        DidWrite(p, IntegerBytes(c.modifier));
      else
        MayHaveWritten(p, IntegerBytes(c.modifier));
      continue;
    }
    if (!left) { // it failed
      if (c.allocates)
        MayHaveWritten(p, sizeof(char *));
      return;
    }
    DidStore<Char>(c, p);
    --left;
    surely_here = true;
  }
}

//===- printf -------------------------------------------------------------===//

// A function and its variant with a va_list. The parameters before the format
// come with a comma after each.
#define PAGETIDE_UNPACK(...) __VA_ARGS__
/// The function with `...`, by ours with a va_list.
#define PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)        \
  PAGETIDE_INTERCEPTOR(int, name,                                              \
                       PAGETIDE_UNPACK parameters const Char *format, ...) {   \
    va_list list;                                                              \
    va_start(list, format);                                                    \
    int result = WRAP(list_name)(PAGETIDE_UNPACK arguments format, list);      \
    va_end(list);                                                              \
    return result;                                                             \
  }
#define PAGETIDE_PRINTF(name, list_name, Char, parameters, arguments, before,  \
                        after)                                                 \
  PAGETIDE_INTERCEPTOR(int, list_name,                                         \
                       PAGETIDE_UNPACK parameters const Char *format,          \
                       va_list list) {                                         \
    OnInterceptedCall();                                                       \
    va_list copy;                                                              \
    va_copy(copy, list);                                                       \
    before;                                                                    \
    int result = RESOLVED(list_name)(PAGETIDE_UNPACK arguments format, list);  \
    DidPrint(format, copy, result);                                            \
    va_end(copy);                                                              \
    after;                                                                     \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)

/// Marks a printed string of `result` characters, `room` at most.
template <typename Char>
static void DidPrintTo(Char *s, uptr room, int result) {
  if (!room)
    return;
  if (result >= 0)
    DidWrite(s, Min(room, (uptr)result + 1) * sizeof(Char));
  else
    MayHaveWritten(s, Min(room * sizeof(Char), kUnknownLength));
}
static void DidPrintNew(char **s, int result) {
  if (result < 0)
    return;
  DidWriteAt(s);
  if (ShadowReady())
    MarkWrite((uptr)*s, (uptr)result + 1);
}

PAGETIDE_PRINTF(printf, vprintf, char, (), (), , )
PAGETIDE_PRINTF(fprintf, vfprintf, char, (void *f, ), (f, ), , )
PAGETIDE_PRINTF(dprintf, vdprintf, char, (int fd, ), (fd, ), , )
PAGETIDE_PRINTF(sprintf, vsprintf, char, (char *s, ), (s, ),
                InFlight in_flight(s, kUnknownLength),
                DidPrintTo(s, kNoBound, result))
PAGETIDE_PRINTF(snprintf, vsnprintf, char, (char *s, SIZE_T room, ),
                (s, room, ), InFlight in_flight(s, room),
                DidPrintTo(s, room, result))
PAGETIDE_PRINTF(asprintf, vasprintf, char, (char **s, ), (s, ), ,
                DidPrintNew(s, result))

PAGETIDE_PRINTF(__printf_chk, __vprintf_chk, char, (int flag, ), (flag, ), , )
PAGETIDE_PRINTF(__fprintf_chk, __vfprintf_chk, char, (void *f, int flag, ),
                (f, flag, ), , )
PAGETIDE_PRINTF(__dprintf_chk, __vdprintf_chk, char, (int fd, int flag, ),
                (fd, flag, ), , )
PAGETIDE_PRINTF(__sprintf_chk, __vsprintf_chk, char,
                (char *s, int flag, SIZE_T size, ), (s, flag, size, ),
                InFlight in_flight(s, Min(size, kUnknownLength)),
                DidPrintTo(s, kNoBound, result))
PAGETIDE_PRINTF(__snprintf_chk, __vsnprintf_chk, char,
                (char *s, SIZE_T room, int flag, SIZE_T size, ),
                (s, room, flag, size, ), InFlight in_flight(s, room),
                DidPrintTo(s, room, result))
PAGETIDE_PRINTF(__asprintf_chk, __vasprintf_chk, char, (char **s, int flag, ),
                (s, flag, ), , DidPrintNew(s, result))

PAGETIDE_PRINTF(wprintf, vwprintf, wchar_t, (), (), , )
PAGETIDE_PRINTF(fwprintf, vfwprintf, wchar_t, (void *f, ), (f, ), , )
PAGETIDE_PRINTF(swprintf, vswprintf, wchar_t, (wchar_t * s, SIZE_T room, ),
                (s, room, ), InFlight in_flight(s, room * 4),
                DidPrintTo(s, room, result))
PAGETIDE_PRINTF(__wprintf_chk, __vwprintf_chk, wchar_t, (int flag, ), (flag, ),
                , )
PAGETIDE_PRINTF(__fwprintf_chk, __vfwprintf_chk, wchar_t, (void *f, int flag, ),
                (f, flag, ), , )
PAGETIDE_PRINTF(__swprintf_chk, __vswprintf_chk, wchar_t,
                (wchar_t * s, SIZE_T room, int flag, SIZE_T size, ),
                (s, room, flag, size, ), InFlight in_flight(s, room * 4),
                DidPrintTo(s, room, result))

//===- scanf --------------------------------------------------------------===//

#define PAGETIDE_SCANF(name, list_name, Char, gnu_a, parameters, arguments,    \
                       after)                                                  \
  PAGETIDE_INTERCEPTOR(int, list_name,                                         \
                       PAGETIDE_UNPACK parameters const Char *format,          \
                       va_list list) {                                         \
    OnInterceptedCall();                                                       \
    va_list copy;                                                              \
    va_copy(copy, list);                                                       \
    int stored = RESOLVED(list_name)(PAGETIDE_UNPACK arguments format, list);  \
    DidScan(format, copy, stored, gnu_a);                                      \
    va_end(copy);                                                              \
    after;                                                                     \
    return stored;                                                             \
  }                                                                            \
  PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)

// libc looks for a string's end before it converts any of it.
PAGETIDE_SCANF(scanf, vscanf, char, true, (), (), )
PAGETIDE_SCANF(fscanf, vfscanf, char, true, (void *f, ), (f, ), )
PAGETIDE_SCANF(sscanf, vsscanf, char, true, (const char *s, ), (s, ),
               DidReadString(s))
PAGETIDE_SCANF(__isoc99_scanf, __isoc99_vscanf, char, false, (), (), )
PAGETIDE_SCANF(__isoc99_fscanf, __isoc99_vfscanf, char, false, (void *f, ),
               (f, ), )
PAGETIDE_SCANF(__isoc99_sscanf, __isoc99_vsscanf, char, false,
               (const char *s, ), (s, ), DidReadString(s))
PAGETIDE_SCANF(wscanf, vwscanf, wchar_t, true, (), (), )
PAGETIDE_SCANF(fwscanf, vfwscanf, wchar_t, true, (void *f, ), (f, ), )
PAGETIDE_SCANF(swscanf, vswscanf, wchar_t, true, (const wchar_t *s, ), (s, ),
               DidReadWideString(s))
PAGETIDE_SCANF(__isoc99_wscanf, __isoc99_vwscanf, wchar_t, false, (), (), )
PAGETIDE_SCANF(__isoc99_fwscanf, __isoc99_vfwscanf, wchar_t, false, (void *f, ),
               (f, ), )
PAGETIDE_SCANF(__isoc99_swscanf, __isoc99_vswscanf, wchar_t, false,
               (const wchar_t *s, ), (s, ), DidReadWideString(s))

//===- Blocks and lines ---------------------------------------------------===//

/// What fread moved: whole items, and where it ended early perhaps a part of
/// the next.
static void DidFread(void *p, uptr size, uptr n, uptr done) {
  DidWrite(p, done * size);
  if (done < n)
    MayHaveWritten(p, done * size + size - 1);
}
static uptr Product(uptr a, uptr b) {
  uptr product;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

#define PAGETIDE_FREAD(name, first_parameters, first_arguments)                \
  PAGETIDE_INTERCEPTOR(SIZE_T, name, void *p,                                  \
                       PAGETIDE_UNPACK first_parameters SIZE_T size, SIZE_T n, \
                       void *f) {                                              \
    OnInterceptedCall();                                                       \
    InFlight in_flight(p, Product(size, n));                                   \
    SIZE_T done =                                                              \
        RESOLVED(name)(p, PAGETIDE_UNPACK first_arguments size, n, f);         \
    DidFread(p, size, n, done);                                                \
    return done;                                                               \
  }
PAGETIDE_FREAD(fread, (), ())
PAGETIDE_FREAD(fread_unlocked, (), ())
PAGETIDE_FREAD(__fread_chk, (SIZE_T room, ), (room, ))
PAGETIDE_FREAD(__fread_unlocked_chk, (SIZE_T room, ), (room, ))

static void DidFwrite(const void *p, uptr size, uptr n, uptr done) {
  DidRead(p, done * size);
  if (done < n)
    MayHaveRead(p, Product(size, n));
}
PAGETIDE_INTERCEPTOR(SIZE_T, fwrite, const void *p, SIZE_T size, SIZE_T n,
                     void *f) {
  OnInterceptedCall();
  SIZE_T done = RESOLVED(fwrite)(p, size, n, f);
  DidFwrite(p, size, n, done);
  return done;
}
PAGETIDE_INTERCEPTOR(SIZE_T, fwrite_unlocked, const void *p, SIZE_T size,
                     SIZE_T n, void *f) {
  OnInterceptedCall();
  SIZE_T done = RESOLVED(fwrite_unlocked)(p, size, n, f);
  DidFwrite(p, size, n, done);
  return done;
}

/// Marks a line read by fgets. Where it ends neither with a newline nor with
/// the room, a zero may have been part of it.
static void DidGetLine(char *s, sptr room, bool got, void *f) {
  if (!ShadowReady() || room <= 0)
    return;
  if (got) {
    uptr n = Length(s);
    MarkWrite((uptr)s, n + 1);
    if (n + 1 < (uptr)room && (!n || s[n - 1] != '\n'))
      MarkMayWrite((uptr)s, (uptr)room);
  } else if (ferror(f)) {
    MarkMayWrite((uptr)s, (uptr)room);
  }
}
#define PAGETIDE_FGETS(name, parameters, arguments)                            \
  PAGETIDE_INTERCEPTOR(char *, name, char *s,                                  \
                       PAGETIDE_UNPACK parameters int room, void *f) {         \
    OnInterceptedCall();                                                       \
    InFlight in_flight(s, room > 0 ? (uptr)room : 0);                          \
    char *got = RESOLVED(name)(s, PAGETIDE_UNPACK arguments room, f);          \
    DidGetLine(s, room, got, f);                                               \
    return got;                                                                \
  }
PAGETIDE_FGETS(fgets, (), ())
PAGETIDE_FGETS(fgets_unlocked, (), ())
PAGETIDE_FGETS(__fgets_chk, (SIZE_T size, ), (size, ))
PAGETIDE_FGETS(__fgets_unlocked_chk, (SIZE_T size, ), (size, ))
PAGETIDE_INTERCEPTOR(char *, gets, char *s) {
  OnInterceptedCall();
  char *got = RESOLVED(gets)(s);
  DidWriteString(got);
  return got;
}
PAGETIDE_INTERCEPTOR(char *, __gets_chk, char *s, SIZE_T size) {
  OnInterceptedCall();
  char *got = RESOLVED(__gets_chk)(s, size);
  DidWriteString(got);
  return got;
}

#define PAGETIDE_FGETWS(name, parameters, arguments)                           \
  PAGETIDE_INTERCEPTOR(wchar_t *, name, wchar_t *s,                            \
                       PAGETIDE_UNPACK parameters int room, void *f) {         \
    OnInterceptedCall();                                                       \
    InFlight in_flight(s, room > 0 ? (uptr)room * 4 : 0);                      \
    wchar_t *got = RESOLVED(name)(s, PAGETIDE_UNPACK arguments room, f);       \
    if (got)                                                                   \
      DidWriteWideString(s);                                                   \
    if (got && feof(f))                                                        \
      MayHaveWritten(s, (uptr)room * 4);                                       \
    return got;                                                                \
  }
PAGETIDE_FGETWS(fgetws, (), ())
PAGETIDE_FGETWS(fgetws_unlocked, (), ())
PAGETIDE_FGETWS(__fgetws_chk, (SIZE_T size, ), (size, ))
PAGETIDE_FGETWS(__fgetws_unlocked_chk, (SIZE_T size, ), (size, ))

#define PAGETIDE_PUT_STRING(name, Char, parameters, arguments, read)           \
  PAGETIDE_INTERCEPTOR(int, name, const Char *s PAGETIDE_UNPACK parameters) {  \
    OnInterceptedCall();                                                       \
    int result = RESOLVED(name)(s PAGETIDE_UNPACK arguments);                  \
    read(s);                                                                   \
    return result;                                                             \
  }
PAGETIDE_PUT_STRING(puts, char, (), (), DidReadString)
PAGETIDE_PUT_STRING(fputs, char, (, void *f), (, f), DidReadString)
PAGETIDE_PUT_STRING(fputs_unlocked, char, (, void *f), (, f), DidReadString)
PAGETIDE_PUT_STRING(fputws, wchar_t, (, void *f), (, f), DidReadWideString)
PAGETIDE_PUT_STRING(fputws_unlocked, wchar_t, (, void *f), (, f),
                    DidReadWideString)
PAGETIDE_INTERCEPTOR(void, perror, const char *s) {
  OnInterceptedCall();
  RESOLVED(perror)(s);
  DidReadString(s);
}

/// getdelim keeps the caller's buffer and its size up to date.
template <typename Get>
static SSIZE_T MarkedGetDelim(char **line, SIZE_T *room, Get get) {
  char *line_before = ValueAt(line);
  SIZE_T room_before = ValueAt(room);
  InFlight in_flight(line_before, line_before ? room_before : 0);
  SSIZE_T n = get();
  if (!ShadowReady() || !line || !room)
    return n;
  DidReadAt(line);
  DidReadAt(room);
  if (*line != line_before)
    DidWriteAt(line);
  if (*room != room_before)
    DidWriteAt(room);
  if (n >= 0)
    DidWrite(*line, (uptr)n + 1);
  return n;
}
PAGETIDE_INTERCEPTOR(SSIZE_T, getline, char **line, SIZE_T *room, void *f) {
  OnInterceptedCall();
  return MarkedGetDelim(line, room,
                        [=] { return RESOLVED(getline)(line, room, f); });
}
PAGETIDE_INTERCEPTOR(SSIZE_T, getdelim, char **line, SIZE_T *room, int end,
                     void *f) {
  OnInterceptedCall();
  return MarkedGetDelim(line, room,
                        [=] { return RESOLVED(getdelim)(line, room, end, f); });
}
PAGETIDE_INTERCEPTOR(SSIZE_T, __getdelim, char **line, SIZE_T *room, int end,
                     void *f) {
  OnInterceptedCall();
  return MarkedGetDelim(
      line, room, [=] { return RESOLVED(__getdelim)(line, room, end, f); });
}

//===- Positions, names ---------------------------------------------------===//

constexpr uptr kPositionBytes = 16; // fpos_t

#define PAGETIDE_POSITION(name, pointer, did)                                  \
  PAGETIDE_INTERCEPTOR(int, name, void *f, pointer p) {                        \
    OnInterceptedCall();                                                       \
    int result = RESOLVED(name)(f, p);                                         \
    if (!result)                                                               \
      did(p, kPositionBytes);                                                  \
    return result;                                                             \
  }
PAGETIDE_POSITION(fgetpos, void *, DidWrite)
PAGETIDE_POSITION(fgetpos64, void *, DidWrite)
PAGETIDE_POSITION(fsetpos, const void *, DidRead)
PAGETIDE_POSITION(fsetpos64, const void *, DidRead)

// libc reads files into buffers that it takes from the heap, by system calls that
// nobody intercepts. Under engine mprotect streams get buffers that are never
// protected instead.
constexpr uptr kStreamBuffer = 4096;
constexpr u32 kMostBuffers = 256;
static void *buffered[kMostBuffers]; ///< the stream that has the buffer
extern "C" int setvbuf(void *f, char *buffer, int mode, SIZE_T bytes);

static u8 *StreamBuffers() {
  static u8 *memory;
  if (u8 *known = __atomic_load_n(&memory, __ATOMIC_ACQUIRE))
    return known;
  auto *made = (u8 *)MapAnonymous(kMostBuffers * kStreamBuffer, false);
  u8 *none = nullptr;
  if (made &&
      !__atomic_compare_exchange_n(&memory, &none, made, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    Unmap(made, kMostBuffers * kStreamBuffer);
    return none;
  }
  return made;
}

/// Its place among the buffers, plus one; 0: none.
static u32 BufferOf(void *f) {
  if (EngineListens())
    for (u32 i = 0; i < kMostBuffers; ++i)
      if (buffered[i] == f)
        return i + 1;
  return 0;
}
static void GiveBuffer(void *f, const char *mode) {
  // One that is written may be that of a terminal, with a line for a buffer.
  if (!EngineListens() || !f || *mode != 'r' || BufferOf(f))
    return;
  u8 *buffers = StreamBuffers();
  for (u32 i = 0; buffers && i < kMostBuffers; ++i) {
    void *none = nullptr;
    if (buffered[i] ||
        !__atomic_compare_exchange_n(&buffered[i], &none, f, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    constexpr int kFull = 0; // _IOFBF
    if (setvbuf(f, (char *)buffers + i * kStreamBuffer, kFull, kStreamBuffer))
      StoreRelease(&buffered[i], nullptr);
    return;
  }
}
static void TakeBackBuffer(u32 place) {
  if (place)
    StoreRelease(&buffered[place - 1], nullptr);
}

void pagetide::BufferInput(void *f) { GiveBuffer(f, "r"); }

#define PAGETIDE_OPEN_STREAM(name, parameters, arguments)                      \
  PAGETIDE_INTERCEPTOR(void *, name, const char *path,                         \
                       const char *mode PAGETIDE_UNPACK parameters) {          \
    OnInterceptedCall();                                                       \
    void *f = RESOLVED(name)(path, mode PAGETIDE_UNPACK arguments);            \
    GiveBuffer(f, mode);                                                       \
    DidReadPath(path, !f);                                                     \
    DidReadString(mode);                                                       \
    return f;                                                                  \
  }
PAGETIDE_OPEN_STREAM(fopen, (), ())
PAGETIDE_OPEN_STREAM(fopen64, (), ())
PAGETIDE_OPEN_STREAM(freopen, (, void *old), (, old))
PAGETIDE_OPEN_STREAM(freopen64, (, void *old), (, old))
PAGETIDE_INTERCEPTOR(void *, popen, const char *command, const char *mode) {
  OnInterceptedCall();
  HoldProtection(+1);
  void *f = RESOLVED(popen)(command, mode);
  HoldProtection(-1);
  GiveBuffer(f, mode);
  DidReadPath(command, !f);
  DidReadString(mode);
  return f;
}
PAGETIDE_INTERCEPTOR(int, pclose, void *f) {
  const u32 buffer = BufferOf(f);
  int result = RESOLVED(pclose)(f);
  TakeBackBuffer(buffer);
  return result;
}
PAGETIDE_INTERCEPTOR(void *, fdopen, int fd, const char *mode) {
  OnInterceptedCall();
  void *f = RESOLVED(fdopen)(fd, mode);
  GiveBuffer(f, mode);
  DidReadString(mode);
  return f;
}

//===- Memory streams -----------------------------------------------------===//

// fflush and fclose of a stream of open_memstream write the caller's pointer and
// size. What was printed into its buffer since is marked then, as may: it was
// written at some moment before.

namespace {
struct MemoryStream {
  void *stream;
  char **buffer;
  SIZE_T *bytes;
  uptr unit; ///< of bytes
  MemoryStream *next;
};
} // namespace
static MemoryStream *memory_streams; // under the lock; looked at without it
static Lock memory_streams_lock;
void pagetide::RenewInterceptorsInChild() { memory_streams_lock.Reset(); }

static void AddMemoryStream(void *f, char **buffer, SIZE_T *bytes, uptr unit) {
  if (!f || !ShadowReady())
    return;
  DidWriteAt(buffer);
  DidWriteAt(bytes);
  ScopedLock locked(memory_streams_lock);
  auto *s = (MemoryStream *)__sanitizer::InternalAlloc(sizeof(MemoryStream));
  *s = {f, buffer, bytes, unit, memory_streams};
  StoreRelease(&memory_streams, s);
}
/// Marks what a flush of `f` (null: of all) has written; forgets closed ones.
static void DidFlush(void *f, bool closed) {
  if (!LoadAcquire(&memory_streams) || !ShadowReady())
    return;
  ScopedLock locked(memory_streams_lock);
  for (MemoryStream **at = &memory_streams; *at;) {
    MemoryStream *s = *at;
    if (f && s->stream != f) {
      at = &s->next;
      continue;
    }
    DidWriteAt(s->buffer);
    DidWriteAt(s->bytes);
    MayHaveWritten(*s->buffer, (*s->bytes + 1) * s->unit);
    if (!closed) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    __sanitizer::InternalFree(s);
  }
}
PAGETIDE_INTERCEPTOR(void *, open_memstream, char **buffer, SIZE_T *bytes) {
  OnInterceptedCall();
  void *f = RESOLVED(open_memstream)(buffer, bytes);
  AddMemoryStream(f, buffer, bytes, 1);
  return f;
}
PAGETIDE_INTERCEPTOR(void *, open_wmemstream, wchar_t **buffer,
                     SIZE_T *characters) {
  OnInterceptedCall();
  void *f = RESOLVED(open_wmemstream)(buffer, characters);
  AddMemoryStream(f, (char **)buffer, characters, 4);
  return f;
}
PAGETIDE_INTERCEPTOR(int, fflush, void *f) {
  OnInterceptedCall();
  int result = RESOLVED(fflush)(f);
  DidFlush(f, false);
  return result;
}
PAGETIDE_INTERCEPTOR(int, fflush_unlocked, void *f) {
  OnInterceptedCall();
  int result = RESOLVED(fflush_unlocked)(f);
  DidFlush(f, false);
  return result;
}
PAGETIDE_INTERCEPTOR(int, fclose, void *f) {
  OnInterceptedCall();
  const u32 buffer = BufferOf(f);
  int result = RESOLVED(fclose)(f);
  TakeBackBuffer(buffer);
  DidFlush(f, true);
  return result;
}

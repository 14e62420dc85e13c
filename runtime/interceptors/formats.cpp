//===- formats.cpp - What printf and scanf do through their arguments -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats are parsed as glibc parses them: numbered arguments, %n, wide strings
// and precisions included. Parsing ends at a conversion that the program has
// registered itself. Memory that its arguments and later ones point to is not
// marked.

#include "interceptors/formats.h"

#include "interceptors/interceptor.h"
#include "interceptors/string_marks.h"

namespace pagetide {

namespace {

/// One conversion of printf or scanf.
struct Conversion {
  char letter;     ///< 0: the format has ended, or the conversion is unknown
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
  /// There is text between this conversion and the one before.
  bool after_text; ///< scanf
};

/// Walks over a format's conversions. Char is char or wchar_t.
template <typename Char> class FormatReader {
public:
  explicit FormatReader(const Char *format) : p_(format) {}

  /// `gnu_a`: %as allocates, as before C99.
  Conversion NextOfScanf(bool gnu_a) {
    Conversion c = Begin</*kNotesText=*/true>();
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
    Conversion c = Begin</*kNotesText=*/false>();
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
  /// "3$" is 3; 0 if there is none.
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
  template <bool kNotesText> Conversion Begin() {
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
      // Blanks match any number of blanks, or none.
      if (kNotesText)
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

/// Whether the conversion is of a floating-point number.
bool IsReal(const Conversion &c) {
  const char lower = (char)(c.letter | 32);
  return lower == 'a' || lower == 'e' || lower == 'f' || lower == 'g';
}
bool IsLongReal(const Conversion &c) {
  return IsReal(c) && (c.modifier == 'L' || c.modifier == 'q');
}
/// Bytes that scanf stores for a floating-point number.
uptr RealBytes(const Conversion &c) {
  if (IsLongReal(c))
    return 10;
  return c.modifier == 'l' ? 8 : 4;
}

enum class Kind : u8 { kWord, kReal, kLongReal };

/// Of the argument that the conversion prints.
Kind KindOf(const Conversion &c) {
  if (!IsReal(c))
    return Kind::kWord;
  return IsLongReal(c) ? Kind::kLongReal : Kind::kReal;
}

/// A call's arguments, in any order if the format numbers them.
class Arguments {
public:
  explicit Arguments(va_list list) { va_copy(list_, list); }
  ~Arguments() { va_end(list_); }
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  /// Records the kind of an argument; false if its number is too high.
  bool Declare(int position, Kind kind) {
    if (position > kMaxArguments)
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
  static constexpr int kMaxArguments = 64;
  va_list list_;
  int count_ = 0;
  Kind kinds_[kMaxArguments] = {};
  u64 values_[kMaxArguments];
};

} // namespace

/// Marks the string of a %s, as far as printf reads it. Char is that of the
/// output. If printf has failed, perhaps it has not come to this string.
template <typename Char>
static void DidPrintString(u64 address, bool wide, int precision, bool failed) {
  if (!address) // "(null)"
    return;
  const uptr most = precision < 0 ? kNoBound : (uptr)precision;
  if (failed)
    return wide ? MayHaveReadString((const wchar_t *)address, false, most)
                : MayHaveReadString((const char *)address, false, most);
  if (wide) {
    const wchar_t *s = (const wchar_t *)address;
    uptr n = LengthWithEnd(s, most) * 4;
    if (precision < 0 || sizeof(Char) == 4) {
      DidRead(s, n);
    } else { // the precision limits bytes; a character may have several
      DidRead(s, Min(n, (most + 3) / 4 * 4));
      MayHaveRead(s, n);
    }
    return;
  }
  const char *s = (const char *)address;
  DidRead(s, precision < 0 ? Length(s) + 1 : LengthWithEnd(s, most));
  if (precision >= 0 && sizeof(Char) == 4)
    MayHaveReadString(s, most, most * 6); // it limits characters
}

/// Reads the arguments of a format that numbers them. All must be known before
/// any of them can be read. False if there are too many.
template <typename Char>
static bool ReadNumbered(const Char *format, Arguments &arguments) {
  FormatReader<Char> reader(format);
  for (;;) {
    const Conversion c = reader.NextOfPrintf();
    if (!c.letter || !c.position)
      break;
    if (!arguments.Declare(c.position, KindOf(c)) ||
        (c.width_position &&
         !arguments.Declare(c.width_position, Kind::kWord)) ||
        (c.precision_position &&
         !arguments.Declare(c.precision_position, Kind::kWord)))
      return false;
  }
  arguments.ReadDeclared();
  return true;
}

/// Marks what a conversion has read and written through its arguments. False if
/// it is unknown: then nobody knows what the other arguments are.
template <typename Char>
static bool DidConvert(const Conversion &c, Arguments &arguments, int result) {
  if (c.star_width)
    arguments.Get(c.width_position, Kind::kWord);
  int precision = c.precision;
  if (c.star_precision)
    precision = (int)arguments.Get(c.precision_position, Kind::kWord);
  switch (c.letter) {
  case 's':
  case 'S':
    DidPrintString<Char>(arguments.Get(c.position, Kind::kWord),
                         c.letter == 'S' || c.modifier == 'l', precision,
                         result < 0);
    return true;
  case 'n': {
    void *p = (void *)arguments.Get(c.position, Kind::kWord);
    if (result >= 0)
      DidWrite(p, IntegerBytes(c.modifier));
    else
      MayHaveWritten(p, IntegerBytes(c.modifier));
    return true;
  }
  case 'm': // errno's text
    return true;
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
  case 'c':
  case 'C':
  case 'p':
    arguments.Get(c.position, Kind::kWord);
    return true;
  default:
    if (!IsReal(c))
      return false;
    arguments.Get(c.position, KindOf(c));
    return true;
  }
}

/// Marks the format of a call. If the call has failed, perhaps it has not read
/// it, or not to its end. False if its end cannot be read.
template <typename Char>
static bool DidReadFormat(const Char *format, bool failed, bool stopped) {
  if (!failed && !stopped) {
    DidReadString(format);
    return true;
  }
  const uptr n = ReadableLength(format, kNoBound, !failed);
  if (failed)
    MayHaveRead(format, n * sizeof(Char));
  else
    DidRead(format, n * sizeof(Char));
  return n && !format[n - 1];
}

/// Marks what printf has read and written through its arguments.
template <typename Char>
void DidPrint(const Char *format, va_list list, int result) {
  if (!ShadowReady() || !DidReadFormat(format, result < 0, false))
    return;
  Arguments arguments(list);
  FormatReader<Char> reader(format);
  Conversion c = reader.NextOfPrintf();
  if (c.letter && c.position && !ReadNumbered(format, arguments))
    return;
  while (c.letter && DidConvert<Char>(c, arguments, result))
    c = reader.NextOfPrintf();
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
        DidWriteString((wchar_t *)text);
      else
        DidWriteString(text);
      return;
    }
    // `most` characters, or fewer at the end of the input. A character may have
    // several bytes.
    uptr unit = wide ? 4 : 1, most = c.width ? (uptr)c.width : 1;
    DidWrite(text, unit);
    MayHaveWritten(text, most * (!wide && sizeof(Char) == 4 ? 6 : unit));
    return;
  }
  case 'p':
    DidWrite(p, sizeof(void *));
    return;
  default:
    DidWrite(p, IsReal(c) ? RealBytes(c) : IntegerBytes(c.modifier));
  }
}

/// Marks what scanf has stored: its first `stored` conversions succeeded.
/// Returns how many pointers it has taken, or perhaps taken.
template <typename Char>
int DidScan(const Char *format, va_list list, int stored, bool gnu_a) {
  // It reads the format as far as the conversion that fails.
  if (!ShadowReady() || !DidReadFormat(format, stored < 0, true))
    return 0;
  Arguments arguments(list);
  FormatReader<Char> first(format);
  for (;;) {
    Conversion c = first.NextOfScanf(gnu_a);
    if (!c.letter || !c.position)
      break;
    for (int i = 1; i <= c.position; ++i)
      if (!arguments.Declare(i, Kind::kWord))
        return 0;
  }
  arguments.ReadDeclared();
  FormatReader<Char> reader(format);
  int taken = 0;
  bool surely_here = true; // nothing since the last success can have failed
  for (int left = stored < 0 ? 0 : stored;;) {
    Conversion c = reader.NextOfScanf(gnu_a);
    if (!c.letter)
      return taken;
    surely_here &= !c.after_text;
    if (c.star_width) { // it stores nothing, and may be the one that failed
      surely_here = false;
      continue;
    }
    void *p = (void *)arguments.Get(c.position, Kind::kWord);
    taken = c.position > taken ? c.position : taken + 1;
    if (c.letter == 'n') { // it does not count as a conversion
      if (left || (surely_here && stored > 0))
        DidWrite(p, IntegerBytes(c.modifier));
      else
        MayHaveWritten(p, IntegerBytes(c.modifier));
      continue;
    }
    if (!left) { // it failed
      if (c.allocates)
        MayHaveWritten(p, sizeof(char *));
      return taken;
    }
    DidStore<Char>(c, p);
    --left;
    surely_here = true;
  }
}

template void DidPrint(const char *, va_list, int);
template void DidPrint(const wchar_t *, va_list, int);
template int DidScan(const char *, va_list, int, bool);
template int DidScan(const wchar_t *, va_list, int, bool);

} // namespace pagetide

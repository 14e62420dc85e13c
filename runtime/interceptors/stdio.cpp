//===- stdio.cpp - Streams ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks, at return, what libc's streams read and write of the program's memory.
// A stream's buffer is libc's and is not marked, even if the program has
// provided it by setvbuf or fmemopen.

#include "interceptors/formats.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"

using namespace pagetide;

extern "C" int ferror(void *stream) noexcept;
extern "C" int feof(void *stream) noexcept;

//===- printf -------------------------------------------------------------===//

// Each function has a variant with a va_list. Each parameter before the format
// ends with a comma.

/// The function with `...`. It calls our interceptor of the variant.
#define PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)        \
  PAGETIDE_INTERCEPTOR(int, name,                                              \
                       PAGETIDE_UNPACK parameters const Char *format, ...) {   \
    va_list list;                                                              \
    va_start(list, format);                                                    \
    int result = WRAP(list_name)(PAGETIDE_UNPACK arguments format, list);      \
    va_end(list);                                                              \
    return result;                                                             \
  }
namespace {
/// A va_list: what is left of the registers and of the stack. libc takes
/// arguments from the caller's list, or from a copy.
struct ArgumentList {
  u32 general, real;
  char *stack, *registers;
};
} // namespace
static void DidReadRange(const char *area, sptr from, sptr to) {
  if (to > from)
    DidRead(area + from, (uptr)(to - from));
}
/// The list behind `count` pointers. scanf takes them from a copy.
static ArgumentList AfterPointers(ArgumentList list, int count) {
  constexpr u32 kRegisterBytes = 48;
  for (; count > 0; --count)
    if (list.general < kRegisterBytes)
      list.general += sizeof(void *);
    else
      list.stack += sizeof(void *);
  return list;
}
/// Marks a list of the program, and the arguments up to `end`; those up to
/// `perhaps` as may. Functions with `...` make a list of their own, in their
/// frame.
static void DidReadArguments(const va_list list, const ArgumentList &begin,
                             const ArgumentList &end, int done,
                             const void *caller,
                             const ArgumentList *perhaps = nullptr) {
  if (!ShadowReady() || IsOwnCode(caller))
    return;
  const bool changed = __builtin_memcmp(list, &begin, sizeof(begin)) != 0;
  changed || done >= 0 ? DidRead(list, sizeof(begin))
                       : MayHaveRead(list, sizeof(begin));
  if (changed)
    DidWrite(list, sizeof(begin));
  DidReadRange(begin.registers, begin.general, end.general);
  DidReadRange(begin.registers, begin.real, end.real);
  DidReadRange(begin.stack, 0, end.stack - begin.stack);
  if (!perhaps)
    return;
  MayHaveRead(begin.registers + end.general, perhaps->general - end.general);
  MayHaveRead(end.stack, (uptr)(perhaps->stack - end.stack));
}

#define PAGETIDE_PRINTF(name, list_name, Char, parameters, arguments, before,  \
                        after)                                                 \
  PAGETIDE_INTERCEPTOR(int, list_name,                                         \
                       PAGETIDE_UNPACK parameters const Char *format,          \
                       va_list list) {                                         \
    OnInterceptedCall();                                                       \
    va_list copy;                                                              \
    va_copy(copy, list);                                                       \
    const ArgumentList begin = *(const ArgumentList *)list;                    \
    before;                                                                    \
    int result = RESOLVED(list_name)(PAGETIDE_UNPACK arguments format, list);  \
    DidPrint(format, copy, result);                                            \
    DidReadArguments(list, begin, *(const ArgumentList *)list, result,         \
                     __builtin_return_address(0));                             \
    va_end(copy);                                                              \
    after;                                                                     \
    return result;                                                             \
  }                                                                            \
  PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)

/// An upper bound for a result whose length is unknown before the call. It is
/// more than any ordinary result.
constexpr uptr kUnknownLength = uptr{64} << 10;

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
/// From 2.41 on, libc stores a null pointer after a failure.
static void DidPrintNew(char **s, int result) {
  if (result < 0)
    return MayHaveWritten((void *)s, sizeof(*s));
  DidWriteAt(s);
  if (ShadowReady())
    MarkWrite((uptr)*s, (uptr)result + 1);
}

PAGETIDE_PRINTF(printf, vprintf, char, (), (), , )
PAGETIDE_PRINTF(fprintf, vfprintf, char, (void *f, ), (f, ), , )
PAGETIDE_PRINTF(dprintf, vdprintf, char, (int fd, ), (fd, ), , )
/// An obstack says where its object is, and where the next byte goes.
static void DidGrow(const uptr *obstack, int result) {
  constexpr uptr kObstackBytes = 88, kNextAt = 3;
  if (!ShadowReady())
    return;
  MarkRead((uptr)obstack, kObstackBytes);
  MarkWrite((uptr)obstack, kObstackBytes);
  if (result > 0)
    MarkWrite(obstack[kNextAt] - (uptr)result, (uptr)result);
}
PAGETIDE_PRINTF(obstack_printf, obstack_vprintf, char, (uptr * o, ), (o, ), ,
                DidGrow(o, result))
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
    const ArgumentList begin = *(const ArgumentList *)list;                    \
    int stored = RESOLVED(list_name)(PAGETIDE_UNPACK arguments format, list);  \
    const ArgumentList taken = AfterPointers(begin, stored);                   \
    const ArgumentList perhaps =                                               \
        AfterPointers(begin, DidScan(format, copy, stored, gnu_a));            \
    DidReadArguments(list, begin, taken, stored, __builtin_return_address(0),  \
                     perhaps.general < taken.general ||                        \
                             perhaps.stack < taken.stack                       \
                         ? nullptr                                             \
                         : &perhaps);                                          \
    va_end(copy);                                                              \
    after;                                                                     \
    return stored;                                                             \
  }                                                                            \
  PAGETIDE_VARIADIC(name, list_name, Char, parameters, arguments)

// libc looks for the string's end before it converts anything.
#define PAGETIDE_SCANF_FAMILY(prefix, gnu_a)                                   \
  PAGETIDE_SCANF(prefix##scanf, prefix##vscanf, char, gnu_a, (), (), )         \
  PAGETIDE_SCANF(prefix##fscanf, prefix##vfscanf, char, gnu_a, (void *f, ),    \
                 (f, ), )                                                      \
  PAGETIDE_SCANF(prefix##sscanf, prefix##vsscanf, char, gnu_a,                 \
                 (const char *s, ), (s, ), DidReadString(s))                   \
  PAGETIDE_SCANF(prefix##wscanf, prefix##vwscanf, wchar_t, gnu_a, (), (), )    \
  PAGETIDE_SCANF(prefix##fwscanf, prefix##vfwscanf, wchar_t, gnu_a,            \
                 (void *f, ), (f, ), )                                         \
  PAGETIDE_SCANF(prefix##swscanf, prefix##vswscanf, wchar_t, gnu_a,            \
                 (const wchar_t *s, ), (s, ), DidReadString(s))
PAGETIDE_SCANF_FAMILY(, true)
PAGETIDE_SCANF_FAMILY(__isoc99_, false)

//===- Blocks and lines ---------------------------------------------------===//

/// fread moved whole items and, if it ended early, perhaps a part of the next
/// one.
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
#define PAGETIDE_FWRITE(name)                                                  \
  PAGETIDE_INTERCEPTOR(SIZE_T, name, const void *p, SIZE_T size, SIZE_T n,     \
                       void *f) {                                              \
    OnInterceptedCall();                                                       \
    SIZE_T done = RESOLVED(name)(p, size, n, f);                               \
    DidFwrite(p, size, n, done);                                               \
    return done;                                                               \
  }
PAGETIDE_FWRITE(fwrite)
PAGETIDE_FWRITE(fwrite_unlocked)

/// Marks a line read by fgets. If neither a newline nor the room ended it, a
/// zero may have been part of it.
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
PAGETIDE_AFTER(char *, gets, (char *s), (s), DidWriteString(result))
PAGETIDE_AFTER(char *, __gets_chk, (char *s, SIZE_T size), (s, size),
               DidWriteString(result))

#define PAGETIDE_FGETWS(name, parameters, arguments)                           \
  PAGETIDE_INTERCEPTOR(wchar_t *, name, wchar_t *s,                            \
                       PAGETIDE_UNPACK parameters int room, void *f) {         \
    OnInterceptedCall();                                                       \
    InFlight in_flight(s, room > 0 ? (uptr)room * 4 : 0);                      \
    wchar_t *got = RESOLVED(name)(s, PAGETIDE_UNPACK arguments room, f);       \
    if (got)                                                                   \
      DidWriteString(s);                                                       \
    if (got && feof(f))                                                        \
      MayHaveWritten(s, (uptr)room * 4);                                       \
    return got;                                                                \
  }
PAGETIDE_FGETWS(fgetws, (), ())
PAGETIDE_FGETWS(fgetws_unlocked, (), ())
PAGETIDE_FGETWS(__fgetws_chk, (SIZE_T size, ), (size, ))
PAGETIDE_FGETWS(__fgetws_unlocked_chk, (SIZE_T size, ), (size, ))

#define PAGETIDE_PUT_STRING(name, Char, parameters, arguments)                 \
  PAGETIDE_INTERCEPTOR(int, name, const Char *s PAGETIDE_UNPACK parameters) {  \
    OnInterceptedCall();                                                       \
    int result = RESOLVED(name)(s PAGETIDE_UNPACK arguments);                  \
    DidReadString(s);                                                          \
    return result;                                                             \
  }
PAGETIDE_PUT_STRING(puts, char, (), ())
PAGETIDE_PUT_STRING(fputs, char, (, void *f), (, f))
PAGETIDE_PUT_STRING(fputs_unlocked, char, (, void *f), (, f))
PAGETIDE_PUT_STRING(fputws, wchar_t, (, void *f), (, f))
PAGETIDE_PUT_STRING(fputws_unlocked, wchar_t, (, void *f), (, f))
PAGETIDE_INTERCEPTOR(void, perror, const char *s) {
  OnInterceptedCall();
  RESOLVED(perror)(s);
  DidReadString(s);
}

/// getdelim updates the caller's pointer and size.
template <typename Get>
static SSIZE_T MarkedGetDelim(char **line, SIZE_T *room, Get get) {
  char *line_before = ValueAt(line);
  SIZE_T room_before = ValueAt(room);
  InFlight in_flight(line_before, line_before ? room_before : 0);
  SSIZE_T n = get();
  if (!ShadowReady() || !line || !room)
    return n;
  DidReadAt(line);
  if (line_before)
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

//===- Names --------------------------------------------------------------===//

/// libc reads a mode to its end, but only its first letter if that is wrong.
static void DidReadMode(const char *mode, bool failed) {
  if (!failed)
    return DidReadString(mode);
  constexpr uptr kRead = 5; // whatever comes after the first letter
  if (mode && ShadowReady())
    MarkRead((uptr)mode, *mode == 'r' || *mode == 'w' || *mode == 'a'
                             ? LengthWithEnd(mode, kRead)
                             : 1);
}

#define PAGETIDE_OPEN_STREAM(name, parameters, arguments)                      \
  PAGETIDE_INTERCEPTOR(void *, name, const char *path,                         \
                       const char *mode PAGETIDE_UNPACK parameters) {          \
    OnInterceptedCall();                                                       \
    void *f = RESOLVED(name)(path, mode PAGETIDE_UNPACK arguments);            \
    DidReadPath(path, !f);                                                     \
    DidReadMode(mode, !f);                                                     \
    return f;                                                                  \
  }
PAGETIDE_OPEN_STREAM(fopen, (), ())
PAGETIDE_OPEN_STREAM(fopen64, (), ())
PAGETIDE_OPEN_STREAM(freopen, (, void *old), (, old))
PAGETIDE_OPEN_STREAM(freopen64, (, void *old), (, old))
PAGETIDE_AFTER(
    void *, popen, (const char *command, const char *mode), (command, mode),
    if (result) {
      DidReadString(command);
      DidReadString(mode);
    } else {
      MayHaveReadString(command, false);
      MayHaveReadString(mode, false);
    })
/// fdopen reads a mode up to its '+', and five letters at most.
static void DidReadModeToPlus(const char *mode) {
  if (!ShadowReady())
    return;
  constexpr uptr kMost = 5;
  uptr bytes = 1;
  if (*mode == 'r' || *mode == 'w' || *mode == 'a')
    while (bytes < kMost) {
      const char letter = mode[bytes++];
      if (!letter || letter == '+')
        break;
    }
  MarkRead((uptr)mode, bytes);
}
PAGETIDE_AFTER(void *, fdopen, (int fd, const char *mode), (fd, mode),
               DidReadModeToPlus(mode))

//===- scanf of later libcs -----------------------------------------------===//

// Programs built with glibc 2.38 or later call these.
// NOLINTNEXTLINE(llvm-include-order)
#include "interceptors/later_libc.h"
PAGETIDE_SCANF_FAMILY(__isoc23_, false)

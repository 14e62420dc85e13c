/*===- stream_bounds.c - Formats and buffers that end where memory ends ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t
// RUN: %t > %t.unrecorded
// RUN: %python %support/same_calls.py %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: %python %support/same_calls.py %t.natively %t.recorded

#include "call_table.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <wchar.h>

static char text[200];
static FILE *in, *out, *wide_in, *wide_out;
static int sink;

static void rewind_streams(void) {
  rewind(in), rewind(out), rewind(wide_in), rewind(wide_out);
  if (lseek(0, 0, SEEK_SET))
    abort();
  fflush(stdin);
}

/* A va_list of the arguments at the end of an argument's memory: registers are
 * used up, so that all arguments are in the overflow area. */
#define LIST(area) WORDS(48 | 304L << 32, area, 0)

static void prints(void) {
  static const struct {
    const char *format;
    const char *s;
    size_t bytes;
    long precision;
  } cases[] = {
      {"%s", "hello", 6, 0}, {"%.3s", "abc", 3, 0},
      {"%.*s", "abc", 3, 3}, {"%5.*s|", "abcd", 4, 4},
      {"%.0s", "", 0, 0},    {"%.*s", "abc", 4, -1},
      {"%.*s", "", 0, 0},    {"%5.3s%%", "abc", 3, 0},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char *f = cases[i].format;
    const size_t n = strlen(f) + 1;
    const int star = strchr(f, '*') != NULL;
#define S IN(cases[i].s, cases[i].bytes)
#define P V(cases[i].precision)
    if (star) {
      CALL("sprintf", 'i', OUT(60), IN(f, n), P, S);
      CALL("snprintf", 'i', OUT(3), V(3), IN(f, n), P, S);
      CALL("snprintf", 'i', V(0), V(0), IN(f, n), P, S);
      CALL("__sprintf_chk", 'i', OUT(60), V(1), V(60), IN(f, n), P, S);
      CALL("__snprintf_chk", 'i', OUT(60), V(60), V(1), V(60), IN(f, n), P, S);
      CALL("asprintf", 'i', OUTX(8), IN(f, n), P, S);
      CALL("__asprintf_chk", 'i', OUTX(8), V(1), IN(f, n), P, S);
      CALL("fprintf", 'i', V(out), IN(f, n), P, S);
      CALL("dprintf", 'i', V(sink), IN(f, n), P, S);
      CALL("__fprintf_chk", 'i', V(out), V(1), IN(f, n), P, S);
      CALL("__dprintf_chk", 'i', V(sink), V(1), IN(f, n), P, S);
      CALL("vsprintf", 'i', OUT(60), IN(f, n), LIST(at(3, 16)),
           WORDS(cases[i].precision, at(4, cases[i].bytes)), S);
    } else {
      CALL("sprintf", 'i', OUT(60), IN(f, n), S);
      CALL("snprintf", 'i', OUT(3), V(3), IN(f, n), S);
      CALL("asprintf", 'i', OUTX(8), IN(f, n), S);
      CALL("fprintf", 'i', V(out), IN(f, n), S);
      CALL("dprintf", 'i', V(sink), IN(f, n), S);
      CALL("vsprintf", 'i', OUT(60), IN(f, n), LIST(at(3, 8)),
           WORDS(at(4, cases[i].bytes)), S);
      CALL("vsnprintf", 'i', OUT(60), V(60), IN(f, n), LIST(at(4, 8)),
           WORDS(at(5, cases[i].bytes)), S);
      CALL("vasprintf", 'i', OUTX(8), IN(f, n), LIST(at(3, 8)),
           WORDS(at(4, cases[i].bytes)), S);
      CALL("vfprintf", 'i', V(out), IN(f, n), LIST(at(3, 8)),
           WORDS(at(4, cases[i].bytes)), S);
      CALL("vdprintf", 'i', V(sink), IN(f, n), LIST(at(3, 8)),
           WORDS(at(4, cases[i].bytes)), S);
      CALL("__vsprintf_chk", 'i', OUT(60), V(1), V(60), IN(f, n),
           LIST(at(5, 8)), WORDS(at(6, cases[i].bytes)), S);
      CALL("__vsnprintf_chk", 'i', OUT(60), V(60), V(1), V(60), IN(f, n),
           LIST(at(6, 8)), WORDS(at(7, cases[i].bytes)), S);
      CALL("__vasprintf_chk", 'i', OUTX(8), V(1), IN(f, n), LIST(at(4, 8)),
           WORDS(at(5, cases[i].bytes)), S);
      CALL("__vfprintf_chk __vdprintf_chk", 'i', V(out), V(1), IN(f, n),
           LIST(at(4, 8)), WORDS(at(5, cases[i].bytes)), S);
    }
#undef S
#undef P
  }
  CALL("printf", 'i', TEXT("%.3s\n"), RAW("abc"));
  CALL("__printf_chk", 'i', V(1), TEXT("%.3s\n"), RAW("abc"));
  CALL("vprintf", 'i', TEXT("%.3s\n"), LIST(at(2, 8)), WORDS(at(3, 3)),
       RAW("abc"));
  CALL("__vprintf_chk", 'i', V(1), TEXT("%.3s\n"), LIST(at(3, 8)),
       WORDS(at(4, 3)), RAW("abc"));
  CALL("puts", 's', TEXT("hello"));
  CALL("sprintf", 'i', OUT(4), TEXT("%d%n"), V(123), OUT(4));
  CALL("sprintf", 'i', OUT(4), TEXT("%d%hhn"), V(123), OUT(1));
  CALL("sprintf", 'i', OUT(12), TEXT("%2$s%1$d"), V(123), TEXT("hello"));
  CALL("sprintf", 'i', OUT(12), TEXT("%2$.*1$s"), V(3), RAW("abc"));
  CALL("sprintf", 'i', OUT(30), TEXT("%ls"), TEXT(L"hello"));
  CALL("sprintf", 'i', OUT(30), TEXT("%.3ls"), RAW(L"abc"));
  CALL("sprintf", 'i', OUT(30), TEXT("%ls"), TEXT(L"hel\xffffff"));
  /* They fail before they come to a string that is not there. */
  CALL("sprintf", 'i', OUT(30), TEXT("%lc%s"), V(0xffffff), V(1));
  CALL("snprintf", 'i', OUT(30), V(30), TEXT("%lc%s%n"), V(0xffffff), V(1),
       V(1));
  CALL("fprintf", 'i', V(in), TEXT("%s"), V(1));
  CALL("fprintf", 'i', V(in), V(1));
  CALL("dprintf", 'i', V(-1), TEXT("%s"), TEXT("hello"));
  CALL("swprintf", 'i', OUT(120), V(30), TEXT(L"%s"), TEXT("hello"));
  CALL("swprintf", 'i', OUT(120), V(30), TEXT(L"%.3s"), RAW("abc"));
  CALL("swprintf", 'i', OUT(120), V(30), TEXT(L"%.3ls"), RAW(L"abc"));
  CALL("swprintf", 'i', OUT(8), V(2), TEXT(L"%s"), TEXT("hello"));
  CALL("__swprintf_chk", 'i', OUT(120), V(30), V(1), V(30), TEXT(L"%.3ls"),
       RAW(L"abc"));
  CALL("vswprintf", 'i', OUT(120), V(30), TEXT(L"%.3ls"), LIST(at(4, 8)),
       WORDS(at(5, 12)), RAW(L"abc"));
  CALL("__vswprintf_chk", 'i', OUT(120), V(30), V(1), V(30), TEXT(L"%.3ls"),
       LIST(at(6, 8)), WORDS(at(7, 12)), RAW(L"abc"));
  CALL("fwprintf", 'i', V(wide_out), TEXT(L"%.3s"), RAW("abc"));
  CALL("__fwprintf_chk", 'i', V(wide_out), V(1), TEXT(L"%.3s"), RAW("abc"));
  CALL("vfwprintf", 'i', V(wide_out), TEXT(L"%.3s"), LIST(at(3, 8)),
       WORDS(at(4, 3)), RAW("abc"));
  CALL("__vfwprintf_chk", 'i', V(wide_out), V(1), TEXT(L"%.3s"), LIST(at(4, 8)),
       WORDS(at(5, 3)), RAW("abc"));
}

static void scans(void) {
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("12 ab"), TEXT("%d %s"), OUT(4),
       OUT(3));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("12 ab"), TEXT("%d %2c"), OUT(4),
       OUT(2));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("x"), TEXT("%d %s"), OUT(4), OUT(3));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("12"), TEXT("%hhd%n"), OUT(1),
       OUT(4));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("12 5"), TEXT("%2$d %1$d"), OUT(4),
       OUT(4));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT(""), TEXT("%ms"), OUT(8));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("ab"), TEXT("%[a]%*c"), OUT(2));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("ab"), TEXT("%1[a]%*c%5c"), OUT(2),
       OUT(5));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("1.5"), TEXT("%lf"), OUT(8));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("ab"), TEXT("%ls"), OUT(12));
  CALL("sscanf __isoc99_sscanf", 'i', TEXT("x"), RAW("%d"), OUT(4));
  CALL("fscanf __isoc99_fscanf", 'i', V(out), V(1));
  CALL("vsscanf __isoc99_vsscanf", 'i', TEXT("12"), TEXT("%d"), LIST(at(3, 8)),
       WORDS(at(4, 4)), OUT(4));
  CALL("swscanf __isoc99_swscanf", 'i', TEXT(L"12 ab"), TEXT(L"%d %s"), OUT(4),
       OUT(20));
  CALL("vswscanf __isoc99_vswscanf", 'i', TEXT(L"12"), TEXT(L"%d"),
       LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("fscanf __isoc99_fscanf", 'i', V(in), TEXT("%d %s"), OUT(4), OUT(200));
  CALL("vfscanf __isoc99_vfscanf", 'i', V(in), TEXT("%d"), LIST(at(3, 8)),
       WORDS(at(4, 4)), OUT(4));
  CALL("fwscanf __isoc99_fwscanf", 'i', V(wide_in), TEXT(L"%d"), OUT(4));
  CALL("vfwscanf __isoc99_vfwscanf", 'i', V(wide_in), TEXT(L"%d"),
       LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("scanf __isoc99_scanf", 'i', TEXT("%d"), OUT(4));
  CALL("vscanf __isoc99_vscanf", 'i', TEXT("%d"), LIST(at(2, 8)),
       WORDS(at(3, 4)), OUT(4));
}

static void blocks_and_lines(void) {
  CALL("fread fread_unlocked", 'l', OUT(10), V(1), V(10), V(in));
  CALL("fread fread_unlocked", 'l', OUT(210), V(3), V(70), V(in));
  CALL("fread", 'l', OUT(0), V(0), V(5), V(in));
  CALL("__fread_chk __fread_unlocked_chk", 'l', OUT(10), V(10), V(1), V(10),
       V(in));
  CALL("fwrite fwrite_unlocked", 'l', IN(text, 10), V(1), V(10), V(out));
  CALL("fwrite fwrite_unlocked", 'l', IN(zeros, 10000), V(1), V(10000), V(out));
  CALL("fwrite fwrite_unlocked", 'l', IN(text, 10), V(1), V(10), V(in));
  CALL("fgets fgets_unlocked", 'p', OUT(8), V(8), V(in));
  CALL("fgets fgets_unlocked", 'p', OUT(1), V(1), V(in));
  CALL("fgets", 'p', OUT(1), V(0), V(in));
  CALL("__fgets_chk __fgets_unlocked_chk", 'p', OUT(8), V(8), V(8), V(in));
  CALL("gets", 'p', OUT(201));
  CALL("__gets_chk", 'p', OUT(201), V(201));
  CALL("fgetws fgetws_unlocked", 'p', OUT(32), V(8), V(wide_in));
  CALL("__fgetws_chk __fgetws_unlocked_chk", 'p', OUT(32), V(8), V(8),
       V(wide_in));
  CALL("fputs fputs_unlocked", 's', TEXT("hello"), V(out));
  CALL("fputs fputs_unlocked", 's', TEXT("hello"), V(in));
  CALL("fputws fputws_unlocked", 's', TEXT(L"hello"), V(wide_out));
  CALL("getline", 'l', INX(zeros, 8), WORDS(0), V(in));
  CALL("getline", 'l', INX(zeros, 8), OUT(8), V(in));
  CALL("getline", 'l', WORDS(at(3, 201)), WORDS(201), V(in), OUT(201));
  CALL("getdelim __getdelim", 'l', WORDS(at(4, 201)), WORDS(201), V('\n'),
       V(in), OUT(201));
  CALL("fgetpos fgetpos64", 'i', V(in), OUT(16));
  CALL("fsetpos fsetpos64", 'i', V(in), ZERO(16));
  CALL("fflush fflush_unlocked", 'i', V(out));
}

static void close_it(long f) {
  if (f)
    fclose((FILE *)f);
}
static void pclose_it(long f) {
  if (f)
    pclose((FILE *)f);
}

static void opened(void) {
  FILE *again = fopen("/dev/null", "r");
  clean_up = close_it;
  CALL("fopen fopen64", 'p', TEXT("/dev/null"), TEXT("r"));
  CALL("fopen fopen64", 'p', TEXT("/nowhere"), TEXT("r"));
  CALL("fopen fopen64", 'p', TEXT("/dev/null"), RAW("x"));
  CALL("fopen fopen64", 'p', V(0), TEXT("?"));
  CALL("fopen fopen64", 'p', TEXT("/dev/null"), TEXT("rb+"));
  clean_up = NULL;
  CALL("freopen freopen64", 'p', TEXT("/dev/null"), TEXT("r"), V(again));
  only_good = 1; /* libc frees a stream that it cannot open again */
  CALL("freopen", 'p', TEXT("/dev/null"), RAW("?"), V(again));
  again = fopen("/dev/null", "r");
  CALL("freopen64", 'p', TEXT("/dev/null"), RAW("?"), V(again));
  only_good = 0;
  clean_up = close_it;
  CALL("fdopen", 'p', V(-1), TEXT("r"));
  CALL("fdopen", 'p', V(0), RAW("x"));
  CALL("fdopen", 'p', V(-1), RAW("r+"));
  CALL("fdopen", 'p', V(-1), RAW("rbbbb"));
  CALL("fmemopen", 'p', OUT(20), V(20), TEXT("w"));
  CALL("open_memstream open_wmemstream", 'p', OUTX(8), OUTX(8));
  clean_up = pclose_it;
  CALL("popen", 'p', TEXT("exit 3"), TEXT("r"));
  CALL("popen", 'p', TEXT("exit 3"), RAW("x"));
  CALL("popen", 'p', TEXT("exit 3"), RAW("a"));
  CALL("popen", 'p', TEXT("exit 3"), RAW("rx"));
  clean_up = NULL;
  CALL("perror", 'v', TEXT("hello"));
}

/* The standard streams are other ones meanwhile. */
static void wide_standard(void) {
  FILE *const standard_in = stdin, *const standard_out = stdout;
  stdin = wide_in, stdout = wide_out;
  CALL("wprintf", 'i', TEXT(L"%.3s"), RAW("abc"));
  CALL("__wprintf_chk", 'i', V(1), TEXT(L"%.3s"), RAW("abc"));
  CALL("vwprintf", 'i', TEXT(L"%.3s"), LIST(at(2, 8)), WORDS(at(3, 3)),
       RAW("abc"));
  CALL("__vwprintf_chk", 'i', V(1), TEXT(L"%.3s"), LIST(at(3, 8)),
       WORDS(at(4, 3)), RAW("abc"));
  CALL("wscanf __isoc99_wscanf", 'i', TEXT(L"%d"), OUT(4));
  CALL("vwscanf __isoc99_vwscanf", 'i', TEXT(L"%d"), LIST(at(2, 8)),
       WORDS(at(3, 4)), OUT(4));
  stdin = standard_in, stdout = standard_out;
}

int main(void) {
  memset(text, '1', sizeof text - 2);
  text[5] = '\n';
  set_up();
  const int file = memfd_create("in", 0), wide_file = memfd_create("in", 0);
  sink = memfd_create("out", 0);
  if (write(file, text, 199) != 199 || write(wide_file, text, 199) != 199 ||
      dup2(file, 0) || dup2(sink, 2) != 2)
    abort();
  in = fdopen(file, "r"), out = fdopen(memfd_create("out", 0), "w");
  wide_in = fdopen(wide_file, "r");
  wide_out = fdopen(memfd_create("out", 0), "w");
  fwide(wide_in, 1), fwide(wide_out, 1);
  refresh = rewind_streams;
  only_good = 1; /* libc would die with a stream's lock held */
  prints();
  scans();
  blocks_and_lines();
  opened();
  wide_standard();
  return 0;
}

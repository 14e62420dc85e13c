/*===- text_outcomes.c - How functions of texts and numbers may end --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <argz.h>
#include <envz.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <locale.h>
#include <printf.h>
#include <regex.h>
#include <search.h>
#include <time.h>
#include <wchar.h>
#include <wordexp.h>

#define LIST(area) WORDS(48 | 304L << 32, area, 0)

static char long_text[3 * BASE_PAGE];

static void prints(void) {
  FILE *const full = fopen("/dev/full", "w"), *const in =
                                                  fopen("/dev/null", "r");
  FILE *const wide_in = fopen("/dev/null", "r");
  setvbuf(full, NULL, _IONBF, 0);
  OUTCOME("empty", "snprintf", 'i', OUT(20), V(0), TEXT("%s"), TEXT("abc"));
  OUTCOME("truncated", "snprintf", 'i', OUT(1), V(1), TEXT("%s"), TEXT("abc"));
  OUTCOME("truncated", "snprintf", 'i', OUT(3), V(3), TEXT("%s"), TEXT("abc"));
  OUTCOME("truncated", "snprintf", 'i', OUT(BASE_PAGE + 8), V(BASE_PAGE + 8),
          TEXT("%s"), TEXT(long_text));
  OUTCOME("truncated", "snprintf", 'i', OUT(3 * BASE_PAGE), V(5), TEXT("%s%n"),
          TEXT("abcdefgh"), OUT(4));
  CALL("snprintf", 'i', OUT(3 * BASE_PAGE), V(3 * BASE_PAGE), TEXT("%s"),
       TEXT("abc"));
  CALL("snprintf", 'i', OUT(3 * BASE_PAGE), V(3 * BASE_PAGE),
       TEXT("%s%2147483648d%d"), TEXT("abc"), V(1), V(2));
  CALL("snprintf", 'i', OUT(3 * BASE_PAGE), V(3 * BASE_PAGE), TEXT("%d%ls"),
       V(1), TEXT(L"\xffffff"));
  CALL("snprintf", 'i', OUT(3 * BASE_PAGE), V(1L << 40), TEXT("%d"), V(1));
  OUTCOME("empty", "vsnprintf", 'i', OUT(20), V(0), TEXT("%s"), LIST(at(4, 8)),
          WORDS(at(5, 4)), TEXT("abc"));
  OUTCOME("truncated", "vsnprintf", 'i', OUT(BASE_PAGE), V(3), TEXT("%s"),
          LIST(at(4, 8)), WORDS(at(5, 6)), TEXT("abcde"));
  CALL("vsnprintf", 'i', OUT(3 * BASE_PAGE), V(3 * BASE_PAGE), TEXT("%s%ls"),
       LIST(at(4, 16)), WORDS(at(5, 6), at(6, 8)), TEXT("abcde"),
       TEXT(L"\xffffff"));
  OUTCOME("truncated", "__snprintf_chk", 'i', OUT(BASE_PAGE), V(3), V(1),
          V(BASE_PAGE), TEXT("%s"), TEXT("abcdef"));
  OUTCOME("truncated", "__vsnprintf_chk", 'i', OUT(BASE_PAGE), V(3), V(1),
          V(BASE_PAGE), TEXT("%s"), LIST(at(6, 8)), WORDS(at(7, 6)),
          TEXT("abcde"));
  CALL("__snprintf_chk", 'i', OUT(BASE_PAGE), V(30), V(1), V(BASE_PAGE),
       TEXT("%ls"), TEXT(L"\xffffff"));
  CALL("__vsnprintf_chk", 'i', OUT(BASE_PAGE), V(30), V(1), V(BASE_PAGE),
       TEXT("%ls"), LIST(at(6, 8)), WORDS(at(7, 8)), TEXT(L"\xffffff"));
  CALL("sprintf", 'i', OUT(3 * BASE_PAGE), TEXT("%2147483648d%d"), V(1), V(2));
  CALL("vsprintf", 'i', OUT(3 * BASE_PAGE), TEXT("%d%ls"), LIST(at(3, 16)),
       WORDS(7, at(4, 8)), TEXT(L"\xffffff"));
  CALL("__sprintf_chk", 'i', OUT(3 * BASE_PAGE), V(1), V(3 * BASE_PAGE),
       TEXT("%d%ls"), V(7), TEXT(L"\xffffff"));
  CALL("__vsprintf_chk", 'i', OUT(3 * BASE_PAGE), V(1), V(3 * BASE_PAGE),
       TEXT("%d%ls"), LIST(at(5, 16)), WORDS(7, at(6, 8)), TEXT(L"\xffffff"));
  CALL("asprintf", 'i', OUT(8), TEXT("%d%ls"), V(7), TEXT(L"\xffffff"));
  CALL("asprintf", 'i', OUT(8), TEXT("%2147483648d%d"), V(7), V(8));
  CALL("vasprintf", 'i', OUT(8), TEXT("%d%ls"), LIST(at(3, 16)),
       WORDS(7, at(4, 8)), TEXT(L"\xffffff"));
  CALL("__asprintf_chk", 'i', OUT(8), V(1), TEXT("%d%ls"), V(7),
       TEXT(L"\xffffff"));
  CALL("__vasprintf_chk", 'i', OUT(8), V(1), TEXT("%d%ls"), LIST(at(4, 16)),
       WORDS(7, at(5, 8)), TEXT(L"\xffffff"));
  CALL("fprintf", 'i', V(full), TEXT("%s%n"), TEXT("abc"), OUT(4));
  CALL("vfprintf", 'i', V(full), TEXT("%s%n"), LIST(at(3, 16)),
       WORDS(at(4, 4), at(5, 4)), TEXT("abc"), OUT(4));
  CALL("__fprintf_chk", 'i', V(full), V(1), TEXT("%s"), TEXT("abc"));
  CALL("__vfprintf_chk", 'i', V(full), V(1), TEXT("%s"), LIST(at(4, 8)),
       WORDS(at(5, 4)), TEXT("abc"));
  CALL("vfprintf", 'i', V(in), TEXT("%s"), LIST(at(3, 8)), WORDS(at(4, 4)),
       TEXT("abc"));
  FILE *const standard = stdout;
  for (int wide = 0; wide < 2; ++wide) {
    stdout = wide ? wide_in : full;
    CALL(wide ? "wprintf" : "printf", 'i', (wide ? TEXT(L"%s") : TEXT("%s")),
         TEXT("abc"));
    CALL(wide ? "__wprintf_chk" : "__printf_chk", 'i', V(1),
         (wide ? TEXT(L"%s") : TEXT("%s")), TEXT("abc"));
    CALL(wide ? "vwprintf" : "vprintf", 'i', (wide ? TEXT(L"%s") : TEXT("%s")),
         LIST(at(2, 8)), WORDS(at(3, 4)), TEXT("abc"));
    CALL(wide ? "__vwprintf_chk" : "__vprintf_chk", 'i', V(1),
         (wide ? TEXT(L"%s") : TEXT("%s")), LIST(at(3, 8)), WORDS(at(4, 4)),
         TEXT("abc"));
  }
  stdout = standard;
  CALL("dprintf", 'i', V(fileno(full)), TEXT("%s"), TEXT("abc"));
  CALL("vdprintf", 'i', V(fileno(full)), TEXT("%s"), LIST(at(3, 8)),
       WORDS(at(4, 4)), TEXT("abc"));
  CALL("__dprintf_chk", 'i', V(-1), V(1), TEXT("%s"), TEXT("abc"));
  CALL("__vdprintf_chk", 'i', V(open("/dev/null", O_WRONLY)), V(1), TEXT("%s"),
       LIST(at(4, 8)), WORDS(at(5, 4)), TEXT("abc"));
  OUTCOME("empty", "swprintf", 'i', OUT(8), V(0), TEXT(L"%s"), TEXT("abc"));
  OUTCOME("truncated", "swprintf", 'i', OUT(8), V(2), TEXT(L"%s"), TEXT("abc"));
  OUTCOME("truncated", "swprintf", 'i', OUT(2 * BASE_PAGE), V(2), TEXT(L"%s"),
          TEXT("abc"));
  CALL("swprintf", 'i', OUT(2 * BASE_PAGE), V(200), TEXT(L"%d%s"), V(1),
       TEXT("\xff"));
  OUTCOME("truncated", "vswprintf", 'i', OUT(8), V(2), TEXT(L"%s"),
          LIST(at(4, 8)), WORDS(at(5, 4)), TEXT("abc"));
  CALL("vswprintf", 'i', OUT(800), V(200), TEXT(L"%s"), LIST(at(4, 8)),
       WORDS(at(5, 2)), TEXT("\xff"));
  OUTCOME("truncated", "__swprintf_chk", 'i', OUT(8), V(2), V(1), V(2),
          TEXT(L"%s"), TEXT("abc"));
  OUTCOME("truncated", "__vswprintf_chk", 'i', OUT(8), V(2), V(1), V(2),
          TEXT(L"%s"), LIST(at(6, 8)), WORDS(at(7, 4)), TEXT("abc"));
  OUTCOME("truncated", "strfromd strfromf64 strfromf32x strfromf128", 'i',
          OUT(2), V(2), TEXT("%g"), D(4.5));
  OUTCOME("empty", "strfromd strfromf64 strfromf32x strfromf128", 'i', OUT(9),
          V(0), TEXT("%g"), D(4.5));
  OUTCOME("truncated", "strfromf strfromf32", 'i', OUT(2), V(2), TEXT("%g"),
          F(4.5F));
  OUTCOME("empty", "strfromf strfromf32", 'i', OUT(9), V(0), TEXT("%g"),
          F(4.5F));
  stacked[0] = 4.75L;
  OUTCOME("truncated", "strfroml strfromf64x", 'i', OUT(2), V(2), TEXT("%g"));
  OUTCOME("empty", "strfroml strfromf64x", 'i', OUT(9), V(0), TEXT("%g"));
  OUTCOME("truncated", "qecvt_r qfcvt_r", 'i', V(5), OUT(4), OUT(4), OUT(1),
          V(1));
  stacked[0] = 0;
  OUTCOME("truncated", "ecvt_r fcvt_r", 'i', D(314.5), V(3), OUT(4), OUT(4),
          OUT(2), V(2));
  OUTCOME("empty", "ecvt_r fcvt_r", 'i', D(314.5), V(3), OUT(4), OUT(4), V(0),
          V(0));
  CALL("ecvt_r fcvt_r", 'i', D(0.0), V(3), OUT(4), OUT(4), OUT(40), V(40));
  CALL("ecvt_r fcvt_r", 'i', D(1e300 * 1e300), V(3), OUT(4), OUT(4), OUT(40),
       V(40));
  OUTCOME("truncated", "strfmon", 'l', OUT(BASE_PAGE), V(2), TEXT("%n"),
          D(4.5));
  CALL("strfmon", 'l', OUT(BASE_PAGE), V(50), TEXT("%n%q"), D(4.5));
  OUTCOME("empty", "strfmon", 'l', OUT(1), V(1), TEXT(""), D(4.5));
  OUTCOME("truncated", "strfmon_l", 'l', OUT(2), V(2),
          V(newlocale(LC_ALL_MASK, "C", NULL)), TEXT("%n"), D(4.5));
  OUTCOME("empty", "parse_printf_format", 'l', TEXT("abc"), V(2), OUT(8));
  OUTCOME("truncated", "parse_printf_format", 'l', TEXT("%d%s%p"), V(2),
          OUT(8));
}

static FILE *stream_of(const char *s) {
  const int fd = memfd_create("in", 0);
  if (write(fd, s, strlen(s)) < 0 || lseek(fd, 0, SEEK_SET))
    abort();
  return fdopen(fd, "r");
}
static FILE *numbers_in, *nothing_in, *wide_in;
static void rewind_all(void) {
  rewind(numbers_in), rewind(nothing_in), rewind(wide_in);
}
static void scans(void) {
#define SCANF "sscanf __isoc99_sscanf __isoc23_sscanf"
  OUTCOME("end", SCANF, 'i', TEXT(""), TEXT("%d"), OUT(4));
  OUTCOME("end", SCANF, 'i', TEXT("  "), TEXT("%d%n"), OUT(4), OUT(4));
  OUTCOME("failure", SCANF, 'i', TEXT("x"), TEXT("%d%n"), OUT(4), OUT(4));
  OUTCOME("short", SCANF, 'i', TEXT("1 x"), TEXT("%d %d"), OUT(4), OUT(4));
  OUTCOME("short", SCANF, 'i', TEXT("1"), TEXT("%d %d %n"), OUT(4), OUT(4),
          OUT(4));
  OUTCOME("short", SCANF, 'i', TEXT("1 ab"), TEXT("%d %5c"), OUT(4), OUT(5));
  OUTCOME("short", SCANF, 'i', TEXT("1 ab"), TEXT("%d %[0-9]"), OUT(4), OUT(5));
  OUTCOME("short", SCANF, 'i', TEXT("ab 1 x"), TEXT("%ms %d %d"), OUTX(8),
          OUT(4), OUT(4));
  CALL(SCANF, 'i', TEXT("ab"), TEXT("%ms"), OUTX(8));
  CALL(SCANF, 'i', TEXT("abc"), TEXT("%3mc"), OUTX(8));
  OUTCOME("failure", SCANF, 'i', TEXT("x"), TEXT("%m[0-9]"), OUT(8));
  CALL(SCANF, 'i', TEXT("0x1f 7"), TEXT("%p %hhi"), OUT(8), OUT(1));
  OUTCOME("failure", SCANF, 'i', TEXT("0x"), TEXT("%i"), OUT(4));
  OUTCOME("failure", SCANF, 'i', TEXT("+"), TEXT("%lld"), OUT(8));
  OUTCOME("failure", SCANF, 'i', TEXT("1e+"), TEXT("%lf"), OUT(8));
  CALL(SCANF, 'i', TEXT("1.5x"), TEXT("%Lf%c"), OUT(16), OUT(1));
  CALL(SCANF, 'i', TEXT("12345"), TEXT("%3d%2hd"), OUT(4), OUT(2));
  CALL(SCANF, 'i', TEXT("1 2"), TEXT("%*d %d"), OUT(4));
  CALL(SCANF, 'i', TEXT("1%2"), TEXT("%d%%%d"), OUT(4), OUT(4));
  OUTCOME("short", SCANF, 'i', TEXT("1:2"), TEXT("%d,%d"), OUT(4), OUT(4));
  CALL(SCANF, 'i', TEXT("abc"), TEXT("%2l[a-z]%lc"), OUT(12), OUT(4));
  CALL(SCANF, 'i', TEXT("hello"), TEXT("%3s%n"), OUT(4), OUT(4));
  OUTCOME("empty", SCANF, 'i', TEXT("abc"), TEXT(""));
  OUTCOME("end", "swscanf __isoc99_swscanf __isoc23_swscanf", 'i', TEXT(L""),
          TEXT(L"%d"), OUT(4));
  OUTCOME("failure", "swscanf __isoc99_swscanf __isoc23_swscanf", 'i',
          TEXT(L"x"), TEXT(L"%d%n"), OUT(4), OUT(4));
  OUTCOME("short", "swscanf __isoc99_swscanf __isoc23_swscanf", 'i',
          TEXT(L"1 ab"), TEXT(L"%d %5c"), OUT(4), OUT(5));
  OUTCOME("end", "vsscanf __isoc99_vsscanf __isoc23_vsscanf", 'i', TEXT(""),
          TEXT("%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  OUTCOME("failure", "vsscanf __isoc99_vsscanf __isoc23_vsscanf", 'i',
          TEXT("x"), TEXT("%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  OUTCOME("short", "vsscanf __isoc99_vsscanf __isoc23_vsscanf", 'i',
          TEXT("1 x"), TEXT("%d %d"), LIST(at(3, 16)),
          WORDS(at(4, 4), at(5, 4)), OUT(4), OUT(4));
  OUTCOME("end", "vswscanf __isoc99_vswscanf __isoc23_vswscanf", 'i', TEXT(L""),
          TEXT(L"%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  OUTCOME("failure", "vswscanf __isoc99_vswscanf __isoc23_vswscanf", 'i',
          TEXT(L"x"), TEXT(L"%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  OUTCOME("short", "vswscanf __isoc99_vswscanf __isoc23_vswscanf", 'i',
          TEXT(L"1 x"), TEXT(L"%d %d"), LIST(at(3, 16)),
          WORDS(at(4, 4), at(5, 4)), OUT(4), OUT(4));
  numbers_in = stream_of("12 x"), nothing_in = stream_of("");
  wide_in = stream_of("12 x");
  fwide(wide_in, 1);
  FILE *const wide_nothing = stream_of("");
  fwide(wide_nothing, 1);
  refresh = rewind_all;
  OUTCOME("end", "fscanf __isoc99_fscanf __isoc23_fscanf", 'i', V(nothing_in),
          TEXT("%d%s"), OUT(4), OUT(9));
  OUTCOME("short", "fscanf __isoc99_fscanf __isoc23_fscanf", 'i', V(numbers_in),
          TEXT("%d %d%n"), OUT(4), OUT(4), OUT(4));
  OUTCOME("failure", "fscanf __isoc99_fscanf __isoc23_fscanf", 'i',
          V(numbers_in), TEXT("%[a-z]%n"), OUT(4), OUT(4));
  OUTCOME("end", "vfscanf __isoc99_vfscanf __isoc23_vfscanf", 'i',
          V(nothing_in), TEXT("%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  OUTCOME("short", "vfscanf __isoc99_vfscanf __isoc23_vfscanf", 'i',
          V(numbers_in), TEXT("%d %d"), LIST(at(3, 16)),
          WORDS(at(4, 4), at(5, 4)), OUT(4), OUT(4));
  OUTCOME("failure", "vfscanf __isoc99_vfscanf __isoc23_vfscanf", 'i',
          V(numbers_in), TEXT("%[a-z]"), LIST(at(3, 8)), WORDS(at(4, 4)),
          OUT(4));
  OUTCOME("end", "fwscanf __isoc99_fwscanf __isoc23_fwscanf", 'i',
          V(wide_nothing), TEXT(L"%d%s"), OUT(4), OUT(9));
  OUTCOME("short", "fwscanf __isoc99_fwscanf __isoc23_fwscanf", 'i', V(wide_in),
          TEXT(L"%d %d%n"), OUT(4), OUT(4), OUT(4));
  OUTCOME("failure", "fwscanf __isoc99_fwscanf __isoc23_fwscanf", 'i',
          V(wide_in), TEXT(L"%[a-z]%n"), OUT(4), OUT(4));
  OUTCOME("end", "vfwscanf __isoc99_vfwscanf __isoc23_vfwscanf", 'i',
          V(wide_nothing), TEXT(L"%d"), LIST(at(3, 8)), WORDS(at(4, 4)),
          OUT(4));
  OUTCOME("short", "vfwscanf __isoc99_vfwscanf __isoc23_vfwscanf", 'i',
          V(wide_in), TEXT(L"%d %d"), LIST(at(3, 16)),
          WORDS(at(4, 4), at(5, 4)), OUT(4), OUT(4));
  OUTCOME("failure", "vfwscanf __isoc99_vfwscanf __isoc23_vfwscanf", 'i',
          V(wide_in), TEXT(L"%[a-z]"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("fscanf __isoc99_fscanf __isoc23_fscanf", 'i', V(numbers_in),
       TEXT("%d %s"), OUT(4), OUT(9));
  CALL("vfscanf __isoc99_vfscanf __isoc23_vfscanf", 'i', V(numbers_in),
       TEXT("%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("fwscanf __isoc99_fwscanf __isoc23_fwscanf", 'i', V(wide_in),
       TEXT(L"%d %s"), OUT(4), OUT(9));
  CALL("vfwscanf __isoc99_vfwscanf __isoc23_vfwscanf", 'i', V(wide_in),
       TEXT(L"%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("vsscanf __isoc99_vsscanf __isoc23_vsscanf", 'i', TEXT("12"), TEXT("%d"),
       LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  CALL("swscanf __isoc99_swscanf __isoc23_swscanf", 'i', TEXT(L"12"),
       TEXT(L"%d"), OUT(4));
  CALL("vswscanf __isoc99_vswscanf __isoc23_vswscanf", 'i', TEXT(L"12"),
       TEXT(L"%d"), LIST(at(3, 8)), WORDS(at(4, 4)), OUT(4));
  /* Of the standard stream, which is another one meanwhile. */
  FILE *const standard = stdin;
  static FILE *const *const inputs[] = {&numbers_in, &nothing_in};
  for (int i = 0; i < 2; ++i) {
    stdin = *inputs[i];
    OUTCOME(i ? "end" : NULL, "scanf __isoc99_scanf __isoc23_scanf", 'i',
            TEXT("%d"), OUT(4));
    OUTCOME(i ? "end" : NULL, "vscanf __isoc99_vscanf __isoc23_vscanf", 'i',
            TEXT("%d"), LIST(at(2, 8)), WORDS(at(3, 4)), OUT(4));
    stdin = i ? wide_nothing : wide_in;
    OUTCOME(i ? "end" : NULL, "wscanf __isoc99_wscanf __isoc23_wscanf", 'i',
            TEXT(L"%d"), OUT(4));
    OUTCOME(i ? "end" : NULL, "vwscanf __isoc99_vwscanf __isoc23_vwscanf", 'i',
            TEXT(L"%d"), LIST(at(2, 8)), WORDS(at(3, 4)), OUT(4));
  }
  stdin = standard;
  refresh = NULL;
}

static void numbers(void) {
#define WIDE_INTEGERS                                                          \
  "wcstol wcstoul wcstoll wcstoull wcstoimax wcstoumax wcstoq wcstouq "        \
  "__isoc23_wcstol __isoc23_wcstoul __isoc23_wcstoll "                         \
  "__isoc23_wcstoull __isoc23_wcstoimax __isoc23_wcstoumax"
#define INTEGERS                                                               \
  "strtol strtoul strtoll strtoull strtoimax strtoumax strtoq strtouq "        \
  "__isoc23_strtol __isoc23_strtoul __isoc23_strtoll "                         \
  "__isoc23_strtoull __isoc23_strtoimax __isoc23_strtoumax"
#define LOCAL_INTEGERS                                                         \
  "strtol_l strtoul_l strtoll_l strtoull_l __isoc23_strtol_l "                 \
  "__isoc23_strtoul_l __isoc23_strtoll_l __isoc23_strtoull_l"
#define WIDE_LOCAL_INTEGERS                                                    \
  "wcstol_l wcstoul_l wcstoll_l wcstoull_l __isoc23_wcstol_l "                 \
  "__isoc23_wcstoul_l __isoc23_wcstoll_l __isoc23_wcstoull_l"
  const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  OUTCOME("empty", INTEGERS, 'l', TEXT(""), OUT(8), V(10));
  OUTCOME("empty", INTEGERS, 'l', TEXT("  x"), OUT(8), V(10));
  OUTCOME("empty", INTEGERS, 'l', TEXT("-"), V(0), V(10));
  OUTCOME("failure", INTEGERS, 'l', TEXT("12"), OUT(8), V(37));
  OUTCOME("failure", INTEGERS, 'l', TEXT("99999999999999999999"), OUT(8),
          V(10));
  CALL(INTEGERS, 'l', TEXT("12x"), OUT(8), V(10));
  CALL(LOCAL_INTEGERS, 'l', TEXT("0x1fg"), OUT(8), V(0), V(c));
  CALL(WIDE_LOCAL_INTEGERS, 'l', TEXT(L"12x"), OUT(8), V(10), V(c));
  OUTCOME("empty", LOCAL_INTEGERS, 'l', TEXT("0x"), OUT(8), V(16), V(c));
  OUTCOME("failure", LOCAL_INTEGERS, 'l', TEXT("12"), OUT(8), V(1), V(c));
  OUTCOME("empty", WIDE_INTEGERS, 'l', TEXT(L""), OUT(8), V(10));
  OUTCOME("empty", WIDE_INTEGERS, 'l', TEXT(L" -"), OUT(8), V(10));
  OUTCOME("empty", WIDE_INTEGERS, 'l', TEXT(L"0x"), OUT(8), V(0));
  OUTCOME("failure", WIDE_INTEGERS, 'l', TEXT(L"12"), OUT(8), V(37));
  OUTCOME("failure", WIDE_INTEGERS, 'l', TEXT(L"99999999999999999999"), OUT(8),
          V(10));
  CALL(WIDE_INTEGERS, 'l', TEXT(L"12"), V(0), V(10));
  CALL(WIDE_INTEGERS, 'l', TEXT(L"0x1fg"), OUT(8), V(16));
  CALL(WIDE_INTEGERS, 'l', RAW(L"12;"), OUT(8), V(0));
  OUTCOME("empty", WIDE_LOCAL_INTEGERS, 'l', TEXT(L"x"), OUT(8), V(10), V(c));
  OUTCOME("failure", WIDE_LOCAL_INTEGERS, 'l', TEXT(L"12"), OUT(8), V(1), V(c));
#define REALS "strtof strtod strtof32 strtof64 strtof32x strtof128"
#define LOCAL_REALS                                                            \
  "strtof_l strtod_l strtof32_l strtof64_l strtof32x_l strtof128_l"
#define LONG_REALS "strtold strtof64x"
#define LOCAL_LONG_REALS "strtold_l strtof64x_l"
#define WIDE_REALS "wcstof wcstod wcstof32 wcstof64 wcstof32x wcstof128"
#define WIDE_LOCAL_REALS                                                       \
  "wcstof_l wcstod_l wcstof32_l wcstof64_l wcstof32x_l wcstof128_l"
  static const char *const texts[] = {
      "",       "x",       "+",        "1e",      "1e+x",    "0x",
      "0x.",    "0xp",     "nan",      "nan(",    "nan(ab)", "nan(a-",
      "inf",    "infin",   "infinity", ".",       "1.",      "-.5",
      "1e9999", "1e-9999", "0x1p+",    "0x1.8p1", "  7 ",    "in"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; ++i) {
    wchar_t wide[40];
    const size_t n = strlen(texts[i]) + 1;
    for (size_t k = 0; k < n; ++k)
      wide[k] = texts[i][k];
    const int empty =
        !strchr("1n-i ", *texts[i]) || n == 1 || !strcmp(texts[i], "in");
    const char *const end = empty                   ? "empty"
                            : strchr(texts[i], '9') ? "failure"
                                                    : NULL;
    OUTCOME(end, REALS, 'd', IN(texts[i], n), OUT(8));
    OUTCOME(end, LOCAL_REALS, 'd', IN(texts[i], n), OUT(8), V(c));
    OUTCOME(end, WIDE_REALS, 'd', IN(wide, n * 4), OUT(8));
    OUTCOME(end, WIDE_LOCAL_REALS, 'd', IN(wide, n * 4), OUT(8), V(c));
    OUTCOME(end, LONG_REALS, 'L', IN(texts[i], n), OUT(8));
    OUTCOME(end, LOCAL_LONG_REALS, 'L', IN(texts[i], n), OUT(8), V(c));
    OUTCOME(end, "wcstold wcstof64x", 'L', IN(wide, n * 4), OUT(8));
    OUTCOME(end, "wcstold_l wcstof64x_l", 'L', IN(wide, n * 4), OUT(8), V(c));
    OUTCOME(end, "atof", 'd', IN(texts[i], n));
  }
  OUTCOME("empty", "atoi atol atoll", 'l', TEXT("x"));
  OUTCOME("failure", "atoi", 'i', TEXT("99999999999999999999"));
  OUTCOME("failure", "atol atoll", 'l', TEXT("99999999999999999999"));
}

static int by_first(const void *a, const void *b) {
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
HIDDEN static int all_equal(const void *a, const void *b) {
  return a == b ? 0 : 0;
}
HIDDEN static int always_less(const void *a, const void *b) {
  return a == b ? -1 : -1;
}

static void words(void) {
  OUTCOME("end", "strtok_r __strtok_r", 'p', TEXT(""), TEXT(","), OUT(8));
  OUTCOME("end", "strtok_r __strtok_r", 'p', TEXT(",,"), TEXT(","), OUT(8));
  OUTCOME("end", "strtok_r __strtok_r", 'p', V(0), TEXT(","), WORDS(at(3, 1)),
          TEXT(""));
  CALL("strtok_r __strtok_r", 'p', V(0), TEXT(","), WORDS(at(3, 4)),
       TEXT("a,b"));
  CALL("strtok_r __strtok_r", 'p', TEXT("ab"), TEXT(","), OUT(8));
  CALL("strtok_r __strtok_r", 'p', TEXT("ab"), TEXT(""), OUT(8));
  OUTCOME("end", "strtok", 'p', TEXT(",,"), TEXT(","));
  OUTCOME("end", "strsep", 'p', WORDS(0), TEXT(","));
  CALL("strsep", 'p', WORDS(at(2, 3)), TEXT(","), TEXT("ab"));
  CALL("strsep", 'p', WORDS(at(2, 3)), TEXT(""), TEXT("ab"));
  OUTCOME("empty", "strsep", 'p', WORDS(at(2, 2)), TEXT(","), TEXT(","));
  OUTCOME("empty", "strsep", 'p', WORDS(at(2, 1)), TEXT(","), TEXT(""));
  OUTCOME("end", "wcstok", 'p', TEXT(L""), TEXT(L","), OUT(8));
  OUTCOME("end", "wcstok", 'p', TEXT(L",,"), TEXT(L","), OUT(8));
  OUTCOME("end", "wcstok", 'p', V(0), TEXT(L","), WORDS(0));
  CALL("wcstok", 'p', TEXT(L"ab"), TEXT(L","), OUT(8));
  OUTCOME("failure", "memccpy", 'p', OUT(3), RAW("abc"), V('x'), V(3));
  OUTCOME("empty", "memccpy", 'p', OUT(3), RAW("abc"), V('x'), V(0));
  OUTCOME("empty", "swab", 'v', IN("ab", 2), OUT(2), V(1));
  OUTCOME("failure", "lfind", 'p', RAW("x"), RAW("abc"), WORDS(3), V(1),
          V(by_first));
  OUTCOME("empty", "lfind", 'p', RAW("x"), RAW("abc"), WORDS(0), V(1),
          V(by_first));
  CALL("lsearch", 'p', RAW("b"), RAW("abc"), WORDS(3), V(1), V(by_first));
  OUTCOME("empty", "lsearch", 'p', RAW("b"), OUT(1), WORDS(0), V(1),
          V(by_first));
  OUTCOME("empty", "qsort", 'v', RAW("a"), V(1), V(1), V(by_first));
  OUTCOME("empty", "qsort", 'v', RAW("a"), V(0), V(1), V(by_first));
  OUTCOME("empty", "qsort", 'v', RAW("abc"), V(3), V(0), V(all_equal));
  OUTCOME("empty", "qsort_r", 'v', RAW("a"), V(1), V(1), V(by_first), V(0));
  OUTCOME("empty", "qsort_r", 'v', RAW("a"), V(0), V(1), V(by_first), V(0));
  CALL("qsort", 'v', RAW("abc"), V(3), V(1), V(by_first));
  CALL("qsort", 'v', RAW("ab"), V(2), V(1), V(all_equal));
  CALL("qsort_r", 'v', RAW("ba"), V(2), V(1), V(by_first), V(0));
  CALL("qsort", 'v', IN(long_text, 6000), V(100), V(60), V(always_less));
  CALL("qsort_r", 'v', IN(long_text, 600), V(50), V(12), V(all_equal), V(0));

  static void *root;
  tsearch("b", &root, all_equal);
  CALL("tsearch", 'v', TEXT("b"), INX(&root, 8), V(all_equal));
  CALL("tsearch", 'v', TEXT("b"), INX(&root, 8), V(always_less));
  OUTCOME("empty", "tfind", 'v', TEXT("b"), ZERO(8), V(all_equal));
  OUTCOME("empty", "tfind", 'v', TEXT("b"), V(0), V(all_equal));
  CALL("tfind", 'p', TEXT("b"), INX(&root, 8), V(all_equal));
  OUTCOME("failure", "tfind", 'p', TEXT("b"), INX(&root, 8), V(always_less));
  OUTCOME("failure", "tdelete", 'p', TEXT("b"), INX(&root, 8), V(always_less));
  OUTCOME("empty", "tdelete", 'v', TEXT("b"), ZERO(8), V(all_equal));
  CALL("tdelete", 'v', TEXT("b"), INX(&root, 8), V(all_equal));
  OUTCOME("failure", "hcreate_r", 'i', V(20), WORDS(1, 2, 3, 4, 5, 6));

  /* Lists of strings. */
  OUTCOME("empty", "argz_create", 'e', WORDS(0), OUT(8), OUT(8));
  OUTCOME("empty", "argz_create_sep", 'e', TEXT(""), V(':'), OUT(8), OUT(8));
  OUTCOME("empty", "argz_create_sep", 'e', TEXT("::"), V(':'), OUTX(8), OUT(8));
  OUTCOME("empty", "argz_add_sep", 'e', ZERO(8), ZERO(8), TEXT(""), V(':'));
  OUTCOME("empty", "argz_append", 'e', INX(zeros, 8), ZERO(8), TEXT("x"), V(0));
  CALL("argz_insert", 'e', WORDS(at(4, 4)), WORDS(4), V(1), TEXT("x"),
       RAW("a\0b"));
  OUTCOME("failure", "argz_insert", 'e', WORDS(at(4, 4)), WORDS(4), V(1),
          TEXT("x"), IN("a\0b", 4));
  OUTCOME("empty", "argz_replace", 'e', WORDS(0), WORDS(0), TEXT("x"),
          TEXT("y"), ZERO(4));
  OUTCOME("failure", "argz_replace", 'e', WORDS(at(5, 4)), WORDS(4), TEXT("x"),
          TEXT("y"), ZERO(4), IN("a\0b", 4));
  CALL("argz_replace", 'e', INX(((long[]){at(5, 4)}), 8), WORDS(4), TEXT("b"),
       TEXT("yy"), ZERO(4), IN("a\0b", 4));
  CALL("argz_replace", 'e', INX(((long[]){at(5, 4)}), 8), WORDS(4), TEXT("b"),
       TEXT("yy"), V(0), IN("a\0b", 4));
  OUTCOME("empty", "argz_replace", 'e', WORDS(at(5, 4)), WORDS(4), TEXT(""),
          TEXT("y"), ZERO(4), IN("a\0b", 4));
  CALL("argz_delete", 'v', WORDS(at(3, 4)), WORDS(4), V(at(3, 4)),
       IN("a\0b", 4));
  OUTCOME("empty", "argz_delete", 'v', WORDS(at(3, 4)), WORDS(4), V(0),
          IN("a\0b", 4));
  OUTCOME("empty", "argz_stringify", 'v', IN("a", 2), V(2), V(':'));
  OUTCOME("empty", "argz_stringify", 'v', IN("a", 2), V(0), V(':'));
  OUTCOME("empty", "argz_extract", 'v', IN("a\0b", 4), V(0), OUT(8));
  OUTCOME("empty", "argz_count", 'l', IN("a\0b", 4), V(0));
  CALL("envz_remove", 'v', WORDS(at(3, 8)), WORDS(8), TEXT("n"),
       IN("a=b\0n=v", 8));
  CALL("envz_strip", 'v', WORDS(at(2, 6)), WORDS(6), IN("a=b\0n", 6));
  OUTCOME("empty", "envz_merge", 'e', INX(zeros, 8), ZERO(8), TEXT("n=v"), V(0),
          V(1));
  CALL("envz_merge", 'e', INX(((long[]){at(5, 4)}), 8), WORDS(4), TEXT("n=v"),
       V(4), V(0), IN("n=w", 4));
  CALL("envz_add", 'e', INX(zeros, 8), ZERO(8), TEXT("n"), V(0));
  OUTCOME("end", "getsubopt", 'i', WORDS(at(3, 1)), WORDS(at(4, 3), 0), OUT(8),
          TEXT(""), TEXT("rw"));
  CALL("getsubopt", 'i', WORDS(at(3, 3)), WORDS(at(4, 3), 0), OUT(8),
       TEXT("rw"), TEXT("rw"));

  /* Patterns. */
  OUTCOME("failure", "fnmatch", 'e', TEXT("a*c"), TEXT("abd"), V(0));
  OUTCOME("failure", "fnmatch", 'e', TEXT("a"), TEXT("bcd"), V(0));
  static regex_t program, quiet;
  regcomp(&program, "b(c)?", REG_EXTENDED);
  regcomp(&quiet, "b", REG_EXTENDED | REG_NOSUB);
#define PROGRAM INX(&program, sizeof program)
  CALL("regexec", 'e', PROGRAM, TEXT("abcd"), V(3), OUT(24), V(0));
  CALL("regexec", 'e', PROGRAM, TEXT("ab"), V(2), OUT(16), V(0));
  OUTCOME("empty", "regexec", 'e', PROGRAM, TEXT("abcd"), V(0), OUT(24), V(0));
  OUTCOME("failure", "regexec", 'e', PROGRAM, TEXT("xyz"), V(3), OUT(24), V(0));
  OUTCOME("failure", "regexec", 'e', PROGRAM, TEXT(""), V(3), OUT(24), V(0));
  CALL("regexec", 'e', INX(&quiet, sizeof quiet), TEXT("abcd"), V(3), OUT(24),
       V(0));
  OUTCOME("failure", "regexec", 'e', PROGRAM, TEXT("ab"), V(1), WORDS(0),
          V(REG_STARTEND));
  OUTCOME("failure", "regcomp", 'e', OUT(64), TEXT("a(b"), V(REG_EXTENDED));
  OUTCOME("failure", "regcomp", 'e', OUT(64), TEXT("[z-a]"), V(0));
  OUTCOME("truncated", "regerror", 'l', V(8), V(0), OUT(3), V(3));
  OUTCOME("empty", "regerror", 'l', V(8), V(0), OUT(3), V(0));
  OUTCOME("empty", "regerror", 'l', V(8), V(0), V(0), V(0));
  CALL("regerror", 'l', V(8), V(0), OUT(BASE_PAGE + 50), V(BASE_PAGE + 50));
  OUTCOME("empty", "wordexp", 'e', TEXT(""), OUTX(24), V(0));
  OUTCOME("failure", "wordexp", 'e', TEXT("a;b"), OUT(24), V(0));
  OUTCOME("failure", "wordexp", 'e', TEXT("$("), OUT(24), V(0));
  OUTCOME("failure", "wordexp", 'e', TEXT("$NONE"), OUT(24), V(WRDE_UNDEF));
  OUTCOME("failure", "wordexp", 'e', TEXT("a (b"), OUT(24), V(0));
  CALL("wordexp", 'e', TEXT("a b"), INX(((long[]){0, 0, 2}), 24),
       V(WRDE_DOOFFS));
  OUTCOME("failure", "glob glob64", 'e', TEXT("/none*"), V(0), V(0), OUT(72));
  CALL("glob glob64", 'e', TEXT("/none*"), V(GLOB_NOCHECK), V(0), OUTX(72));
  CALL("glob glob64", 'e', TEXT("/e*c"), V(GLOB_DOOFFS), V(0),
       INX(((long[]){0, 0, 2, 0, 0, 0, 0, 0, 0}), 72));
  OUTCOME("failure", "glob glob64", 'e', TEXT("/e*c"), V(1 << 30), V(0),
          OUT(72));
}

static void first_option(void) { optind = 0, opterr = 0; }
static void options(void) {
  refresh = first_option;
#define ARGUMENTS WORDS(at(3, 2), at(4, 4), 0)
  OUTCOME("end", "getopt __posix_getopt", 'i', V(1), WORDS(at(3, 2), 0),
          TEXT("a"), TEXT("x"));
  OUTCOME("end", "getopt __posix_getopt", 'i', V(2), ARGUMENTS, TEXT("a"),
          TEXT("x"), TEXT("abc"));
  OUTCOME("failure", "getopt __posix_getopt", 'i', V(2), ARGUMENTS, TEXT("a"),
          TEXT("x"), TEXT("-bc"));
  OUTCOME("failure", "getopt __posix_getopt", 'i', V(2),
          WORDS(at(3, 2), at(4, 3), 0), TEXT("b:"), TEXT("x"), TEXT("-b"));
  CALL("getopt __posix_getopt", 'i', V(2), ARGUMENTS, TEXT("b:"), TEXT("x"),
       TEXT("-bc"));
  /* An option behind a word: the words are exchanged. */
  CALL("getopt", 'i', V(3), WORDS(at(3, 2), at(4, 2), at(5, 3), 0), TEXT("b"),
       TEXT("x"), TEXT("w"), TEXT("-b"));
#define LONG_OPTIONS                                                           \
  WORDS(at(7, 4), 1, 0, 'c', at(8, 4), 0, at(9, 4), 7, 0, 0, 0, 0)
#define LONG(end, word)                                                        \
  OUTCOME(end, "getopt_long getopt_long_only", 'i', V(2),                      \
          WORDS(at(5, 2), at(6, sizeof(word)), 0), TEXT("a"), LONG_OPTIONS,    \
          OUT(4), TEXT("x"), TEXT(word), TEXT("abc"), TEXT("abd"), OUT(4))
  LONG(NULL, "--abc=5");
  LONG(NULL, "--abd");
  LONG(NULL, "-a");
  LONG("failure", "--abc");
  LONG("failure", "--ab");
  LONG("failure", "--none");
  LONG("failure", "--abd=5");
  LONG("end", "--");
  LONG("end", "w");
  refresh = NULL;
}

static void times(void) {
  const struct tm far = {.tm_year = 0x7ffffff0}, day = {.tm_mday = 5};
  struct tm wrong = {.tm_year = 0x7fffffff, .tm_mon = 99};
#define TM(t) IN(&t, sizeof t)
  CALL("asctime_r", 'p', TM(far), OUT(26));
  OUTCOME("failure", "asctime_r", 'p', TM(wrong), OUT(26));
  CALL("asctime_r", 'p', V(0), OUT(26));
  OUTCOME("failure", "asctime", 'p', TM(wrong));
  OUTCOME("failure", "ctime_r", 'p', WORDS(1L << 62), OUT(26));
  OUTCOME("failure", "ctime", 'p', WORDS(1L << 62));
  OUTCOME("failure", "gmtime_r localtime_r", 'p', WORDS(1L << 62), OUT(56));
  OUTCOME("failure", "gmtime localtime", 'p', WORDS(1L << 62));
  wrong.tm_year = 0x7fffffff, wrong.tm_mon = 0x7fffffff;
  OUTCOME("failure", "mktime timelocal timegm", 'l', TM(wrong));
  CALL("mktime timelocal timegm", 'l', TM(day));
  OUTCOME("failure", "strptime", 'p', TEXT("12:x"), TEXT("%H:%M"), OUT(56));
  OUTCOME("failure", "strptime", 'p', TEXT("x"), TEXT("%H:%M"), OUT(56));
  OUTCOME("end", "strptime", 'p', TEXT("12:"), TEXT("%H:%M"), OUT(56));
  OUTCOME("empty", "strptime", 'p', TEXT(""), TEXT(""), OUT(56));
  CALL("strptime", 'p', TEXT("2001-02-03 rest"), TEXT("%Y-%m-%d"), OUT(56));
  const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  OUTCOME("failure", "strptime_l", 'p', TEXT("12:x"), TEXT("%H:%M"), OUT(56),
          V(c));
  OUTCOME("truncated", "strftime", 'l', OUT(3), V(3), TEXT("%Y"), TM(day));
  OUTCOME("truncated", "strftime", 'l', OUT(BASE_PAGE), V(3), TEXT("%Y"),
          TM(day));
  OUTCOME("empty", "strftime", 'l', OUT(3), V(3), TEXT(""), TM(day));
  OUTCOME("empty", "strftime", 'l', OUT(3), V(0), TEXT("%Y"), TM(day));
  OUTCOME("truncated", "strftime_l", 'l', OUT(3), V(3), TEXT("%Y"), TM(day),
          V(c));
  OUTCOME("empty", "strftime_l", 'l', OUT(3), V(3), TEXT(""), TM(day), V(c));
  OUTCOME("truncated", "wcsftime", 'l', OUT(12), V(3), TEXT(L"%Y"), TM(day));
  OUTCOME("empty", "wcsftime", 'l', OUT(12), V(3), TEXT(L""), TM(day));
  OUTCOME("empty", "wcsftime", 'l', OUT(12), V(0), TEXT(L"%Y"), TM(day));
  OUTCOME("truncated", "wcsftime_l", 'l', OUT(12), V(3), TEXT(L"%Y"), TM(day),
          V(c));
  OUTCOME("empty", "wcsftime_l", 'l', OUT(12), V(3), TEXT(L""), TM(day), V(c));
  OUTCOME("failure", "getdate_r", 'e', TEXT("nonsense"), OUT(56));
}

int main(void) {
  memset(long_text, 'x', sizeof long_text - 1);
  set_up();
  only_good = 1;
  prints();
  scans();
  last_bytes = 4;
  numbers();
  words();
  options();
  times();
  return 0;
}

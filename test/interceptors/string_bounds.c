/*===- string_bounds.c - Strings that end where memory ends ----------------===*
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

#include <iconv.h>
#include <locale.h>
#include <wchar.h>

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
static char long_text[SPAN];

static int is_first(const void *a, const void *b) {
  return *(const char *)a - *(const char *)b;
}

static void free_it(long p) { free((void *)p); }

static void memory(void) {
  for (int n = 0; n < 3; ++n) {
    const long bytes = n == 0 ? 0 : n == 1 ? 31 : 3 * 65536 + 17;
    CALL("memcpy memmove mempcpy", 'p', OUT(bytes), IN(long_text, bytes),
         V(bytes));
    CALL("__memcpy_chk __memmove_chk __mempcpy_chk", 'p', OUT(bytes),
         IN(long_text, bytes), V(bytes), V(bytes));
    CALL("bcopy", 'v', IN(long_text, bytes), OUT(bytes), V(bytes));
    CALL("memset", 'p', OUT(bytes), V('x'), V(bytes));
    CALL("__memset_chk", 'p', OUT(bytes), V('x'), V(bytes), V(bytes));
    CALL("bzero explicit_bzero __explicit_bzero_chk", 'v', OUT(bytes), V(bytes),
         V(bytes));
    CALL("memcmp bcmp", 's', IN(long_text, bytes), IN(long_text, bytes),
         V(bytes));
    CALL("memchr memrchr", 'p', IN(long_text, bytes), V('#'), V(bytes));
    CALL("memccpy", 'p', OUT(bytes), IN(long_text, bytes), V('#'), V(bytes));
    CALL("memfrob", 'p', IN(long_text, bytes), V(bytes));
    CALL("swab", 'v', IN(long_text, bytes), OUT(bytes), V(bytes));
    CALL("memmem", 'p', IN(long_text, bytes), V(bytes), RAW("#?"), V(2));
    CALL("memmem", 'p', RAW("#?"), V(2), IN(long_text, bytes), V(bytes));
    CALL("strnlen", 'l', IN(long_text, bytes), V(bytes));
    CALL("strncmp strncasecmp", 's', IN(long_text, bytes), IN(long_text, bytes),
         V(bytes));
    CALL("strncpy stpncpy", 'p', OUT(bytes), IN(long_text, bytes), V(bytes));
    CALL("__strncpy_chk __stpncpy_chk", 'p', OUT(bytes), IN(long_text, bytes),
         V(bytes), V(bytes));
  }
  /* The answer comes before the end of the length. */
  CALL("memchr", 'p', RAW("abc"), V('c'), V(-1));
  CALL("memchr memrchr", 'p', RAW("abc"), V('b'), V(3));
  CALL("rawmemchr", 'p', RAW("abc"), V('c'));
  CALL("memcmp bcmp", 's', RAW("abd"), TEXT("abc"), V(3));
  CALL("memccpy", 'p', OUT(3), RAW("abc"), V('c'), V(100));
  CALL("memmem", 'p', RAW("abcdef"), V(6), RAW("ef"), V(2));
  CALL("memmem", 'p', RAW("abcdef"), V(6), OUT(0), V(0));
  CALL("swab", 'v', RAW("abcde"), OUT(4), V(5));
  CALL("swab", 'v', OUT(0), OUT(0), V(-2));
}

static void wide_memory(void) {
  for (long n = 0; n < 3; ++n) {
    const long bytes = n == 0 ? 0 : n == 1 ? 28 : 3 * 65536 + 16;
    CALL("wmemcpy wmemmove wmempcpy", 'p', OUT(bytes), IN(long_text, bytes),
         V(bytes / 4));
    CALL("__wmemcpy_chk __wmemmove_chk __wmempcpy_chk", 'p', OUT(bytes),
         IN(long_text, bytes), V(bytes / 4), V(bytes / 4));
    CALL("wmemset", 'p', OUT(bytes), V('x'), V(bytes / 4));
    CALL("__wmemset_chk", 'p', OUT(bytes), V('x'), V(bytes / 4), V(bytes / 4));
    CALL("wmemcmp", 's', IN(long_text, bytes), IN(long_text, bytes),
         V(bytes / 4));
    CALL("wmemchr", 'p', IN(long_text, bytes), V('#'), V(bytes / 4));
    CALL("wcsnlen", 'l', IN(long_text, bytes), V(bytes / 4));
    CALL("wcsncpy wcpncpy", 'p', OUT(bytes), IN(long_text, bytes),
         V(bytes / 4));
    CALL("__wcsncpy_chk __wcpncpy_chk", 'p', OUT(bytes), IN(long_text, bytes),
         V(bytes / 4), V(bytes / 4));
  }
  CALL("wmemchr", 'p', RAW(L"abc"), V('c'), V(3));
}

static void strings(void) {
  CALL("strlen", 'l', TEXT("hello"));
  CALL("strlen", 'l', TEXT(""));
  CALL("strlen", 'l', IN(long_text + 100, sizeof long_text - 100));
  CALL("strnlen", 'l', RAW("hello"), V(5));
  CALL("strnlen", 'l', TEXT("hello"), V(-1));
  CALL("strnlen memchr", 'l', OUT(0), V(0), V(0));
  CALL("strcpy stpcpy __stpcpy", 'p', OUT(6), TEXT("hello"));
  CALL("__strcpy_chk __stpcpy_chk", 'p', OUT(6), TEXT("hello"), V(6));
  CALL("strncpy stpncpy", 'p', OUT(10), TEXT("hello"), V(10));
  CALL("__strncpy_chk __stpncpy_chk", 'p', OUT(10), TEXT("hello"), V(10),
       V(10));
  CALL("strcat", 'p', TEXT("ab\0\0\0"), TEXT("cde"));
  CALL("__strcat_chk", 'p', TEXT("ab\0\0\0"), TEXT("cde"), V(6));
  CALL("strncat", 'p', TEXT("ab\0\0\0"), RAW("cde"), V(3));
  /* The runtime's own strncat and wcsncat touch nothing if the count is 0.
   * Those of older libcs look for the end of the destination: the truth is
   * another there. */
  CALL_SINCE(38, "strncat", 'p', TEXT("ab"), OUT(0), V(0));
  CALL("strncat strcat", 'p', TEXT("ab"), TEXT(""), V(5));
  CALL("strncat", 'p', TEXT("ab\0\0"), TEXT("cd"), V(-1));
  CALL("__strncat_chk", 'p', TEXT("ab\0\0\0"), RAW("cde"), V(3), V(6));
  clean_up = free_it;
  CALL("strdup __strdup", 'p', TEXT("hello"));
  CALL("strndup __strndup", 'p', RAW("hello"), V(5));
  CALL("strndup", 'p', TEXT("hello"), V(9));
  CALL("wcsdup", 'p', TEXT(L"hello"));
  clean_up = NULL;
  const locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
  CALL("strcmp strcasecmp strcoll strverscmp", 's', TEXT("abc"), TEXT("abc"));
  CALL("strcmp strcasecmp strcoll", 's', RAW("abd"), RAW("abc"));
  CALL("strcasecmp", 's', RAW("AbD"), RAW("aBc"));
  CALL("strverscmp", 's', TEXT("abd"), TEXT("abc"));
  CALL("strverscmp", 's', RAW("abd"), RAW("abc"));
  CALL("strcmp strcasecmp strcoll", 's', TEXT("ab"), RAW("abc"));
  CALL("strcasecmp_l strcoll_l", 's', RAW("abd"), RAW("abc"), V(locale));
  CALL("strncmp strncasecmp", 's', RAW("abc"), RAW("abc"), V(3));
  CALL("strncmp strncasecmp", 's', OUT(0), OUT(0), V(0));
  CALL("strncmp strncasecmp", 's', RAW("abd"), RAW("abc"), V(100));
  CALL("strncasecmp_l", 's', RAW("abc"), RAW("abc"), V(3), V(locale));
  CALL("strxfrm", 'l', OUT(6), TEXT("hello"), V(6));
  CALL("strxfrm", 'l', OUT(0), TEXT("hello"), V(0));
  CALL("strxfrm_l", 'l', OUT(6), TEXT("hello"), V(6), V(locale));
  CALL("strchr strchrnul index strrchr rindex", 'p', TEXT("hello"), V('l'));
  CALL("strchr strchrnul index strrchr rindex", 'p', TEXT("hello"), V('x'));
  CALL("strchr strchrnul index strrchr rindex", 'p', TEXT("hello"), V(0));
  CALL("strchr strchrnul index", 'p', RAW("hello"), V('o'));
  CALL("strstr strcasestr", 'p', TEXT("hello"), TEXT("ll"));
  CALL("strstr strcasestr", 'p', TEXT("hello"), TEXT("xx"));
  CALL("strstr strcasestr", 'p', TEXT("hello"), TEXT(""));
  CALL("strpbrk", 'p', TEXT("hello"), TEXT("xl"));
  CALL("strpbrk", 'p', RAW("hello"), TEXT("o"));
  CALL("strpbrk", 'p', TEXT("hello"), TEXT("xyz"));
  CALL("strspn strcspn", 'l', TEXT("hello"), TEXT("hel"));
  CALL("strspn strcspn", 'l', TEXT("hello"), TEXT(""));
  CALL("strspn", 'l', TEXT("aaa"), RAW("ab"));
  CALL("strspn strcspn", 'l', TEXT(""), RAW("ab"));
  CALL("strcspn", 'l', TEXT("a"), RAW("ab"));
  CALL("strspn", 'l', RAW("hello"), TEXT("hel"));
  CALL("strcspn", 'l', RAW("hello"), TEXT("o"));
  CALL("strtok", 'p', TEXT(" hello you"), TEXT(" "));
  CALL("strtok_r __strtok_r", 'p', TEXT(" hello you"), TEXT(" "), OUT(8));
  CALL("strtok_r __strtok_r", 'p', TEXT("   "), TEXT(" "), OUT(8));
  CALL("strtok_r __strtok_r", 'p', V(0), TEXT(" "), WORDS(at(3, 4)),
       TEXT("you"));
  CALL("strsep", 'p', WORDS(at(2, 10)), TEXT(" "), TEXT("hello you"));
  CALL("strsep", 'p', ZERO(8), TEXT(" "));
}

static void numbers(void) {
  static const char *const whole[] = {
      "12", " -7", "0x", "0x1f", "", "  +", "077", "x", "99999999999999999999",
      "0",  "0xg", "-"};
  for (unsigned i = 0; i < sizeof whole / sizeof *whole; ++i)
    for (int base = -1; base <= 16; base += base < 0 ? 1 : base < 10 ? 10 : 6) {
      const size_t n = strlen(whole[i]) + 1;
      CALL("strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq",
           'l', IN(whole[i], n), OUT(8), V(base));
      CALL("strtol strtoul", 'l', IN(whole[i], n), V(0), V(base));
    }
  const locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
  CALL("strtol_l strtoul_l strtoll_l strtoull_l", 'l', TEXT("12"), OUT(8),
       V(10), V(locale));
  CALL("strtol strtoul", 'l', RAW("12;"), OUT(8), V(10));
  CALL("strtol strtoul atol atoll", 'l', RAW("12 "), V(0), V(10));
  CALL("atoi", 'i', RAW("12;"));
  static const char *const real[] = {
      "1.5",  "1e5", "1e", "1e+",    "0x1p3", "nan",  "inf", "",
      "nanx", ".",   "-",  "nan(1)", "nan(",  "infi", "0x",  "0x."};
  for (unsigned i = 0; i < sizeof real / sizeof *real; ++i) {
    CALL("strtod strtof strtold atof", 'd', IN(real[i], strlen(real[i]) + 1),
         OUT(8));
    CALL("strtod_l strtof_l strtold_l", 'd', IN(real[i], strlen(real[i]) + 1),
         OUT(8), V(locale));
  }
  CALL("strtod strtof strtold atof strtof32 strtof64 strtof32x strtof64x "
       "strtof128",
       'd', RAW("1.5;"), OUT(8));
  CALL("strtod_l strtof_l strtold_l strtof32_l strtof64_l strtof32x_l "
       "strtof64x_l strtof128_l",
       'd', RAW("1.5;"), OUT(8), V(newlocale(LC_ALL_MASK, "C", NULL)));
  CALL("wcstol wcstoll wcstoul wcstoull wcstoimax wcstoumax wcstoq wcstouq",
       'l', TEXT(L" -12"), OUT(8), V(10));
  CALL("wcstol_l wcstoll_l wcstoul_l wcstoull_l", 'l', TEXT(L" -12"), OUT(8),
       V(10), V(newlocale(LC_ALL_MASK, "C", NULL)));
  CALL("wcstof32 wcstof64 wcstof32x wcstof64x wcstof128", 'd', TEXT(L"1e"),
       OUT(8));
  CALL("wcstod_l wcstof_l wcstold_l wcstof32_l wcstof64_l wcstof32x_l "
       "wcstof64x_l wcstof128_l",
       'd', TEXT(L"1e"), OUT(8), V(newlocale(LC_ALL_MASK, "C", NULL)));
  CALL("wcstok", 'p', TEXT(L"a,b"), TEXT(L","), OUT(8));
  CALL("wcstok", 'p', TEXT(L",,"), TEXT(L","), OUT(8));
  CALL("wcstok", 'p', TEXT(L"ab"), TEXT(L","), OUT(8));
  CALL("wcstok", 'p', V(0), TEXT(L","), WORDS(at(3, 8)), TEXT(L"b"));
  CALL("wcstol wcstoll wcstoul wcstoull", 'l', TEXT(L"0x"), OUT(8), V(0));
  CALL("wcstol wcstoll wcstoul wcstoull", 'l', TEXT(L"1"), OUT(8), V(1));
  CALL("wcstod wcstof wcstold", 'd', TEXT(L"1e"), OUT(8));
}

static void wide(void) {
  CALL("wcslen", 'l', TEXT(L"hello"));
  CALL("wcsnlen", 'l', RAW(L"hello"), V(5));
  CALL("wcsnlen", 'l', TEXT(L"hello"), V(-1));
  CALL("wcscpy wcpcpy", 'p', OUT(24), TEXT(L"hello"));
  CALL("__wcscpy_chk __wcpcpy_chk", 'p', OUT(24), TEXT(L"hello"), V(6));
  CALL("wcsncpy wcpncpy", 'p', OUT(40), TEXT(L"hello"), V(10));
  CALL("__wcsncpy_chk __wcpncpy_chk", 'p', OUT(40), TEXT(L"hello"), V(10),
       V(10));
  CALL("wcscat", 'p', TEXT(L"ab\0\0\0"), TEXT(L"cde"));
  CALL("__wcscat_chk", 'p', TEXT(L"ab\0\0\0"), TEXT(L"cde"), V(6));
  CALL("wcsncat", 'p', TEXT(L"ab\0\0\0"), RAW(L"cde"), V(3));
  CALL_SINCE(38, "wcsncat", 'p', TEXT(L"ab"), OUT(0), V(0));
  CALL("__wcsncat_chk", 'p', TEXT(L"ab\0\0\0"), RAW(L"cde"), V(3), V(6));
  CALL("wcscmp", 's', TEXT(L"abc"), TEXT(L"abc"));
  CALL("wcscmp", 's', RAW(L"abd"), RAW(L"abc"));
  CALL("wcsncmp", 's', RAW(L"abc"), RAW(L"abc"), V(3));
  CALL("wmemcmp", 's', RAW(L"abd"), RAW(L"abc"), V(3));
  CALL("wcschr wcschrnul wcsrchr", 'p', TEXT(L"hello"), V('l'));
  CALL("wcschr wcschrnul wcsrchr", 'p', TEXT(L"hello"), V('x'));
  CALL("wcschr wcschrnul", 'p', RAW(L"hello"), V('o'));
  CALL("wcsstr", 'p', TEXT(L"hello"), TEXT(L"ll"));
  CALL("wcsstr", 'p', TEXT(L"hello"), TEXT(L"xx"));
  CALL("wcsstr", 'p', TEXT(L"hello"), RAW(L"xo"));
  CALL("wcsstr", 'p', TEXT(L"hello"), RAW(L"lx"));
  CALL("wcsstr", 'p', TEXT(L"hel"), RAW(L"lo"));
  CALL("wcsspn wcscspn", 'l', TEXT(L"aaa"), RAW(L"ab"));
  CALL("wcsspn wcscspn", 'l', TEXT(L""), RAW(L"ab"));
  CALL("wcspbrk", 'p', TEXT(L"bb"), RAW(L"ab"));
  CALL("wcspbrk", 'p', RAW(L"hello"), TEXT(L"o"));
  CALL("wcspbrk", 'p', TEXT(L"hello"), TEXT(L"x"));
  CALL("wcsspn wcscspn", 'l', TEXT(L"hello"), TEXT(L"hel"));
  CALL("wcscspn", 'l', RAW(L"hello"), TEXT(L"o"));
}

/* Copies with room. The runtime has its own of them. */
static void with_room(void) {
  for (long n = 0; n < 2; ++n) {
    const long bytes = n == 0 ? 28 : 3 * 65536 + 16;
    const char *const text = long_text + sizeof long_text - bytes;
    CALL_SINCE(38, "strlcpy", 'l', OUT(bytes), IN(text, bytes), V(bytes));
    CALL_SINCE(38, "strlcat", 'l', OUT(bytes), IN(text, bytes), V(0));
  }
  CALL_SINCE(38, "strlcpy __strlcpy_chk", 'l', OUT(6), TEXT("hello"), V(6),
             V(9));
  CALL_SINCE(38, "strlcat __strlcat_chk", 'l', TEXT("ab\0\0\0"), TEXT("cde"),
             V(6), V(6));
  CALL_SINCE(38, "wcslcpy __wcslcpy_chk", 'l', OUT(24), TEXT(L"hello"), V(6),
             V(9));
  CALL_SINCE(38, "wcslcat __wcslcat_chk", 'l', TEXT(L"ab\0\0\0"), TEXT(L"cde"),
             V(6), V(6));
  if (!libc_since(38))
    return;
  OUTCOME("truncated", "strlcpy", 'l', OUT(3), TEXT("hello"), V(3));
  OUTCOME("truncated", "strlcpy", 'l', OUT(0), TEXT("hello"), V(0));
  OUTCOME("truncated", "strlcat", 'l', TEXT("ab\0"), TEXT("cde"), V(4));
  OUTCOME("truncated", "strlcat", 'l', RAW("ab"), TEXT("cde"), V(2));
  OUTCOME("truncated", "wcslcpy", 'l', OUT(12), TEXT(L"hello"), V(3));
  OUTCOME("truncated", "wcslcpy", 'l', OUT(0), TEXT(L"hello"), V(0));
  OUTCOME("truncated", "wcslcat", 'l', TEXT(L"ab\0"), TEXT(L"cde"), V(4));
  OUTCOME("truncated", "wcslcat", 'l', RAW(L"ab"), TEXT(L"cde"), V(2));
}

static void character_sets(void) {
  CALL("mbstowcs", 'l', OUT(12), RAW("abc"), V(3));
  CALL("mbstowcs", 'l', OUT(16), TEXT("abc"), V(9));
  CALL("mbstowcs", 'l', V(0), TEXT("abc"), V(0));
  CALL("__mbstowcs_chk", 'l', OUT(12), RAW("abc"), V(3), V(3));
  CALL("wcstombs", 'l', OUT(3), RAW(L"abc"), V(3));
  CALL("wcstombs", 'l', OUT(4), TEXT(L"abc"), V(4));
  CALL("wcstombs", 'l', OUT(4), RAW(L"abc\xffffff"), V(4));
  CALL("__wcstombs_chk", 'l', OUT(3), RAW(L"abc"), V(3), V(3));
  CALL("mbstowcs", 'l', OUT(40), RAW("ab\xff"), V(9));
  CALL("mbsrtowcs", 'l', OUT(12), WORDS(at(4, 3)), V(3), ZERO(8), RAW("abc"));
  CALL("mbsrtowcs", 'l', OUT(16), WORDS(at(4, 4)), V(4), V(0), TEXT("abc"));
  CALL("mbsrtowcs", 'l', OUT(40), WORDS(at(4, 3)), V(9), ZERO(8),
       RAW("ab\xff"));
  CALL("mbsrtowcs", 'l', V(0), WORDS(at(4, 4)), V(0), ZERO(8), TEXT("abc"));
  CALL("__mbsrtowcs_chk", 'l', OUT(12), WORDS(at(5, 3)), V(3), ZERO(8), V(3),
       RAW("abc"));
  CALL("wcsrtombs", 'l', OUT(3), WORDS(at(4, 12)), V(3), ZERO(8), RAW(L"abc"));
  CALL("wcsrtombs", 'l', OUT(9), WORDS(at(4, 12)), V(9), ZERO(8),
       RAW(L"ab\xffffff"));
  CALL("__wcsrtombs_chk", 'l', OUT(3), WORDS(at(5, 12)), V(3), ZERO(8), V(3),
       RAW(L"abc"));
  CALL("mbsnrtowcs", 'l', OUT(12), WORDS(at(5, 3)), V(3), V(3), ZERO(8),
       RAW("abc"));
  CALL("mbsnrtowcs", 'l', OUT(40), WORDS(at(5, 4)), V(9), V(9), ZERO(8),
       TEXT("abc"));
  CALL("wcsnrtombs", 'l', OUT(3), WORDS(at(5, 12)), V(3), V(3), ZERO(8),
       RAW(L"abc"));
  CALL("wcsnrtombs", 'l', OUT(9), WORDS(at(5, 16)), V(9), V(9), ZERO(8),
       TEXT(L"abc"));
  CALL("__mbsnrtowcs_chk", 'l', OUT(40), WORDS(at(6, 4)), V(9), V(9), ZERO(8),
       V(10), TEXT("abc"));
  CALL("__wcsnrtombs_chk", 'l', OUT(9), WORDS(at(6, 16)), V(9), V(9), ZERO(8),
       V(9), TEXT(L"abc"));
  CALL("mbtowc", 'i', OUT(4), RAW("a"), V(1));
  CALL("mbtowc", 'i', OUT(4), RAW("a"), V(9));
  CALL("mblen", 'i', RAW("a"), V(9));
  CALL("mbrlen", 'l', RAW("a"), V(9), ZERO(8));
  CALL("mbrtowc", 'l', OUT(4), RAW("a"), V(9), ZERO(8));
  CALL("mbrtowc", 'l', OUT(0), OUT(0), V(0), ZERO(8));
  CALL("mbrtowc", 'l', OUT(4), RAW("\xff"), V(9), ZERO(8));
  CALL("wctomb __wctomb_chk", 'i', OUT(1), V('a'), V(16));
  CALL("wcrtomb", 'l', OUT(1), V('a'), ZERO(8));
  CALL("__wcrtomb_chk", 'l', OUT(1), V('a'), ZERO(8), V(16));
  const iconv_t set = iconv_open("UTF-16LE", "UTF-8");
  CALL("iconv", 'l', V(set), WORDS(at(5, 3)), WORDS(3), WORDS(at(6, 6)),
       WORDS(6), RAW("abc"), OUT(6));
  CALL("iconv", 'l', V(set), WORDS(at(5, 3)), WORDS(3), WORDS(at(6, 4)),
       WORDS(4), RAW("abc"), OUT(4));
  CALL("iconv", 'l', V(set), V(0), V(0), V(0), V(0));
}

static void tables(void) {
  CALL("lfind", 'p', RAW("c"), RAW("abc"), WORDS(3), V(1), V(is_first));
  CALL("lsearch", 'p', RAW("d"), IN("abc\0", 4), WORDS(3), V(1), V(is_first));
  CALL("qsort", 'v', RAW("cab"), V(3), V(1), V(is_first));
  CALL("qsort", 'v', OUT(0), V(0), V(1), V(is_first));
  CALL("qsort", 'v', IN(digits, 32), V(4), V(8), V(is_first));
  CALL("qsort_r", 'v', RAW("cab"), V(3), V(1), V(is_first), V(0));
}

int main(void) {
  memset(long_text, 'x', sizeof long_text - 1);
  set_up();
  memory();
  strings();
  with_room();
  numbers();
  last_bytes = 4;
  wide_memory();
  wide();
  last_bytes = 1;
  character_sets();
  tables();
  return 0;
}

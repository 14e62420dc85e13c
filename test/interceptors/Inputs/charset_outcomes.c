/*===- charset_outcomes.c - How functions of character sets may end --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <iconv.h>
#include <locale.h>
#include <wchar.h>

static void character_sets(void) {
  if (!setlocale(LC_CTYPE, "C.UTF-8"))
    abort();
  /* One character, of which bytes are missing, or that is none. */
#define TO_WIDE "mbrtowc mbrtoc32"
  CALL(TO_WIDE, 'l', OUT(4), RAW("\xc3\xa9"), V(2), ZERO(8));
  CALL(TO_WIDE, 'l', OUT(4), RAW("\xc3\xa9"), V(2), V(0));
  OUTCOME("short", TO_WIDE, 'l', OUT(4), RAW("\xc3\xa9"), V(1), ZERO(8));
  OUTCOME("short", TO_WIDE, 'l', OUT(4), RAW("\xe2\x82"), V(2), ZERO(8));
  OUTCOME("failure", TO_WIDE, 'l', OUT(4), RAW("\xc3("), V(2), ZERO(8));
  OUTCOME("failure", TO_WIDE, 'l', OUT(4), RAW("\xff"), V(1), ZERO(8));
  OUTCOME("empty", TO_WIDE, 'l', OUT(4), RAW("a"), V(0), ZERO(8));
  OUTCOME("end", TO_WIDE, 'l', OUT(4), TEXT(""), V(1), ZERO(8));
  OUTCOME("empty", TO_WIDE, 'l', OUT(4), V(0), V(5), ZERO(8));
  CALL(TO_WIDE, 'l', V(0), RAW("\xc3\xa9"), V(2), ZERO(8));
  CALL("mbrtoc16", 'l', OUT(2), RAW("\xc3\xa9"), V(2), ZERO(8));
  CALL("mbrtoc16", 'l', OUT(2), RAW("\xf0\x9f\x98\x80"), V(4), ZERO(8));
  OUTCOME("short", "mbrtoc16", 'l', OUT(2), RAW("\xf0\x9f"), V(2), ZERO(8));
  OUTCOME("failure", "mbrtoc16", 'l', OUT(2), RAW("\xff"), V(1), ZERO(8));
  OUTCOME("empty", "mbrtoc16", 'l', OUT(2), RAW("a"), V(0), ZERO(8));
  OUTCOME("end", "mbrtoc16", 'l', OUT(2), TEXT(""), V(1), ZERO(8));
  CALL("mbrtoc8", 'l', OUT(1), RAW("\xc3\xa9"), V(2), ZERO(8));
  OUTCOME("short", "mbrtoc8", 'l', OUT(1), RAW("\xc3\xa9"), V(1), ZERO(8));
  OUTCOME("failure", "mbrtoc8", 'l', OUT(1), RAW("\xff"), V(1), ZERO(8));
  OUTCOME("empty", "mbrtoc8", 'l', OUT(1), RAW("a"), V(0), ZERO(8));
  OUTCOME("end", "mbrtoc8", 'l', OUT(1), TEXT(""), V(1), ZERO(8));
  OUTCOME("short", "mbrlen", 'l', RAW("\xc3\xa9"), V(1), ZERO(8));
  OUTCOME("failure", "mbrlen", 'l', RAW("\xff"), V(1), ZERO(8));
  OUTCOME("empty", "mbrlen", 'l', RAW("\xff"), V(0), ZERO(8));
  OUTCOME("end", "mbrlen", 'l', TEXT(""), V(1), ZERO(8));
  OUTCOME("failure", "mbtowc", 'i', OUT(4), RAW("\xff"), V(1));
  OUTCOME("short", "mbtowc", 'i', OUT(4), RAW("\xc3\xa9"), V(1));
  OUTCOME("empty", "mbtowc", 'i', OUT(4), RAW("a"), V(0));
  OUTCOME("empty", "mbtowc", 'i', OUT(4), V(0), V(0));
  OUTCOME("end", "mbtowc", 'i', OUT(4), TEXT(""), V(1));
  OUTCOME("failure", "mblen", 'i', RAW("\xff"), V(1));
  OUTCOME("short", "mblen", 'i', RAW("\xc3\xa9"), V(1));
  OUTCOME("empty", "mblen", 'i', RAW("a"), V(0));
  OUTCOME("end", "mblen", 'i', TEXT(""), V(1));
  CALL("wctomb __wctomb_chk", 'i', OUT(3), V(0x20ac), V(16));
  OUTCOME("failure", "wctomb __wctomb_chk", 'i', OUT(6), V(0x7fffffff), V(16));
  OUTCOME("empty", "wctomb", 'i', V(0), V('a'));
  CALL("wcrtomb c32rtomb", 'l', OUT(3), V(0x20ac), ZERO(8));
  CALL("wcrtomb c32rtomb", 'l', OUT(1), V(0), ZERO(8));
  OUTCOME("failure", "wcrtomb c32rtomb", 'l', OUT(6), V(0x7fffffff), ZERO(8));
  OUTCOME("empty", "wcrtomb c32rtomb", 'l', V(0), V('a'), ZERO(8));
  OUTCOME("failure", "__wcrtomb_chk", 'l', OUT(6), V(0x7fffffff), ZERO(8),
          V(16));
  CALL("c16rtomb", 'l', OUT(3), V(0x20ac), ZERO(8));
  OUTCOME("short", "c16rtomb", 'l', OUT(4), V(0xd83d), ZERO(8));
  OUTCOME("failure", "c16rtomb", 'l', OUT(4), V(0xdc00), ZERO(8));
  OUTCOME("empty", "c16rtomb", 'l', V(0), V('a'), ZERO(8));
  OUTCOME("short", "c8rtomb", 'l', OUT(4), V(0xc3), ZERO(8));
  OUTCOME("failure", "c8rtomb", 'l', OUT(4), V(0xff), ZERO(8));
  OUTCOME("empty", "c8rtomb", 'l', V(0), V('a'), ZERO(8));

  /* Strings. */
  CALL("mbstowcs", 'l', OUT(8 + BASE_PAGE), TEXT("\xc3\xa9"), V(1000));
  OUTCOME("truncated", "mbstowcs", 'l', OUT(4), TEXT("\xc3\xa9x"), V(1));
  OUTCOME("failure", "mbstowcs", 'l', OUT(2 * BASE_PAGE), TEXT("a\xff"),
          V(999));
  OUTCOME("failure", "mbstowcs", 'l', OUT(2 * BASE_PAGE), TEXT("a\xc3"),
          V(999));
  OUTCOME("failure", "mbstowcs", 'l', V(0), TEXT("a\xff"), V(0));
  OUTCOME("empty", "mbstowcs", 'l', OUT(8), TEXT("a"), V(0));
  OUTCOME("truncated", "__mbstowcs_chk", 'l', OUT(4), TEXT("\xc3\xa9x"), V(1),
          V(1));
  OUTCOME("failure", "__mbstowcs_chk", 'l', OUT(40), TEXT("a\xff"), V(10),
          V(10));
  OUTCOME("truncated", "wcstombs", 'l', OUT(2), TEXT(L"a\u20ac"), V(2));
  OUTCOME("truncated", "wcstombs", 'l', OUT(1), TEXT(L"abc"), V(1));
  OUTCOME("failure", "wcstombs", 'l', OUT(BASE_PAGE + 9), TEXT(L"ab\x7fffffff"),
          V(BASE_PAGE + 9));
  OUTCOME("failure", "wcstombs", 'l', V(0), TEXT(L"ab\x7fffffff"), V(0));
  OUTCOME("empty", "wcstombs", 'l', OUT(9), TEXT(L"ab"), V(0));
  CALL("wcstombs", 'l', V(0), TEXT(L"ab\u20ac"), V(0));
  OUTCOME("truncated", "__wcstombs_chk", 'l', OUT(2), TEXT(L"a\u20ac"), V(2),
          V(2));
  OUTCOME("failure", "__wcstombs_chk", 'l', OUT(20), TEXT(L"ab\x7fffffff"),
          V(20), V(20));
#define STATES(n)                                                              \
  OUTCOME("truncated", "mbsrtowcs", 'l', OUT(4), WORDS(at(4, 4)), V(1), n,     \
          TEXT("\xc3\xa9x"));                                                  \
  OUTCOME("failure", "mbsrtowcs", 'l', OUT(2 * BASE_PAGE), WORDS(at(4, 3)),    \
          V(999), n, TEXT("a\xff"));                                           \
  OUTCOME("failure", "mbsrtowcs", 'l', OUT(2 * BASE_PAGE), WORDS(at(4, 4)),    \
          V(999), n, TEXT("ab\xc3"));                                          \
  OUTCOME("failure", "mbsrtowcs", 'l', V(0), WORDS(at(4, 4)), V(999), n,       \
          TEXT("ab\xc3"));                                                     \
  OUTCOME("empty", "mbsrtowcs", 'l', OUT(4), WORDS(at(4, 4)), V(0), n,         \
          TEXT("abc"));                                                        \
  CALL("mbsrtowcs", 'l', V(0), WORDS(at(4, 4)), V(0), n, TEXT("abc"));         \
  OUTCOME("truncated", "wcsrtombs", 'l', OUT(2), WORDS(at(4, 12)), V(2), n,    \
          TEXT(L"a\u20ac"));                                                   \
  OUTCOME("failure", "wcsrtombs", 'l', OUT(2 * BASE_PAGE), WORDS(at(4, 16)),   \
          V(999), n, TEXT(L"ab\x7fffffff"));                                   \
  OUTCOME("failure", "wcsrtombs", 'l', V(0), WORDS(at(4, 16)), V(999), n,      \
          TEXT(L"ab\x7fffffff"));                                              \
  OUTCOME("empty", "wcsrtombs", 'l', OUT(4), WORDS(at(4, 16)), V(0), n,        \
          TEXT(L"abc"));                                                       \
  CALL("wcsrtombs", 'l', V(0), WORDS(at(4, 16)), V(0), n, TEXT(L"abc"));       \
  CALL("wcsrtombs", 'l', OUT(BASE_PAGE + 5), WORDS(at(4, 16)), V(999), n,      \
       TEXT(L"abc"));                                                          \
  OUTCOME("truncated", "mbsnrtowcs", 'l', OUT(4), WORDS(at(5, 4)), V(4), V(1), \
          n, TEXT("\xc3\xa9x"));                                               \
  OUTCOME("short", "mbsnrtowcs", 'l', OUT(40), WORDS(at(5, 2)), V(2), V(10),   \
          n, RAW("a\xc3"));                                                    \
  OUTCOME("failure", "mbsnrtowcs", 'l', OUT(BASE_PAGE), WORDS(at(5, 3)), V(9), \
          V(99), n, TEXT("a\xff"));                                            \
  OUTCOME("empty", "mbsnrtowcs", 'l', OUT(40), WORDS(at(5, 3)), V(0), V(10),   \
          n, TEXT("ab"));                                                      \
  OUTCOME("empty", "mbsnrtowcs", 'l', OUT(40), WORDS(at(5, 3)), V(2), V(0), n, \
          TEXT("ab"));                                                         \
  CALL("mbsnrtowcs", 'l', V(0), WORDS(at(5, 3)), V(3), V(0), n, TEXT("ab"));   \
  OUTCOME("truncated", "wcsnrtombs", 'l', OUT(2), WORDS(at(5, 12)), V(3),      \
          V(2), n, TEXT(L"a\u20ac"));                                          \
  OUTCOME("short", "wcsnrtombs", 'l', OUT(9), WORDS(at(5, 4)), V(1), V(9), n,  \
          RAW(L"a"));                                                          \
  OUTCOME("failure", "wcsnrtombs", 'l', OUT(BASE_PAGE), WORDS(at(5, 12)),      \
          V(3), V(99), n, TEXT(L"a\x7fffffff"));                               \
  OUTCOME("empty", "wcsnrtombs", 'l', OUT(9), WORDS(at(5, 8)), V(0), V(9), n,  \
          TEXT(L"a"));                                                         \
  OUTCOME("empty", "wcsnrtombs", 'l', OUT(9), WORDS(at(5, 8)), V(2), V(0), n,  \
          TEXT(L"a"));                                                         \
  CALL("wcsnrtombs", 'l', V(0), WORDS(at(5, 8)), V(2), V(0), n, TEXT(L"a"))
  STATES(ZERO(8));
  STATES(V(0));
  OUTCOME("failure", "__mbsrtowcs_chk", 'l', OUT(40), WORDS(at(5, 3)), V(9),
          ZERO(8), V(10), TEXT("a\xff"));
  OUTCOME("failure", "__wcsrtombs_chk", 'l', OUT(40), WORDS(at(5, 12)), V(9),
          ZERO(8), V(40), TEXT(L"a\x7fffffff"));
  OUTCOME("failure", "__mbsnrtowcs_chk", 'l', OUT(40), WORDS(at(6, 3)), V(9),
          V(9), ZERO(8), V(10), TEXT("a\xff"));
  OUTCOME("failure", "__wcsnrtombs_chk", 'l', OUT(40), WORDS(at(6, 12)), V(9),
          V(9), ZERO(8), V(40), TEXT(L"a\x7fffffff"));

  iconv_t set = iconv_open("UTF-16LE", "UTF-8");
#define ICONV(from, room)                                                      \
  WORDS(at(5, sizeof(from) - 1)), WORDS(sizeof(from) - 1), WORDS(at(6, room)), \
      WORDS(room), RAW(from), OUT(room)
  OUTCOME("failure", "iconv", 'l', V(set), ICONV("a\xff", BASE_PAGE + 9));
  OUTCOME("short", "iconv", 'l', V(set), ICONV("a\xc3", BASE_PAGE + 9));
  OUTCOME("truncated", "iconv", 'l', V(set), ICONV("abc", 3));
  OUTCOME("truncated", "iconv", 'l', V(set), ICONV("abc", 1));
  OUTCOME("empty", "iconv", 'l', V(set), WORDS(at(5, 1)), WORDS(0),
          WORDS(at(6, 9)), WORDS(9), RAW("a"), OUT(9));
  OUTCOME("empty", "iconv", 'l', V(set), V(0), V(0), WORDS(at(5, 9)), WORDS(9),
          OUT(9));
  OUTCOME("empty", "iconv", 'l', V(set), WORDS(0), V(0), WORDS(at(5, 9)),
          WORDS(9), OUT(9));
  OUTCOME("failure", "iconv", 'l', V(-1), ICONV("abc", 9));
  CALL("iconv", 'l', V(iconv_open("ASCII//TRANSLIT", "UTF-8")),
       ICONV("a\xc3\xa9", 30));
  OUTCOME("failure", "iconv_open", 'l', TEXT("nothing"), TEXT("UTF-8"));
  OUTCOME("truncated", "wcsxfrm", 'l', OUT(8), TEXT(L"abc"), V(2));
  OUTCOME("empty", "wcsxfrm", 'l', V(0), TEXT(L"abc"), V(0));
  OUTCOME("truncated", "strxfrm", 'l', OUT(2), TEXT("abc"), V(2));
  OUTCOME("empty", "strxfrm", 'l', V(0), TEXT("abc"), V(0));
  const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  OUTCOME("truncated", "strxfrm_l", 'l', OUT(2), TEXT("abc"), V(2), V(c));
  OUTCOME("truncated", "wcsxfrm_l", 'l', OUT(8), TEXT(L"abc"), V(2), V(c));
  OUTCOME("empty", "strxfrm_l", 'l', V(0), TEXT("abc"), V(0), V(c));
  OUTCOME("empty", "wcsxfrm_l", 'l', V(0), TEXT(L"abc"), V(0), V(c));
  setlocale(LC_CTYPE, "C");
}

int main(void) {
  set_up();
  only_good = 1;
  character_sets();
  return 0;
}

/*===- database_outcomes.c - How look-ups of users and services may end ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it, also where the databases are empty.

#include "call_table.h"

#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <pwd.h>
#include <shadow.h>

static FILE *table_of(const char *text) {
  FILE *const f = tmpfile();
  fputs(text, f);
  rewind(f);
  return f;
}
static FILE *entries, *none;
static void first_entry(void) { rewind(entries), rewind(none); }
static void databases(void) {
  /* By name or number: found, not found, and with little room. */
#define BY_NAME(names, name, bytes, absent)                                    \
  CALL(names, 'e', TEXT(name), OUTX(bytes), OUTX(1024), V(1024), OUTX(8));     \
  OUTCOME("empty", names, 'v', TEXT(absent), OUTX(bytes), OUTX(1024), V(1024), \
          OUT(8));                                                             \
  OUTCOME("truncated", names, 'v', TEXT(name), OUTX(bytes), OUTX(2), V(2),     \
          OUT(8))
#define BY_NUMBER(names, number, bytes)                                        \
  CALL(names, 'e', V(number), OUTX(bytes), OUTX(1024), V(1024), OUTX(8));      \
  OUTCOME("empty", names, 'v', V(77777), OUTX(bytes), OUTX(1024), V(1024),     \
          OUT(8));                                                             \
  OUTCOME("truncated", names, 'v', V(number), OUTX(bytes), OUTX(2), V(2),      \
          OUT(8))
  BY_NAME("getpwnam_r", "root", 48, "no-such");
  BY_NAME("getgrnam_r", "root", 32, "no-such");
  /* It fails where there is no /etc/shadow, so no row is held to its result. */
  OUTCOME("empty", "getspnam_r", 'v', TEXT("no-such"), OUTX(72), OUTX(1024),
          V(1024), OUT(8));
  OUTCOME("truncated", "getspnam_r", 'v', TEXT("root"), OUTX(72), OUTX(2), V(2),
          OUT(8));
  BY_NAME("getprotobyname_r", "tcp", 24, "no-such");
  BY_NAME("getrpcbyname_r", "portmapper", 24, "no-such");
  BY_NUMBER("getpwuid_r", 0, 48);
  BY_NUMBER("getgrgid_r", 0, 32);
  BY_NUMBER("getprotobynumber_r", 6, 24);
  BY_NUMBER("getrpcbynumber_r", 100000, 24);
  OUTCOME("failure", "getpwnam getgrnam getspnam getprotobyname", 'p',
          TEXT("no-such"));
  OUTCOME("failure", "getpwuid getgrgid getprotobynumber", 'p', V(77777));
  OUTCOME("failure", "getservbyname", 'p', TEXT("no-such"), V(0));
  OUTCOME("failure", "getservbyport", 'p', V(1), TEXT("no-such"));
  OUTCOME("truncated", "getservbyport_r", 'v', V(80 << 8), TEXT("tcp"), OUT(32),
          OUTX(2), V(2), OUT(8));
  OUTCOME("empty", "getservbyport_r", 'v', V(1), TEXT("xyz"), OUTX(32),
          OUTX(1024), V(1024), OUT(8));
  OUTCOME("empty", "getservbyname_r", 'v', TEXT("no-such"), V(0), OUTX(32),
          OUTX(1024), V(1024), OUT(8));
  OUTCOME("failure", "gethostbyname", 'p', TEXT("no such host"));
  OUTCOME("failure", "gethostbyname2", 'p', TEXT("no such host"), V(2));
  OUTCOME("failure", "gethostbyaddr", 'p', IN("abcd", 4), V(3), V(2));
  OUTCOME("empty", "gethostbyname_r", 'v', TEXT("no such host"), OUTX(32),
          OUTX(1024), V(1024), OUT(8), OUTX(4));
  OUTCOME("truncated", "gethostbyname2_r", 'v', TEXT("127.0.0.1"), V(2),
          OUTX(32), OUTX(2), V(2), OUT(8), OUTX(4));
  OUTCOME("failure", "gethostbyaddr_r", 'v', IN("abcd", 4), V(3), V(2), OUT(32),
          OUT(1024), V(1024), OUTX(8), OUTX(4));
  OUTCOME("failure", "getpw", 'i', V(77777), OUT(200));
#define LISTED(name, text, bytes)                                              \
  entries = table_of(text), none = table_of("");                               \
  refresh = first_entry;                                                       \
  CALL(name, 'e', V(entries), OUTX(bytes), OUTX(1024), V(1024), OUTX(8));      \
  OUTCOME("end", name, 'e', V(none), OUT(bytes), OUT(1024), V(1024), OUT(8));  \
  OUTCOME("truncated", name, 'e', V(entries), OUTX(bytes), OUTX(3), V(3),      \
          OUT(8));                                                             \
  refresh = NULL
  LISTED("fgetpwent_r", "root:x:0:0:root:/root:/bin/sh\n", 48);
  LISTED("fgetgrent_r", "root:x:0:a,b\n", 32);
  LISTED("fgetspent_r", "root:*:1:2:3:::\n", 72);
  LISTED("fgetsgent_r", "root:*:a:b,c\n", 32);
  CALL("sgetspent_r", 'e', TEXT("root:*:1:2:3:::"), OUTX(72), OUTX(1024),
       V(1024), OUTX(8));
  OUTCOME("truncated", "sgetspent_r", 'e', TEXT("root:*:1:2:3:::"), OUTX(72),
          OUT(3), V(3), OUT(8));
  OUTCOME("failure", "sgetspent_r", 'e', TEXT("nonsense"), OUTX(72), OUTX(1024),
          V(1024), OUT(8));
  OUTCOME("truncated", "sgetsgent_r", 'e', TEXT("root:*:a:b"), OUTX(32), OUT(3),
          V(3), OUT(8));
  entries = table_of("dev /there type opts 0 0\n"), none = table_of("");
  refresh = first_entry;
  CALL("getmntent_r", 'p', V(entries), OUTX(40), OUTX(100), V(100));
  OUTCOME("end", "getmntent_r", 'p', V(none), OUT(40), OUT(100), V(100));
  OUTCOME("truncated", "getmntent_r", 'v', V(entries), OUTX(40), OUTX(8), V(8));
  refresh = NULL;
  setpwent();
  while (getpwent())
    ;
  OUTCOME("end", "getpwent_r", 'e', OUT(48), OUTX(1024), V(1024), OUT(8));
  setgrent();
  while (getgrent())
    ;
  OUTCOME("end", "getgrent_r", 'e', OUT(32), OUTX(1024), V(1024), OUT(8));
  setpwent(), setgrent();
  OUTCOME("truncated", "getpwent_r", 'e', OUTX(48), OUTX(2), V(2), OUT(8));
  OUTCOME("truncated", "getgrent_r", 'e', OUTX(32), OUTX(2), V(2), OUT(8));
  sethostent(0), setservent(0), setprotoent(0), setrpcent(0), setnetent(0);
  OUTCOME("truncated", "getservent_r", 'e', OUTX(32), OUTX(2), V(2), OUT(8));
  OUTCOME("truncated", "getprotoent_r getrpcent_r", 'e', OUTX(24), OUTX(2),
          V(2), OUT(8));
  OUTCOME("truncated", "getgrouplist", 'i', TEXT("root"), V(77), OUT(4),
          INTS(1));
  OUTCOME("empty", "getgrouplist", 'i', TEXT("root"), V(77), OUT(4), INTS(0));
  CALL("getgrouplist", 'i', TEXT("no such user"), V(77), OUT(400), INTS(100));
  CALL("initgroups", 'i', TEXT("root"), V(0));
}

int main(void) {
  set_up();
  only_good = 1;
  databases();
  return 0;
}

/*===- table.c - Families that sanitizer_common's table covers ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --ways O2,O2/access,O2/rw/6 --flag=-fno-builtin %s

#include "known_sets.h"

#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <time.h>

#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))

static char *a, *b;

HIDDEN static char *text(char *begin, const char *s) {
  size_t i = 0;
  do
    ((volatile char *)begin)[i] = s[i];
  while (s[i++]);
  return begin;
}
HIDDEN static void put(void *p, long value) { *(volatile long *)p = value; }
HIDDEN static size_t length(const char *s) {
  size_t n = 0;
  while (((const volatile char *)s)[n])
    ++n;
  return n;
}

static void times(void) {
  time_t *t = (time_t *)(a + PAGE);
  struct tm *tm = (struct tm *)(b + PAGE - 8);
  put(t, 86400);
  require(gmtime_r(t, tm) == tm);
  expect_read(t, 8), expect_write(tm, 56), end_period();
  require(localtime_r(t, tm) == tm);
  expect_read(t, 8), expect_write(tm, 56), end_period();
  char *s = a + 4 * PAGE - 10;
  require(asctime_r(tm, s) == s);
  expect_read(tm, 56), expect_write(s, 26), end_period();
  require(ctime_r(t, s) == s);
  expect_read(t, 8), expect_write(s, 26), end_period();
  require(mktime(tm) != -1);
  expect_both(tm, 56), end_period();
}

static void addresses(void) {
  char *s = text(a + PAGE - 4, "127.0.0.1");
  struct in_addr *address = (struct in_addr *)(b + PAGE - 4);
  require(inet_aton(s, address) == 1);
  expect_read(s, 10), expect_write(address, 4), end_period();
  require(inet_pton(AF_INET, s, address) == 1);
  expect_read(s, 10), expect_write(address, 4), end_period();
  require(inet_pton(AF_INET, "nothing", address) == 0);
  end_period();
  char *d = b + 3 * PAGE - 4;
  require(inet_ntop(AF_INET, address, d, 100) == d);
  expect_read(address, 4), expect_write(d, 10), end_period();
}

static void users(void) {
  struct passwd *entry = (struct passwd *)(a + PAGE - 8);
  struct passwd **result = (struct passwd **)(a + 3 * PAGE);
  char *room = b + PAGE - 6;
  require(getpwnam_r("root", entry, room, 9000, result) == 0);
  /* The room has held every line that was looked at. */
  expect_write(entry, sizeof *entry), expect_write(result, 8);
  expect_write(room, 10);
  expect_at(known_period_, thread_id(), room, 9000, "mw"), end_period();
  require(getpwnam_r("nobody of this name", entry, room, 9000, result) == 0);
  expect_write(result, 8);
  expect_at(known_period_, thread_id(), entry, sizeof *entry, "mw");
  expect_at(known_period_, thread_id(), room, 9000, "mw"), end_period();
}

static void mathematics(void) {
  int *exponent = (int *)(a + PAGE - 4);
  require(frexp(8, exponent) == .5);
  expect_write(exponent, 4), end_period();
  double *whole = (double *)(a + PAGE - 4);
  require(modf(1.5, whole) == .5);
  expect_write(whole, 8), end_period();
}

static void system_state(void) {
  int descriptors[2];
  require(pipe(descriptors) == 0);
  int *waiting = (int *)(a + PAGE - 2);
  require(ioctl(descriptors[0], FIONREAD, waiting) == 0);
  expect_write(waiting, 4), end_period();
  require(ioctl(-1, FIONREAD, waiting) == -1);
  end_period();
  int queue = msgget(IPC_PRIVATE, 0600);
  require(queue >= 0);
  char *m = a + 5 * PAGE - 4;
  put(m, 1);
  require(msgsnd(queue, m, 100, 0) == 0);
  expect_read(m, 108), end_period();
  require(msgrcv(queue, m, 2000, 0, 0) == 100);
  expect_write(m, 108), end_period();
  msgctl(queue, IPC_RMID, NULL);
  char *name = b + 7 * PAGE;
  require(pthread_getname_np(pthread_self(), name, 16) == 0);
  expect_write(name, length(name) + 1), end_period();
  close(descriptors[0]), close(descriptors[1]);
}

static void patterns(void) {
  regex_t *program = (regex_t *)(a + PAGE - 8);
  char *pattern = text(a + 3 * PAGE - 2, "b+(c)");
  require(regcomp(program, pattern, REG_EXTENDED) == 0);
  expect_read(pattern, 6);
  expect_both(program, sizeof *program), end_period(); /* it has bit-fields */
  char *s = text(b + PAGE - 2, "abbcd");
  regmatch_t *matches = (regmatch_t *)(b + 3 * PAGE - 8);
  require(regexec(program, s, 2, matches, 0) == 0);
  expect_read(program, sizeof *program), expect_read(s, 6);
  expect_write(matches, 16), end_period();
  require(regexec(program, "x", 2, matches, 0) == REG_NOMATCH);
  expect_read(program, sizeof *program), end_period();
  regfree(program);
  expect_both(program, 48), end_period();
}

int main(void) {
  a = arena(0, 64 * PAGE), b = arena(1, 64 * PAGE);
  end_period();
  times();
  addresses();
  users();
  mathematics();
  system_state();
  patterns();
  return 0;
}

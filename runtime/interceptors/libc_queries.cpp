//===- libc_queries.cpp - Time, signals, and what libc knows of the system ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/libc_sizes.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/waiting_calls.h"
#include "platform/locks.h"

using namespace pagetide;

//===- Time ---------------------------------------------------------------===//

PAGETIDE_AFTER(long, time, (long *t), (t), DidWrite(t, sizeof(*t), true))
PAGETIDE_AFTER(int, gettimeofday, (void *t, void *zone), (t, zone),
               DidWrite(t, kTimeBytes, !result);
               DidWrite(zone, 8, !result))
PAGETIDE_AFTER(int, clock_gettime, (int clock, void *t), (clock, t),
               DidWrite(t, kTimeBytes, !result))
PAGETIDE_AROUND(int, nanosleep, (const void *t, void *left), (t, left),
                PAGETIDE_WAITS(nanosleep, 0, (uptr)left),
                DidRead(t, kTimeBytes, !result || errno == EINTR);
                DidWrite(left, kTimeBytes, result &&errno == EINTR))
PAGETIDE_AROUND(int, clock_nanosleep,
                (int clock, int flags, const void *t, void *left),
                (clock, flags, t, left),
                PAGETIDE_WAITS(nanosleep, 0, (uptr)left),
                DidRead(t, kTimeBytes, !result || result == EINTR);
                DidWrite(left, kTimeBytes,
                         result == EINTR && !(flags & 1 /* TIMER_ABSTIME */)))

//===- Signals ------------------------------------------------------------===//

// glibc and the kernel use eight bytes of a set.
PAGETIDE_AFTER(int, sigsuspend, (const void *set), (set),
               DidRead(set, kSignalSetBytes, errno == EINTR))

//===- Processes and the system -------------------------------------------===//

// Signal, error, code; then process, user, status.
PAGETIDE_AROUND(int, waitid, (int type, u32 id, void *info, int options),
                (type, id, info, options),
                PAGETIDE_WAITS(waitid, 0, 0, (uptr)info),
                DidWrite(info, 28, errno != EFAULT))

//===- Users and groups ---------------------------------------------------===//

namespace pagetide {
struct User { // passwd
  char *name, *password;
  u32 id, group;
  char *real_name, *home, *shell;
};
struct Group { // group
  char *name, *password;
  u32 id;
  char **members;
};
} // namespace pagetide
static void DidWriteStrings(const User &user) {
  DidWriteString(user.name);
  DidWriteString(user.password);
  DidWriteString(user.real_name);
  DidWriteString(user.home);
  DidWriteString(user.shell);
}
static void DidWriteStrings(const Group &group) {
  DidWriteString(group.name);
  DidWriteString(group.password);
  char **member = group.members;
  for (; *member; ++member)
    DidWriteString(*member);
  MarkWrite((uptr)group.members, (uptr)(member + 1 - group.members) * 8);
}
/// libc reads line after line into the caller's buffer.
template <typename Entry>
static void DidFind(Entry *entry, char *room, uptr bytes, Entry **found) {
  DidWriteAt(found);
  MarkMayWrite((uptr)room, bytes);
  MarkMayWrite((uptr)entry, sizeof(*entry));
  if (!*found)
    return;
  DidWriteAt(entry);
  DidWriteStrings(*entry);
}
/// libc compares the key with those that it finds: with none if there are none.
static void DidReadKey(const char *key, const void *entry) {
  entry ? DidReadString(key) : MayHaveReadString(key, false);
}
#define PAGETIDE_FIND(name, Entry, parameters, arguments, after)               \
  PAGETIDE_AROUND(int, name,                                                   \
                  (PAGETIDE_UNPACK parameters Entry * entry, char *room,       \
                   SIZE_T bytes, Entry **found),                               \
                  (PAGETIDE_UNPACK arguments entry, room, bytes, found),       \
                  InFlight in_flight(room, bytes), after;                      \
                  DidFind(entry, room, bytes, found))
PAGETIDE_FIND(getpwnam_r, User, (const char *key, ), (key, ),
              DidReadKey(key, *found))
PAGETIDE_FIND(getpwuid_r, User, (u32 key, ), (key, ), )
PAGETIDE_FIND(getgrnam_r, Group, (const char *key, ), (key, ),
              DidReadKey(key, *found))
PAGETIDE_FIND(getgrgid_r, Group, (u32 key, ), (key, ), )
PAGETIDE_FIND(getpwent_r, User, (), (), )
PAGETIDE_FIND(getgrent_r, Group, (), (), )

//===- Regular expressions ------------------------------------------------===//

/// With REG_NOSUB, regexec does not write the matches.
static bool ReportsNoMatches(const u8 *regex) {
  constexpr uptr kFlagsAt = 56;
  return regex[kFlagsAt] & 1 << 4;
}
namespace {
constexpr int kStartEnd = 1 << 2, kKnownFlags = 7; // REG_STARTEND
/// The bytes that a call looks at. With REG_STARTEND the first match says
/// which, and the string needs no end.
struct Searched {
  Searched(const char *s, const int *matches, int flags)
      : bounded(flags & kStartEnd), known(!(flags & ~kKnownFlags)) {
    if (known && bounded)
      begin = matches[0], end = matches[1];
    else if (known && ShadowReady())
      end = (sptr)Length(s) + 1;
  }
  bool bounded, known; ///< not known: libc refuses the flags
  sptr begin = 0, end = 0;
};
} // namespace
static void DidSearch(const Searched &searched, const u8 *regex, const char *s,
                      uptr n, const int *matches, int result) {
  if (!searched.known)
    return;
  MarkRead((uptr)regex, kRegexBytes);
  if (searched.bounded)
    MarkRead((uptr)matches, kMatchBytes);
  if (searched.begin >= 0 && searched.end > searched.begin)
    MarkRead((uptr)s + (uptr)searched.begin,
             (uptr)(searched.end - searched.begin));
  if (!result && !ReportsNoMatches(regex))
    MarkWrite((uptr)matches, n * kMatchBytes);
}
PAGETIDE_AROUND(int, regexec,
                (const u8 *regex, const char *s, SIZE_T n, int *matches,
                 int flags),
                (regex, s, n, matches, flags),
                const Searched searched(s, matches, flags),
                DidSearch(searched, regex, s, n, matches, result))

//===- The command line ---------------------------------------------------===//

// libc's variables. They are in the program's data if the program names them.
extern "C" {
extern char *optarg;
extern int optind, opterr, optopt;
}
/// The arguments decide which of them it reads, from number `from` on. It may
/// also permute them.
static void DidGetOption(int n, char *const *arguments, const char *options,
                         int from) {
  DidReadAt(&optind);
  DidReadAt(&opterr);
  DidWriteAt(&optind);
  DidWriteAt(&optarg);
  DidWriteAt(&optopt);
  if (n <= 0)
    return;
  MayHaveReadString(options, false);
  MarkMayRead((uptr)arguments, (uptr)n * sizeof(*arguments));
  MarkMayWrite((uptr)arguments, (uptr)n * sizeof(*arguments));
  for (int i = from ? from : 1; i < n && i <= optind; ++i)
    MayHaveReadString(ValueAt(arguments + i), false);
}
#define PAGETIDE_GETOPT(name, rest, rest_arguments)                            \
  PAGETIDE_AROUND(                                                             \
      int, name,                                                               \
      (int n, char *const *p, const char *options PAGETIDE_UNPACK rest),       \
      (n, p, options PAGETIDE_UNPACK rest_arguments), const int from = optind, \
      DidGetOption(n, p, options, from))
PAGETIDE_GETOPT(getopt, (), ())
PAGETIDE_GETOPT(__posix_getopt, (), ())
/// libc writes the index of a long option, and its flag, if it finds one.
namespace pagetide {
struct LongOption { // option
  const char *name;
  int has_argument;
  int *flag;
  int value;
};
} // namespace pagetide
/// It looks at them only if an argument asks for one.
static void DidLookForLong(const LongOption *options) {
  if (!options)
    return;
  for (; const char *const name = ValueAt(&options->name); ++options) {
    const LongOption option = ValueAt(options);
    MayHaveRead(options, sizeof(*options));
    MayHaveReadString(name, false);
    if (option.flag)
      MarkMayWrite((uptr)option.flag, sizeof(*option.flag));
  }
  MayHaveRead(options, sizeof(options->name));
}
#define PAGETIDE_GETOPT_LONG(name)                                             \
  PAGETIDE_AROUND(                                                             \
      int, name,                                                               \
      (int n, char *const *p, const char *options,                             \
       const LongOption *long_options, int *index),                            \
      (n, p, options, long_options, index), const int from = optind,           \
      DidGetOption(n, p, options, from);                                       \
      if (n > 0) {                                                             \
        DidLookForLong(long_options);                                          \
        if (index)                                                             \
          MarkMayWrite((uptr)index, sizeof(*index));                           \
      })
PAGETIDE_GETOPT_LONG(getopt_long)
PAGETIDE_GETOPT_LONG(getopt_long_only)

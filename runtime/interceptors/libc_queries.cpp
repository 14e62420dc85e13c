//===- libc_queries.cpp - Time, signals, and what libc knows of the system ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/libc_sizes.h"
#include "interceptors/string_marks.h"
#include "interceptors/syscall_macros.h"
#include "platform/locks.h"

using namespace pagetide;

//===- Time ---------------------------------------------------------------===//

PAGETIDE_AFTER(long, time, (long *t), (t), DidWrite(t, sizeof(*t), true))
PAGETIDE_AFTER(int, gettimeofday, (void *t, void *zone), (t, zone),
               DidWrite(t, kTimeBytes, !result);
               DidWrite(zone, 8, !result))
PAGETIDE_AFTER(int, clock_gettime, (int clock, void *t), (clock, t),
               DidWrite(t, kTimeBytes, !result))
PAGETIDE_AFTER(int, clock_getres, (int clock, void *t), (clock, t),
               DidWrite(t, kTimeBytes, !result))
PAGETIDE_AFTER(int, timespec_get, (void *t, int base), (t, base),
               DidWrite(t, kTimeBytes, result))
PAGETIDE_AFTER(int, nanosleep, (const void *t, void *left), (t, left),
               DidRead(t, kTimeBytes, !result || errno == EINTR);
               DidWrite(left, kTimeBytes, result &&errno == EINTR))
PAGETIDE_AFTER(int, clock_nanosleep,
               (int clock, int flags, const void *t, void *left),
               (clock, flags, t, left),
               DidRead(t, kTimeBytes, !result || result == EINTR);
               DidWrite(left, kTimeBytes,
                        result == EINTR && !(flags & 1 /* TIMER_ABSTIME */)))
PAGETIDE_AFTER(int, getitimer, (int which, void *t), (which, t),
               DidWrite(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, setitimer, (int which, const void *t, void *old),
               (which, t, old), DidRead(t, 2 * kTimeBytes, !result);
               DidWrite(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timer_gettime, (void *timer, void *t), (timer, t),
               DidWrite(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timer_settime,
               (void *timer, int flags, const void *t, void *old),
               (timer, flags, t, old), DidRead(t, 2 * kTimeBytes, !result);
               DidWrite(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timerfd_gettime, (int fd, void *t), (fd, t),
               DidWrite(t, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(int, timerfd_settime,
               (int fd, int flags, const void *t, void *old),
               (fd, flags, t, old), DidRead(t, 2 * kTimeBytes, !result);
               DidWrite(old, 2 * kTimeBytes, !result))
PAGETIDE_AFTER(long, times, (void *t), (t), DidWrite(t, 32, result != -1))

/// If there is no room, libc reads the format only so far.
static void DidReadDateFormat(const char *format, uptr result) {
  result ? DidReadString(format) : MayHaveReadString(format, true);
}
PAGETIDE_AFTER(SIZE_T, strftime,
               (char *s, SIZE_T room, const char *format, const void *t),
               (s, room, format, t), DidReadDateFormat(format, result);
               MarkRead((uptr)t, kTmBytes);
               result ? MarkWrite((uptr)s, result + 1)
                      : MarkMayWrite((uptr)s, room))
PAGETIDE_AFTER(SIZE_T, strftime_l,
               (char *s, SIZE_T room, const char *format, const void *t,
                void *locale),
               (s, room, format, t, locale), DidReadDateFormat(format, result);
               MarkRead((uptr)t, kTmBytes);
               result ? MarkWrite((uptr)s, result + 1)
                      : MarkMayWrite((uptr)s, room))
/// The format decides which fields it sets.
PAGETIDE_AFTER(char *, strptime, (const char *s, const char *format, void *t),
               (s, format, t), DidReadDateFormat(format, (uptr)result);
               if (result) MarkRead((uptr)s, (uptr)(result - s));
               MayHaveReadString(s, true); MarkMayRead((uptr)t, kTmBytes);
               MarkMayWrite((uptr)t, kTmBytes))
PAGETIDE_AFTER(long, timegm, (void *t), (t), MarkRead((uptr)t, kTmBytes);
               MarkWrite((uptr)t, kTmBytes))

//===- Signals ------------------------------------------------------------===//

// glibc and the kernel use eight bytes of a set.
#define PAGETIDE_SET_ONLY(name)                                                \
  PAGETIDE_AFTER(int, name, (void *set), (set),                                \
                 DidWrite(set, kSignalSetBytes, !result))
PAGETIDE_SET_ONLY(sigemptyset)
PAGETIDE_SET_ONLY(sigfillset)
PAGETIDE_SET_ONLY(sigpending)
PAGETIDE_AFTER(int, sigaddset, (void *set, int n), (set, n),
               DidRead(set, kSignalSetBytes, !result);
               DidWrite(set, kSignalSetBytes, !result))
PAGETIDE_AFTER(int, sigdelset, (void *set, int n), (set, n),
               DidRead(set, kSignalSetBytes, !result);
               DidWrite(set, kSignalSetBytes, !result))
PAGETIDE_AFTER(int, sigismember, (const void *set, int n), (set, n),
               DidRead(set, kSignalSetBytes, result >= 0))
#define PAGETIDE_MASK(name)                                                    \
  PAGETIDE_AFTER(int, name, (int how, const void *set, void *old),             \
                 (how, set, old), DidRead(set, kSignalSetBytes, !result);      \
                 DidWrite(old, kSignalSetBytes, !result))
PAGETIDE_MASK(sigprocmask)
PAGETIDE_MASK(pthread_sigmask)
PAGETIDE_AFTER(int, sigsuspend, (const void *set), (set),
               DidRead(set, kSignalSetBytes, errno == EINTR))
constexpr uptr kAltStackBytes = 24; // stack_t: address, flags, size
PAGETIDE_AFTER(int, sigaltstack, (const void *stack, void *former),
               (stack, former), DidRead(stack, kAltStackBytes, !result);
               DidWrite(former, kAltStackBytes, !result))
PAGETIDE_AFTER(int, sigwait, (const void *set, int *n), (set, n),
               DidRead(set, kSignalSetBytes, !result);
               DidWrite(n, sizeof(*n), !result))
PAGETIDE_AFTER(int, sigwaitinfo, (const void *set, void *info), (set, info),
               DidRead(set, kSignalSetBytes, result > 0);
               DidWrite(info, kSiginfoBytes, result > 0))
PAGETIDE_AFTER(int, sigtimedwait,
               (const void *set, void *info, const void *timeout),
               (set, info, timeout), DidRead(set, kSignalSetBytes, result > 0);
               DidRead(timeout, kTimeBytes, result > 0);
               DidWrite(info, kSiginfoBytes, result > 0))

//===- Processes and the system -------------------------------------------===//

PAGETIDE_AFTER(int, wait, (int *status), (status),
               DidWrite(status, 4, result > 0))
PAGETIDE_AFTER(int, waitpid, (int pid, int *status, int options),
               (pid, status, options), DidWrite(status, 4, result > 0))
PAGETIDE_AFTER(int, wait3, (int *status, int options, void *usage),
               (status, options, usage), DidWrite(status, 4, result > 0);
               DidWrite(usage, kRusageBytes, result > 0))
PAGETIDE_AFTER(int, wait4, (int pid, int *status, int options, void *usage),
               (pid, status, options, usage), DidWrite(status, 4, result > 0);
               DidWrite(usage, kRusageBytes, result > 0))
// Signal, error, code; then process, user, status.
PAGETIDE_AFTER(int, waitid, (int type, u32 id, void *info, int options),
               (type, id, info, options), DidWrite(info, 28, errno != EFAULT))
PAGETIDE_AFTER(int, getrusage, (int who, void *usage), (who, usage),
               DidWrite(usage, kRusageBytes, !result))
PAGETIDE_AFTER(int, uname, (void *p), (p), DidWrite(p, 6 * 65, !result))
PAGETIDE_AFTER(int, sysinfo, (void *p), (p), DidWrite(p, 112, !result))
PAGETIDE_AFTER(int, getgroups, (int n, u32 *p), (n, p),
               if (n > 0 && result > 0) MarkWrite((uptr)p, (uptr)result * 4))
PAGETIDE_AFTER(int, __getgroups_chk, (int n, u32 *p, SIZE_T room), (n, p, room),
               if (n > 0 && result > 0) MarkWrite((uptr)p, (uptr)result * 4))
#define PAGETIDE_THREE_IDS(name)                                               \
  PAGETIDE_AFTER(int, name, (u32 * a, u32 * b, u32 * c), (a, b, c),            \
                 DidWrite(a, 4, !result);                                      \
                 DidWrite(b, 4, !result); DidWrite(c, 4, !result))
PAGETIDE_THREE_IDS(getresuid)
PAGETIDE_THREE_IDS(getresgid)
PAGETIDE_AFTER(int, sched_getaffinity, (int pid, SIZE_T n, void *mask),
               (pid, n, mask), DidWrite(mask, n, !result))
PAGETIDE_AFTER(int, sched_setaffinity, (int pid, SIZE_T n, const void *mask),
               (pid, n, mask), DidRead(mask, Min(n, SIZE_T{8}), !result);
               MarkMayRead((uptr)mask, n))
PAGETIDE_AFTER(int, sched_getparam, (int pid, void *p), (pid, p),
               DidWrite(p, 4, !result))

/// A name in the caller's buffer. If the buffer is full, the name has no end.
static void DidWriteName(char *p, uptr room, bool succeeded) {
  if (succeeded)
    MarkWrite((uptr)p, LengthWithEnd(p, room));
  else if (p) // perhaps a part
    MarkMayWrite((uptr)p, room);
}
#define PAGETIDE_NAME(name, first, first_arguments)                            \
  PAGETIDE_AFTER(int, name, (PAGETIDE_UNPACK first char *p, SIZE_T n),         \
                 (PAGETIDE_UNPACK first_arguments p, n),                       \
                 DidWriteName(p, n, !result))
#define PAGETIDE_NAME_CHK(name, first, first_arguments)                        \
  PAGETIDE_AFTER(int, name,                                                    \
                 (PAGETIDE_UNPACK first char *p, SIZE_T n, SIZE_T room),       \
                 (PAGETIDE_UNPACK first_arguments p, n, room),                 \
                 DidWriteName(p, n, !result))
PAGETIDE_NAME(gethostname, (), ())
PAGETIDE_NAME(getdomainname, (), ())
PAGETIDE_NAME(getlogin_r, (), ())
PAGETIDE_NAME(ttyname_r, (int fd, ), (fd, ))
PAGETIDE_NAME(ptsname_r, (int fd, ), (fd, ))
PAGETIDE_NAME_CHK(__gethostname_chk, (), ())
PAGETIDE_NAME_CHK(__getdomainname_chk, (), ())
PAGETIDE_NAME_CHK(__getlogin_r_chk, (), ())
PAGETIDE_NAME_CHK(__ttyname_r_chk, (int fd, ), (fd, ))
PAGETIDE_NAME_CHK(__ptsname_r_chk, (int fd, ), (fd, ))
PAGETIDE_AFTER(SIZE_T, confstr, (int name, char *p, SIZE_T n), (name, p, n),
               if (p) MarkWrite((uptr)p, Min(result, n)))
PAGETIDE_AFTER(SIZE_T, __confstr_chk,
               (int name, char *p, SIZE_T n, SIZE_T room), (name, p, n, room),
               if (p) MarkWrite((uptr)p, Min(result, n)))

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
static void DidReadKey(const char *key, int error) {
  error ? MayHaveReadString(key, false) : DidReadString(key);
}
#define PAGETIDE_FIND(name, Entry, parameters, arguments, after)               \
  PAGETIDE_AROUND(int, name,                                                   \
                  (PAGETIDE_UNPACK parameters Entry * entry, char *room,       \
                   SIZE_T bytes, Entry **found),                               \
                  (PAGETIDE_UNPACK arguments entry, room, bytes, found),       \
                  InFlight in_flight(room, bytes), after;                      \
                  DidFind(entry, room, bytes, found))
PAGETIDE_FIND(getpwnam_r, User, (const char *key, ), (key, ),
              DidReadKey(key, result))
PAGETIDE_FIND(getpwuid_r, User, (u32 key, ), (key, ), )
PAGETIDE_FIND(getgrnam_r, Group, (const char *key, ), (key, ),
              DidReadKey(key, result))
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
PAGETIDE_INTERCEPTOR(void, regfree, void *regex) {
  OnInterceptedCall();
  RESOLVED(regfree)(regex);
  constexpr uptr kPointerBytes = 48; // the pointers to its memory come first
  DidRead(regex, kPointerBytes);
  DidWrite(regex, kPointerBytes);
}

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
  MayHaveReadString(options, false);
  DidReadAt(&optind);
  DidReadAt(&opterr);
  DidWriteAt(&optind);
  DidWriteAt(&optarg);
  DidWriteAt(&optopt);
  if (n <= 0)
    return;
  MarkMayRead((uptr)arguments, (uptr)n * sizeof(*arguments));
  MarkMayWrite((uptr)arguments, (uptr)n * sizeof(*arguments));
  for (int i = from ? from : 1; i < n && i <= optind && arguments[i]; ++i)
    MayHaveReadString(arguments[i], false);
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
static void DidLookForLong(const LongOption *options) {
  for (; options && options->name; ++options) {
    MayHaveRead(options, sizeof(*options));
    MayHaveReadString(options->name, false);
    if (options->flag)
      MarkMayWrite((uptr)options->flag, sizeof(*options->flag));
  }
  if (options)
    MayHaveRead(options, sizeof(*options));
}
#define PAGETIDE_GETOPT_LONG(name)                                             \
  PAGETIDE_AROUND(int, name,                                                   \
                  (int n, char *const *p, const char *options,                 \
                   const LongOption *long_options, int *index),                \
                  (n, p, options, long_options, index),                        \
                  const int from = optind, DidGetOption(n, p, options, from);  \
                  DidLookForLong(long_options);                                \
                  if (index) MarkMayWrite((uptr)index, sizeof(*index)))
PAGETIDE_GETOPT_LONG(getopt_long)
PAGETIDE_GETOPT_LONG(getopt_long_only)

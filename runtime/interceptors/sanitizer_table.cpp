//===- sanitizer_table.cpp - sanitizer_common's table of interceptors -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of sanitizer_common's table that
// not_of_sanitizer_table.txt does not switch off. The table was made to
// find bugs. The reads and writes that it reports become marks: once at the
// report, and once more when the call returns, because the function has made
// its accesses by then.

#include "interceptors/interceptor.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_errno.h"
#include "sanitizer_common/sanitizer_errno_codes.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_linux.h"
#include "sanitizer_common/sanitizer_platform_interceptors.h"
#include "sanitizer_common/sanitizer_platform_limits_posix.h"
#include "sanitizer_common/sanitizer_posix.h"

#include <stdarg.h>

using namespace __sanitizer;

namespace pagetide {
namespace {

/// One call, during which the table reports ranges.
class TableCall {
public:
  explicit TableCall(bool looks_up) : read_is_known_(!looks_up) {}
  void Read(const void *p, uptr bytes) {
    MarkAsRead(p, bytes);
    Keep(p, bytes, false);
  }
  void Write(const void *p, uptr bytes) {
    read_is_known_ = true; // an entry was found
    DidWrite(p, bytes);
    Keep(p, bytes, true);
  }
  ~TableCall() {
    for (u32 i = 0; i < count_; ++i)
      ranges_[i].written ? DidWrite(ranges_[i].p, ranges_[i].bytes)
                         : MarkAsRead(ranges_[i].p, ranges_[i].bytes);
  }
  TableCall(const TableCall &) = delete;
  TableCall &operator=(const TableCall &) = delete;

private:
  /// Keeps the first few ranges, which are reported before the real function
  /// runs. Results are reported later, and may be many.
  void Keep(const void *p, uptr bytes, bool written) {
    if (count_ < kMaxRanges)
      ranges_[count_++] = {p, bytes, written};
  }
  struct Range {
    const void *p;
    uptr bytes;
    bool written;
  };
  void MarkAsRead(const void *p, uptr bytes) const {
    read_is_known_ ? DidRead(p, bytes) : MayHaveRead(p, bytes);
  }
  static constexpr u32 kMaxRanges = 8;
  bool read_is_known_;
  u32 count_ = 0;
  Range ranges_[kMaxRanges];
};

/// Whether the function compares its argument with the entries of a database.
/// If there are none, it does not read it.
constexpr bool LooksUp(const char *function) {
  return !__builtin_strcmp(function, "getpwnam") ||
         !__builtin_strcmp(function, "getgrnam") ||
         !__builtin_strcmp(function, "getprotobyname");
}

/// The length of a string, or 0 if its address is bad. Then the real function
/// fails.
uptr LengthOfArgument(const char *s) {
  uptr n = 0;
  char piece[64];
  while (s) {
    // Do not read beyond the string's page.
    uptr bytes = pagetide::Min(sizeof(piece), 4096 - ((uptr)s + n) % 4096);
    if (!CopyFromProgram(piece, s + n, bytes))
      return 0;
    for (uptr i = 0; i < bytes; ++i)
      if (!piece[i])
        return n + i;
    n += bytes;
  }
  return 0;
}

/// The table's flags. String arguments count as read to their ends.
struct TableFlags {
  bool strict_string_checks = true;
};
constexpr TableFlags kTableFlags;

} // namespace
} // namespace pagetide

#define COMMON_INTERCEPTOR_ENTER(ctx, name, ...)                               \
  pagetide::OnInterceptedCall();                                               \
  pagetide::NeedReal();                                                        \
  if (!pagetide::ShadowReady())                                                \
    return REAL(name)(__VA_ARGS__);                                            \
  pagetide::TableCall table_call(pagetide::LooksUp(#name));                    \
  ctx = &table_call
#define COMMON_INTERCEPTOR_READ_RANGE(ctx, p, bytes)                           \
  ((pagetide::TableCall *)(ctx))->Read(p, bytes)
#define COMMON_INTERCEPTOR_WRITE_RANGE(ctx, p, bytes)                          \
  ((pagetide::TableCall *)(ctx))->Write(p, bytes)
#define COMMON_INTERCEPTOR_BLOCK_REAL(name) REAL(name)
#define COMMON_INTERCEPTOR_DIR_ACQUIRE(ctx, path)
#define COMMON_INTERCEPTOR_FD_ACQUIRE(ctx, fd)
#define COMMON_INTERCEPTOR_FD_RELEASE(ctx, fd)
#define COMMON_INTERCEPTOR_FD_SOCKET_ACCEPT(ctx, fd, other)
#define COMMON_INTERCEPTOR_SET_THREAD_NAME(ctx, name)
#define COMMON_INTERCEPTOR_SET_PTHREAD_NAME(ctx, thread, name)
#define COMMON_INTERCEPTOR_ON_EXIT(ctx) 0
// The exported functions are those of all interceptors (arch/entries.h), and
// InitInterceptors resolves them.
#undef INTERCEPTOR
#define INTERCEPTOR(type, name, ...)                                           \
  PAGETIDE_INTERCEPTOR(type, name, __VA_ARGS__)
#define COMMON_INTERCEPT_FUNCTION(name) ((void)0)
#define COMMON_INTERCEPT_FUNCTION_VER(name, version)                           \
  COMMON_INTERCEPT_FUNCTION(name)
#define COMMON_INTERCEPT_FUNCTION_VER_UNVERSIONED_FALLBACK(name, version)      \
  COMMON_INTERCEPT_FUNCTION(name)

#define common_flags() (&pagetide::kTableFlags)
#define internal_strlen(s) pagetide::LengthOfArgument(s)
// The table reports what it cannot decode. We do not need that.
#define Printf(...) ((void)0)
#define Report(...) ((void)0)
#define InitializeMemintrinsicInterceptors() InitializeNothing()
namespace __sanitizer {
static void InitializeNothing() {}
} // namespace __sanitizer

// The table keeps what it knows about open streams in a map of 3.7 MB, which it
// maps at start. That is too much under a memory limit, and the call could
// fail. Replace it by a small map in our own data.
namespace __sanitizer {
static void *MapMemory(uptr bytes, const char *);
} // namespace __sanitizer
#define MmapOrDie MapMemory
#include "sanitizer_common/sanitizer_addrhashmap.h"
#undef MmapOrDie
namespace __sanitizer {
constexpr uptr kMapBuckets = 251;
template <typename T, uptr kSize>
using SmallAddrHashMap = AddrHashMap<T, kMapBuckets>;

static void *MapMemory(uptr bytes, const char *) {
  // A bucket has 120 bytes; the table makes one map.
  alignas(64) static u8 memory[kMapBuckets * 128];
  static bool taken;
  CHECK(!taken && bytes <= sizeof(memory));
  taken = true;
  return memory;
}
} // namespace __sanitizer
#define AddrHashMap SmallAddrHashMap

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-variable"
#include "sanitizer_common/sanitizer_common_interceptors.inc"
#pragma clang diagnostic pop
#undef AddrHashMap

namespace pagetide {

PAGETIDE_WHEN_RESOLVED(InitializeCommonInterceptors, true)

} // namespace pagetide

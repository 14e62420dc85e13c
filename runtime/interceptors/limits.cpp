//===- limits.cpp - Limits of resources -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/address_limit.h"
#include "interceptors/interceptor.h"

using namespace pagetide;

namespace {
constexpr int kAddressSpace = 9;    // RLIMIT_AS
constexpr uptr kLimitBytes = 2 * 8; // of a struct rlimit
} // namespace

/// As the kernel does it: an address may be bad, that of `previous` after the
/// limit has been set.
static int Limit(const struct rlimit *limit, struct rlimit *previous) {
  alignas(8) u8 wanted[kLimitBytes], before[kLimitBytes];
  int error = EFAULT;
  if (!limit || CopyFromProgram(wanted, limit, kLimitBytes))
    error = LimitAddressSpace(limit ? (const struct rlimit *)wanted : nullptr,
                              (struct rlimit *)before);
  if (!error && previous && !CopyToProgram(previous, before, kLimitBytes))
    error = EFAULT;
  if (error)
    errno = error;
  return error ? -1 : 0;
}

static int LimitCall(int result, const struct rlimit *limit,
                     struct rlimit *previous) {
  if (limit)
    DidRead((const void *)limit, kLimitBytes);
  if (previous && result == 0)
    DidWrite((void *)previous, kLimitBytes);
  return result;
}

#define PAGETIDE_LIMIT_INTERCEPTORS(suffix)                                    \
  PAGETIDE_INTERCEPTOR(int, setrlimit##suffix, int resource,                   \
                       const struct rlimit *limit) {                           \
    return LimitCall(resource != kAddressSpace || !limit || !ControlReady()    \
                         ? RESOLVED(setrlimit##suffix)(resource, limit)        \
                         : Limit(limit, nullptr),                              \
                     limit, nullptr);                                          \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, getrlimit##suffix, int resource,                   \
                       struct rlimit *limit) {                                 \
    return LimitCall(resource != kAddressSpace || !limit || !ControlReady()    \
                         ? RESOLVED(getrlimit##suffix)(resource, limit)        \
                         : Limit(nullptr, limit),                              \
                     nullptr, limit);                                          \
  }                                                                            \
  PAGETIDE_INTERCEPTOR(int, prlimit##suffix, int pid, int resource,            \
                       const struct rlimit *limit, struct rlimit *previous) {  \
    return LimitCall(                                                          \
        resource != kAddressSpace || !ControlReady() ||                        \
                (pid && (u32)pid != GetPidRaw())                               \
            ? RESOLVED(prlimit##suffix)(pid, resource, limit, previous)        \
            : Limit(limit, previous),                                          \
        limit, previous);                                                      \
  }
PAGETIDE_LIMIT_INTERCEPTORS()
PAGETIDE_LIMIT_INTERCEPTORS(64)

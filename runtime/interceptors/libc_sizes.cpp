//===- libc_sizes.cpp - Sizes of structures, against libc's headers -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/libc_sizes.h"

#include <regex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <time.h>
#include <ucontext.h>

#include <cstddef>

namespace pagetide {

static_assert(sizeof(struct stat) == kStatBytes);
static_assert(sizeof(struct statx) == kStatxBytes);
static_assert(sizeof(struct statfs) == kStatfsBytes);
static_assert(sizeof(struct statvfs) == kStatvfsBytes);
static_assert(sizeof(struct sigaction) == kActionBytes);
static_assert(sizeof(siginfo_t) == kSiginfoBytes);
static_assert(sizeof(rusage) == kRusageBytes);
static_assert(sizeof(tm) == kTmBytes);
static_assert(sizeof(regex_t) == kRegexBytes);
static_assert(sizeof(regmatch_t) == kMatchBytes);
static_assert(offsetof(ucontext_t, uc_link) == kLinkAt);
static_assert(offsetof(ucontext_t, uc_stack) == kStackAt);
static_assert(offsetof(ucontext_t, uc_mcontext) == kRegistersAt);
static_assert(offsetof(ucontext_t, uc_sigmask) == kMaskAt);
static_assert(offsetof(ucontext_t, __fpregs_mem) == kFloatingAt);

} // namespace pagetide

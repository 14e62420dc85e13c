//===- uffd_wp.cpp - The kernel's account of what was written -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/uffd_wp.h"

#include "platform/errno_names.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>

using namespace __sanitizer;

namespace pagetide {

using namespace kernel;

template <typename T>
static int Request(int fd, unsigned long number, T &argument) {
  return ErrnoOf(Syscall(SYS_ioctl, (uptr)fd, number, (uptr)&argument));
}

static int OpenAs(uptr result, int &fd) {
  fd = Failed(result) ? -1 : (int)result;
  return ErrnoOf(result);
}

const char *Missing(const char *what, int error) {
  static char text[256];
  internal_snprintf(text, sizeof(text), "%s: %s", what, DescribeErrno(error));
  return text;
}

int AsyncProtection::OpenPagemap() {
  if (pagemap_ > 0)
    return 0;
  if (pagemap_ < 0)
    return ENOENT; // an earlier attempt failed
  return OpenAs(Syscall(SYS_openat, (uptr)AT_FDCWD,
                        (uptr) "/proc/thread-self/pagemap",
                        O_RDONLY | O_CLOEXEC),
                pagemap_);
}

const char *AsyncProtection::Open(u64 features) {
  const char *missing = nullptr;
  UffdApi api = {kUffdApiVersion,
                 kFeaturePagefaultFlagWp | kFeatureWpHugetlbfsShmem |
                     kFeatureWpUnpopulated | kFeatureWpAsync | features,
                 0};
  PageQuery written = {};
  written.all = written.wanted = kPageWritten;
  if (int error = OpenAs(
          Syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly),
          uffd_))
    missing = Missing("userfaultfd", error);
  else if ((error = Request(uffd_, kUffdIoApi, api)))
    missing = Missing("userfaultfd's asynchronous write protection (Linux 6.7)",
                      error);
  else if ((error = OpenPagemap()))
    missing = Missing("/proc/thread-self/pagemap", error);
  else if ((error = Scan(kPageBytes, 2 * kPageBytes, written,
                         [](const PageRegion &) {})))
    missing = Missing("the request PAGEMAP_SCAN of /proc/thread-self/pagemap "
                      "(Linux 6.7)",
                      error);
  if (missing)
    Close();
  return missing;
}

static void CloseFd(int &fd) {
  if (fd > 0)
    Syscall(SYS_close, (uptr)fd);
  fd = 0;
}

void AsyncProtection::Close() {
  CloseFd(uffd_);
  CloseFd(pagemap_);
}

int AsyncProtection::Register(uptr begin, uptr end) {
  UffdRegister range = {begin, end - begin, kRegisterModeWp, 0};
  return Request(uffd_, kUffdIoRegister, range);
}

int AsyncProtection::Protect(uptr begin, uptr end) {
  UffdWriteProtect range = {begin, end - begin, kWriteProtectModeWp};
  int error;
  // EAGAIN: another thread moves a mapping just now.
  while ((error = Request(uffd_, kUffdIoWriteProtect, range)) == EAGAIN)
    Syscall(SYS_sched_yield);
  return error;
}

/// Returns how many regions were found, or minus an errno.
uptr AsyncProtection::ScanSome(uptr begin, uptr end, const PageQuery &query,
                               uptr &walked) {
  constexpr uptr kMaxFound = 4096;
  found_.resize(kMaxFound);
  ScanArgument argument = {};
  argument.size = sizeof(argument);
  argument.flags = query.flags;
  argument.start = begin;
  argument.end = end;
  argument.vector = (uptr)found_.data();
  argument.vector_length = kMaxFound;
  argument.category_inverted = query.inverted;
  argument.category_mask = query.all;
  argument.category_anyof_mask = query.any;
  argument.return_mask = query.wanted;
  const uptr n =
      Syscall(SYS_ioctl, (uptr)pagemap_, kPagemapScan, (uptr)&argument);
  if (!Failed(n))
    walked = argument.walk_end;
  return n;
}

} // namespace pagetide

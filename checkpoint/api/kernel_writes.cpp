//===- kernel_writes.cpp - Which pages the kernel saw written -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/kernel_writes.h"

#include "format/error.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

namespace pagetide::checkpoint {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMaxFound = 4096;
constexpr char kPagemap[] = "/proc/thread-self/pagemap";

template <typename Argument>
int request(const File &file, unsigned long number, Argument &argument) {
  return ::ioctl(file.fd(), number, &argument) == 0 ? 0 : errno;
}

[[noreturn]] void unsupported(const std::string &what, int error) {
  throw Error(Problem::kUnsupported,
              "kernel_writes: " + what + ": " + errno_text(error) +
                  ". It needs Linux 6.7 and userfaultfd. Without it, mark what "
                  "other libraries write, or instrument them.");
}

File opened_uffd() {
  const long fd = ::syscall(SYS_userfaultfd,
                            O_CLOEXEC | O_NONBLOCK | kernel::kUserModeOnly);
  if (fd < 0)
    unsupported("userfaultfd failed", errno);
  File file = File::of("userfaultfd", static_cast<int>(fd));
  kernel::UffdApi api = {
      kernel::kUffdApiVersion,
      kernel::kFeaturePagefaultFlagWp | kernel::kFeatureWpHugetlbfsShmem |
          kernel::kFeatureWpUnpopulated | kernel::kFeatureWpAsync,
      0};
  if (const int error = request(file, kernel::kUffdIoApi, api))
    unsupported("userfaultfd has no asynchronous write protection", error);
  return file;
}

File opened_pagemap() {
  const int fd = ::open(kPagemap, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    unsupported(std::string(kPagemap) + ": open failed", errno);
  return File::of(kPagemap, fd);
}

CopyRange pages_of(const void *address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin & ~(kPage - 1), (begin + bytes + kPage - 1) & ~(kPage - 1)};
}

std::string described(std::uintptr_t begin, std::uintptr_t end) {
  std::ostringstream text;
  text << "0x" << std::hex << begin << "-0x" << end;
  return text.str();
}

kernel::ScanArgument written() {
  kernel::ScanArgument query = {};
  query.flags = kernel::kScanWpMatching;
  query.category_mask = query.return_mask = kernel::kPageWritten;
  return query;
}

/// Memory whose writes nobody sees.
kernel::ScanArgument not_tracked() {
  kernel::ScanArgument query = {};
  query.category_inverted = query.category_mask = kernel::kPageWpAllowed;
  return query;
}

} // namespace

KernelWrites::KernelWrites()
    : uffd_(opened_uffd()), pagemap_(opened_pagemap()) {
  try {
    std::vector<CopyRange> found;
    scan(kPage, 2 * kPage, not_tracked(), found);
  } catch (const Error &) {
    unsupported(std::string(kPagemap) + " has no PAGEMAP_SCAN", ENOTTY);
  }
}

void KernelWrites::close() {
  uffd_.close();
  pagemap_.close();
}

void KernelWrites::watch(std::uintptr_t begin, std::uintptr_t end) const {
  const std::string range = described(begin, end);
  kernel::UffdRegister area = {begin, end - begin, kernel::kRegisterModeWp, 0};
  const int error = request(uffd_, kernel::kUffdIoRegister, area);
  if (error == EBUSY)
    unsupported("something else watches " + range +
                    " by userfaultfd (pagetide audit, record --engine uffd)",
                error);
  if (error != 0)
    unsupported("the kernel refuses to watch " + range, error);
}

void KernelWrites::write_protect(std::uintptr_t begin,
                                 std::uintptr_t end) const {
  kernel::UffdWriteProtect protection = {begin, end - begin,
                                         kernel::kWriteProtectModeWp};
  int error = 0;
  // EAGAIN: another thread moves a mapping just now.
  while ((error = request(uffd_, kernel::kUffdIoWriteProtect, protection)) ==
         EAGAIN)
    ::sched_yield();
  if (error != 0)
    unsupported("the kernel refuses to protect " + described(begin, end),
                error);
}

std::vector<CopyRange> KernelWrites::track(const void *address,
                                           std::size_t bytes) {
  const CopyRange pages = pages_of(address, bytes);
  std::vector<CopyRange> anew;
  scan(pages.begin, pages.end, not_tracked(), anew);
  // All of it: another's watch must be found out. What we watch stays as it is.
  watch(pages.begin, pages.end);
  for (const CopyRange &found : anew)
    write_protect(found.begin, found.end);
  return anew;
}

void KernelWrites::scan(std::uintptr_t begin, std::uintptr_t end,
                        const kernel::ScanArgument &query,
                        std::vector<CopyRange> &found) {
  some_.resize(kMaxFound);
  while (begin < end) {
    kernel::ScanArgument argument = query;
    argument.size = sizeof(argument);
    argument.start = begin;
    argument.end = end;
    argument.vector = reinterpret_cast<std::uintptr_t>(some_.data());
    argument.vector_length = some_.size();
    const int count = ::ioctl(pagemap_.fd(), kernel::kPagemapScan, &argument);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (count < 0 || argument.walk_end <= begin)
      throw Error(Problem::kIo,
                  "PAGEMAP_SCAN of " + described(begin, end) +
                      " failed: " + errno_text(count < 0 ? errno : EIO) +
                      ". Nobody knows what was written there.");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      found.push_back({some_[i].start, some_[i].end});
    begin = argument.walk_end;
  }
}

std::vector<CopyRange>
KernelWrites::take(std::span<const ProtectedRegion> regions) {
  std::vector<CopyRange> found;
  std::vector<CopyRange> anew;
  for (const ProtectedRegion &region : regions) {
    const CopyRange pages = pages_of(region.address, region.bytes);
    scan(pages.begin, pages.end, not_tracked(), anew);
    scan(pages.begin, pages.end, written(), found);
  }
  for (const CopyRange &pages : anew) {
    watch(pages.begin, pages.end);
    write_protect(pages.begin, pages.end);
    found.push_back(pages);
  }
  return found;
}

} // namespace pagetide::checkpoint

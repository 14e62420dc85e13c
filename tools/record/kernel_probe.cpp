//===- kernel_probe.cpp - Whether this kernel can tell what is written ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/kernel_probe.h"

#include "engines/outside_engine.h"
#include "pagetide/pagemap_scan.h"
#include "support/page_bytes.h"
#include "support/unique_fd.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

namespace pagetide::tools {

namespace {

using namespace kernel;

class ProbePage {
public:
  ProbePage()
      : page_(::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~ProbePage() {
    if (page_ != MAP_FAILED)
      ::munmap(page_, kPageBytes);
  }
  ProbePage(const ProbePage &) = delete;
  explicit operator bool() const { return page_ != MAP_FAILED; }
  void write() { *static_cast<volatile char *>(page_) = 1; }
  std::uint64_t address() const {
    return reinterpret_cast<std::uint64_t>(page_);
  }
  void *place() const { return page_; }

private:
  void *page_;
};

/// Returns 1 if the page was written since the last call, and 0 if not. Returns
/// -1 and sets errno if the kernel does not tell.
int was_written(int pagemap, const ProbePage &page) {
  PageRegion found = {};
  ScanArgument scan = {};
  scan.size = sizeof(scan);
  scan.flags = kScanWpMatching;
  scan.start = page.address();
  scan.end = page.address() + kPageBytes;
  scan.vector = reinterpret_cast<std::uint64_t>(&found);
  scan.vector_length = 1;
  scan.category_mask = kPageWritten;
  scan.category_anyof_mask = kPagePresent | kPageSwapped;
  scan.return_mask = kPageWritten;
  return ::ioctl(pagemap, kPagemapScan, &scan);
}

std::string lacks(const char *what, const char *advice) {
  return fmt::format("{}: {}. {}", what, std::strerror(errno), advice);
}

constexpr const char kNeedsLinux[] =
    "It needs Linux 6.7 or later, built with CONFIG_USERFAULTFD and "
    "CONFIG_PROC_PAGE_MONITOR";

} // namespace

std::string probe_kernel_writes() {
  const UniqueFd uffd(static_cast<int>(
      ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly)));
  if (!uffd)
    return errno == EPERM || errno == EACCES
               ? lacks("userfaultfd",
                       "Something forbids the system call, perhaps a "
                       "container's seccomp profile: allow userfaultfd there")
               : lacks("userfaultfd", kNeedsLinux);
  UffdApi api = {kUffdApiVersion,
                 kFeaturePagefaultFlagWp | kFeatureEventRemap |
                     kFeatureWpHugetlbfsShmem | kFeatureWpUnpopulated |
                     kFeatureWpAsync,
                 0};
  if (::ioctl(uffd.get(), kUffdIoApi, &api) != 0)
    return lacks("userfaultfd's asynchronous write protection", kNeedsLinux);
  const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!pagemap)
    return lacks("/proc/self/pagemap", "Is /proc mounted?");
  ProbePage page;
  if (!page)
    return lacks("a page of memory", "Raise the memory limit");
  page.write();
  UffdRegister range = {page.address(), kPageBytes, kRegisterModeWp, 0};
  if (::ioctl(uffd.get(), kUffdIoRegister, &range) != 0)
    return lacks("userfaultfd's write protection", kNeedsLinux);
  if (was_written(pagemap.get(), page) < 0)
    return lacks("the request PAGEMAP_SCAN of /proc/self/pagemap", kNeedsLinux);
  const bool untouched = was_written(pagemap.get(), page) == 0;
  page.write();
  const bool seen = was_written(pagemap.get(), page) == 1;
  if (!untouched || !seen)
    return fmt::format("the kernel accepts all requests, but {}. {}",
                       untouched ? "did not see a page being written"
                                 : "reports a page that was not written",
                       kNeedsLinux);
  return {};
}

namespace {

/// Whether no other process maps the page; nothing if the kernel does not tell.
std::optional<bool> is_own(int pagemap, const ProbePage &page) {
  constexpr std::uint64_t kPresentBit = std::uint64_t{1} << 63;
  constexpr std::uint64_t kExclusiveBit = std::uint64_t{1} << 56;
  std::uint64_t entry = 0;
  if (::pread(pagemap, &entry, sizeof(entry),
              static_cast<off_t>(page.address() / kPageBytes *
                                 sizeof(entry))) != sizeof(entry) ||
      !(entry & kPresentBit))
    return std::nullopt;
  return (entry & kExclusiveBit) != 0;
}

} // namespace

std::string probe_kernel_copies() {
  const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!pagemap)
    return lacks("/proc/self/pagemap", "Is /proc mounted?");
  ProbePage page;
  if (!page)
    return lacks("a page of memory", "Raise the memory limit");
  page.write();
  std::array<void *, 1> places = {page.place()};
  std::array<int, 1> states = {};
  if (::syscall(SYS_move_pages, 0, 1, places.data(), nullptr, states.data(),
                0) != 0)
    return lacks("move_pages", "It needs a kernel with CONFIG_NUMA, and a "
                               "container that allows the system call");
  const std::optional<bool> before = is_own(pagemap.get(), page);
  const pid_t child = ::fork();
  if (child == 0)
    for (;;)
      ::pause();
  if (child < 0)
    return lacks("fork", "Raise the limit of processes");
  const std::optional<bool> shared = is_own(pagemap.get(), page);
  page.write();
  const std::optional<bool> after = is_own(pagemap.get(), page);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (before != true || shared != false || after != true)
    return "/proc/PID/pagemap does not tell which pages are shared (bit 56). "
           "It needs a kernel with CONFIG_PROC_PAGE_MONITOR";
  return {};
}

std::string why_lacking(engines::Needs needs) {
  switch (needs) {
  case engines::Needs::kScans:
    return probe_kernel_writes();
  case engines::Needs::kCopies:
    return probe_kernel_copies();
  case engines::Needs::kBits:
    return probe_soft_dirty();
  case engines::Needs::kQemu: // check_emulation looks at the program too
  case engines::Needs::kNothing:
    break;
  }
  return {};
}

} // namespace pagetide::tools

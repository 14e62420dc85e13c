//===- outside_uffd.cpp - Write protection of another process's memory ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As engine uffd in the program (runtime/engines/write_tracking.cpp says which
// pages count and why), with a userfaultfd that the program made and this
// process took. The kernel reports a page and protects it again in one step, so
// no thread stands still for it.

#include "engines/outside_engine.h"
#include "engines/page_scan.h"
#include "engines/remote_calls.h"
#include "support/failure.h"
#include "support/unique_fd.h"
#include "trace/runs.h"

#include "pagetide/pagemap_scan.h"
#include "support/page_bytes.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

using namespace kernel;

constexpr std::uint64_t kNotYetCopied = kPagePfnZero | kPageFile;
constexpr std::uint64_t kWriteRight = 2; // PROT_WRITE
/// Protecting memory without pages needs page tables: 2 MiB per GiB.
constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{64} << 30;

class OutsideUffd : public OutsideEngine {
public:
  OutsideUffd(pid_t process, RemoteCalls &calls);

  bool needs_stop() const override { return false; }
  void begin(pid_t task, const Mappings &mappings) override {
    collect(task, mappings);
  }
  std::vector<GranuleRun> collect(pid_t task,
                                  const Mappings &mappings) override;
  int event_fd() const override { return uffd_.get(); }
  /// A thread that moves a mapping waits until its event has been read.
  void serve_events() override {
    std::uint8_t events[32 * 16]; // of struct uffd_msg
    while (::read(uffd_.get(), events, sizeof(events)) > 0)
      ;
  }

private:
  int register_range(MemoryRange range) {
    UffdRegister argument = {range.begin, range.end - range.begin,
                             kRegisterModeWp, 0};
    return ::ioctl(uffd_.get(), kUffdIoRegister, &argument) == 0 ? 0 : errno;
  }
  int protect(MemoryRange range);
  int scan(MemoryRange range, const WantedPages &wanted, unsigned flags,
           std::vector<GranuleRun> &runs) {
    return scan_pages(pagemap_.get(), range, wanted, flags, runs);
  }
  int track_shared(MemoryRange range, std::vector<GranuleRun> &runs);
  void track(const Mapping &mapping, std::vector<GranuleRun> &shared);

  UniqueFd uffd_;
  UniqueFd pagemap_;
};

OutsideUffd::OutsideUffd(pid_t process, RemoteCalls &calls) {
  const long theirs =
      calls.call(SYS_userfaultfd, {O_CLOEXEC | O_NONBLOCK | kUserModeOnly});
  if (theirs < 0)
    throw Failure(
        fmt::format("userfaultfd in process {}: {}; it needs Linux 6.7 with "
                    "CONFIG_USERFAULTFD, and a container may forbid it",
                    process, std::strerror(static_cast<int>(-theirs))));
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  uffd_.reset(
      static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd.get(), theirs, 0)));
  const int error = errno;
  calls.call(SYS_close, {static_cast<std::uint64_t>(theirs)});
  if (!uffd_)
    throw Failure(fmt::format("pidfd_getfd from process {}: {}", process,
                              std::strerror(error)));
  UffdApi api = {kUffdApiVersion,
                 kFeaturePagefaultFlagWp | kFeatureEventRemap |
                     kFeatureWpHugetlbfsShmem | kFeatureWpUnpopulated |
                     kFeatureWpAsync,
                 0};
  if (::ioctl(uffd_.get(), kUffdIoApi, &api) != 0)
    throw Failure(fmt::format("userfaultfd's asynchronous write protection: "
                              "{}; it needs Linux 6.7",
                              std::strerror(errno)));
  pagemap_.reset(::open(fmt::format("/proc/{}/pagemap", process).c_str(),
                        O_RDONLY | O_CLOEXEC));
  if (!pagemap_)
    throw Failure(
        fmt::format("/proc/{}/pagemap: {}", process, std::strerror(errno)));
}

int OutsideUffd::protect(MemoryRange range) {
  UffdWriteProtect argument = {range.begin, range.end - range.begin,
                               kWriteProtectModeWp};
  // EAGAIN: a thread moves a mapping just now, and waits for this process.
  while (::ioctl(uffd_.get(), kUffdIoWriteProtect, &argument) != 0) {
    if (errno != EAGAIN)
      return errno;
    serve_events();
    ::sched_yield();
  }
  return 0;
}

/// Of pages that a new shared mapping has already, nobody knows which were
/// written.
int OutsideUffd::track_shared(MemoryRange range,
                              std::vector<GranuleRun> &runs) {
  std::vector<GranuleRun> registered;
  int error = scan(range, {0, 0, kPageWpAllowed, 0}, 0, registered);
  if (error)
    return error;
  if (!registered.empty())
    return scan(range, {kScanWpMatching, 0, kPageWritten, 0},
                trace::kRunWritten, runs);
  error = register_range(range);
  if (!error)
    error = scan(range, {0, 0, 0, kPagePresent | kPageSwapped},
                 trace::kRunMayWritten, runs);
  return error ? error : protect(range);
}

void OutsideUffd::track(const Mapping &mapping,
                        std::vector<GranuleRun> &shared) {
  const MemoryRange range = {mapping.start, mapping.start + mapping.bytes};
  const bool writable = mapping.protection & kWriteRight;
  const bool is_shared = mapping.protection & trace::kMappingShared;
  if (mapping.name.starts_with("[v") || (is_shared && !writable))
    return;
  const char *why = why_unseen(mapping);
  if (!why && is_shared && mapping.bytes > kMaxSharedBytes)
    why = "shared memory of more than 64 GiB";
  if (!why) {
    const int error =
        is_shared ? track_shared(range, shared) : register_range(range);
    if (error == EBUSY)
      why = "the program watches it by userfaultfd itself";
    else if (error == ENOMEM)
      why = "memory or mappings (vm.max_map_count) ran out";
    else if (error)
      why = "the kernel refuses to watch it";
  }
  if (why && writable)
    unseen_.push_back({range, why});
}

std::vector<GranuleRun> OutsideUffd::collect(pid_t, const Mappings &mappings) {
  std::vector<GranuleRun> shared;
  for (const Mapping &mapping : mappings.mappings)
    track(mapping, shared);
  std::vector<GranuleRun> runs;
  const int error = scan({kPageBytes, std::uint64_t{1} << abi::kAddressBits},
                         {kScanWpMatching, kNotYetCopied,
                          kPageWritten | kPageWpAllowed | kNotYetCopied,
                          kPagePresent | kPageSwapped},
                         trace::kRunWritten, runs);
  if (error)
    throw Failure(fmt::format("the kernel no longer reports which pages were "
                              "written: PAGEMAP_SCAN: {}",
                              std::strerror(error)));
  return merge_runs(runs, shared);
}

} // namespace

std::unique_ptr<OutsideEngine> make_outside_uffd(pid_t process,
                                                 RemoteCalls &calls) {
  return std::make_unique<OutsideUffd>(process, calls);
}

} // namespace pagetide::tools

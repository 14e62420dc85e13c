//===- outside_trace.cpp - The trace of a process that is watched ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/outside_trace.h"

#include "support/clock.h"
#include "support/failure.h"
#include "support/page_bytes.h"
#include "support/say.h"

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <utility>

namespace pagetide::tools {

namespace {

struct NewFile {
  UniqueFd fd;
  std::string path;
};

/// As the runtime names traces.
NewFile make_file(const std::string &wanted, pid_t pid) {
  constexpr int kMostNames = 10000;
  for (int n = 0; n < kMostNames; ++n) {
    std::string path = wanted;
    if (n > 0)
      path += fmt::format(".{}", pid);
    if (n > 1)
      path += fmt::format(".{}", n - 1);
    UniqueFd fd(::open(path.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                       0600));
    if (fd) {
      ::flock(fd.get(), LOCK_EX | LOCK_NB);
      return {std::move(fd), std::move(path)};
    }
    if (errno != EEXIST)
      throw Failure(fmt::format("{}: cannot be made: {}; name another file "
                                "with --output",
                                path, std::strerror(errno)));
  }
  throw Failure(fmt::format("{}: all names for the traces of process {} are "
                            "taken; remove old traces",
                            wanted, pid));
}

bool is_same(const Mapping &a, const Mapping &b) {
  const auto key = [](const Mapping &m) {
    return std::tie(m.start, m.bytes, m.protection, m.offset, m.name, m.device,
                    m.inode);
  };
  return key(a) == key(b);
}

} // namespace

OutsideTrace::OutsideTrace(TraceOutput &output, const OutsideTraceStart &start)
    : sink_(-1, ""), writer_(sink_) {
  NewFile file =
      make_file(std::filesystem::absolute(output.path()).string(), start.pid);
  std::string problem;
  path_ = output.take(file.fd.get(), file.path, problem);
  if (!problem.empty())
    say("{}", problem);
  fd_ = std::move(file.fd);
  sink_ = CountingSink(fd_.get(), path_);
  const std::uint64_t now = monotonic_ns();
  last_end_ns_ = start.time_ns ? start.time_ns : now;
  trace::FileHeader header = {};
  header.layout = static_cast<std::uint32_t>(start.layout);
  header.cell_shift = header.granule_shift =
      std::countr_zero(std::uint64_t{kPageBytes});
  header.flags = start.per_thread ? trace::kHeaderPerThread : 0;
  header.pid = static_cast<std::uint32_t>(start.pid);
  header.parent_pid = static_cast<std::uint32_t>(start.parent);
  header.page_bytes = kPageBytes;
  header.monotonic_ns = last_end_ns_;
  header.realtime_ns = clock_ns(CLOCK_REALTIME) - (now - last_end_ns_);
  header.period_ns = start.period_ns;
  writer_.header(header);
  writer_.write(start.run);
  writer_.write(start.process);
}

void OutsideTrace::mappings(Mappings now) {
  if (std::ranges::equal(now.mappings, mappings_, is_same))
    return;
  writer_.write(now);
  mappings_ = std::move(now.mappings);
}

void OutsideTrace::note(trace::NoteCode code, std::string text) {
  writer_.write(Note{monotonic_ns(), next_, code, std::move(text)});
}

void OutsideTrace::cut(std::uint64_t time_ns, std::uint64_t pause_ns) {
  Cut cut;
  cut.index = next_;
  cut.time_ns = time_ns;
  cut.pause_ns = pause_ns;
  writer_.write(cut);
}

void OutsideTrace::period(PeriodPart part) {
  part.index = next_++;
  part.start_ns = last_end_ns_;
  part.end_ns = std::max(part.end_ns, part.start_ns);
  last_end_ns_ = part.end_ns;
  writer_.write(std::move(part));
}

void OutsideTrace::end(trace::EndReason reason, std::uint64_t detail) {
  writer_.write(
      End{std::max(monotonic_ns(), last_end_ns_), reason, detail, next_});
}

} // namespace pagetide::tools

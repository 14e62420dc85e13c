//===- trace_testing.cpp - Reads traces in tests --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace_testing.h"

#include "sample_traces.h"
#include "support/failure.h"
#include "trace/runs.h"

#include <fcntl.h>
#include <stdlib.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace pagetide::tools {

TraceReader reader_of(std::span<const std::uint8_t> bytes) {
  return TraceReader(std::make_unique<MemorySource>(bytes), "memory");
}

WholeTrace read_all(TraceReader reader) {
  WholeTrace trace;
  Frame frame;
  while (reader.next(frame))
    trace.frames.push_back(frame);
  trace.completeness = reader.completeness();
  trace.integrity = trace.completeness.integrity();
  trace.stop_offset = trace.completeness.stop_offset();
  trace.stop_reason = trace.completeness.stop_reason();
  return trace;
}

WholeTrace read_all(std::span<const std::uint8_t> bytes) {
  return read_all(reader_of(bytes));
}

std::map<std::uint64_t, WholePeriod> periods_of(const WholeTrace &trace) {
  std::map<std::uint64_t, WholePeriod> periods;
  WholePeriod period;
  for (const Frame &frame : trace.frames) {
    if (frame.type != trace::FrameType::kPeriod)
      continue;
    if (frame.period.first)
      period = {};
    for (const PeriodPart::Section &section : frame.period.sections)
      for (const GranuleRun &run : frame.period.runs_of(section))
        append_run(period.runs[section.tid], run.first, run.count, run.flags);
    period.last_part = frame.period;
    if (frame.period.last)
      periods[frame.period.index] = period;
  }
  return periods;
}

Bytes encoded_again(const Frame &frame) {
  switch (frame.type) {
  case trace::FrameType::kRunId:
    return encode(frame.run_id);
  case trace::FrameType::kProcess:
    return encode(frame.process);
  case trace::FrameType::kMappings:
    return encode(frame.mappings);
  case trace::FrameType::kThreads:
    return encode(frame.threads);
  case trace::FrameType::kPeriod:
    return encode(frame.period);
  case trace::FrameType::kNote:
    return encode(frame.note);
  case trace::FrameType::kEnd:
    return encode(frame.end);
  case trace::FrameType::kKernelWrites:
    return encode(frame.kernel_writes);
  case trace::FrameType::kCut:
    return encode(frame.cut);
  case trace::FrameType::kRegions:
    return encode(frame.regions);
  case trace::FrameType::kSiteTable:
    return encode(frame.site_table);
  case trace::FrameType::kPeriodSites:
    return encode(frame.period_sites);
  }
  return {};
}

std::string text_of(const std::vector<GranuleRun> &runs) {
  std::string text;
  for (const GranuleRun &run : runs)
    text += fmt::format("{}{:x}+{:x}:{:x}", text.empty() ? "" : " ",
                        std::uint64_t{run.first}, std::uint64_t{run.count},
                        std::uint64_t{run.flags});
  return text;
}

ScratchDirectory::ScratchDirectory() {
  std::string path =
      (std::filesystem::temp_directory_path() / "pagetide-test-XXXXXX")
          .string();
  if (!::mkdtemp(path.data()))
    throw Failure("no directory for the test");
  path_ = path;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::write(const std::string &name,
                                    std::span<const std::uint8_t> bytes) {
  const UniqueFd fd(::open(file(name).c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  FdSink(fd.get(), name).write(bytes);
  return file(name);
}

Bytes bytes_of_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file),
               std::istreambuf_iterator<char>());
}

} // namespace pagetide::tools

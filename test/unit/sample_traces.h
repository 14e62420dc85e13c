//===- sample_traces.h - Small traces whose content is known --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"
#include "trace/trace_writer.h"

#include <string>
#include <vector>

namespace pagetide::tools {

struct SampleTrace {
  const char *name;
  const char *help;
  Bytes (*make)();
};

/// Traces of every kind, damaged ones included. Their content never changes
/// between runs.
const std::vector<SampleTrace> &sample_traces();

/// The named sample; throws Failure if there is none.
Bytes sample_trace(const std::string &name);

/// A header of the samples: layout rw, 4 KiB, per process, process 4242.
trace::FileHeader sample_header();
/// The same, per thread.
trace::FileHeader per_thread_header();

/// The moment at which the samples' recording begins.
inline constexpr std::uint64_t kSampleStartNs = 1'000'000'000;

/// A period of the samples that begins index * 500 ms after their start and
/// lasts 500 ms. Without sections.
PeriodPart sample_period(std::uint64_t index);

/// Gives the runs' granules stable checksums made from their numbers, and the
/// period its combined checksum.
void add_stable_checksums(PeriodPart &period, unsigned granule_shift,
                          const std::vector<GranuleRun> &runs);

/// A trace of about the given size, written straight to a file: what a reader
/// does with it shows whether its memory is bounded.
void write_big_trace(const std::string &path, std::uint64_t bytes);

} // namespace pagetide::tools

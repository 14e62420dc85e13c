//===- sample_parts.h - What the sample traces are made of ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "sample_traces.h"

#include "short_names.h"

namespace pagetide::tools {

constexpr std::uint64_t kHeap = 0x555555600; // granules of 4 KiB
constexpr std::uint64_t kStack = 0x7ffffffde;
constexpr std::uint64_t kText = 0x555555554;

class Sample {
public:
  explicit Sample(const trace::FileHeader &header = sample_header()) {
    writer_.header(header);
  }
  TraceWriter &operator*() { return writer_; }
  Bytes take() const { return sink_.bytes(); }

private:
  MemorySink sink_;
  TraceWriter writer_{sink_};
};

inline Process sample_process() {
  return {"/home/user/bin/sorter",
          {"./sorter", "--input", "two words.txt"},
          "period=500ms",
          "marks",
          "0.1.0"};
}

inline Mappings sample_mappings() {
  return {kSampleStartNs,
          {{kText << 12, 0x10000, 5, 0, "/home/user/bin/sorter"},
           {kHeap << 12, 0x200000, 3, 0, "[heap]"},
           {0x7ffff7000000, 0x100000, 3, 0, ""},
           {kStack << 12, 0x21000, 3, 0, "[stack]"}}};
}

inline End sample_end(std::uint64_t periods) {
  return {kSampleStartNs + periods * 500 * kMs, trace::EndReason::kExit, 0};
}

} // namespace pagetide::tools

//===- fuzz_input.h - What the fuzzers share ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "trace/trace_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pagetide::tools {

/// What must hold whatever the input is.
inline void require(bool holds, const char *promise) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Takes bytes off the front of the input; zeros once it is used up.
class Input {
public:
  Input(const std::uint8_t *data, std::size_t bytes)
      : at_(data), end_(data + bytes) {}
  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  std::uint64_t number(unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  Bytes bytes(std::size_t count) {
    count = std::min(count, static_cast<std::size_t>(end_ - at_));
    Bytes taken(at_, at_ + count);
    at_ += count;
    return taken;
  }
  std::string text(std::size_t count) {
    const Bytes taken = bytes(count);
    return {taken.begin(), taken.end()};
  }
  std::string rest() {
    std::string text(at_, end_);
    at_ = end_;
    return text;
  }

private:
  const std::uint8_t *at_;
  const std::uint8_t *end_;
};

/// A fuzzer of this program, which is called by the name of the one to run.
struct Fuzzer {
  Fuzzer(const char *name, void (*try_input)(Input));
};

} // namespace pagetide::tools

/// Begins the function that tries an input.
#define PAGETIDE_FUZZER(name)                                                  \
  static void name(pagetide::tools::Input input);                              \
  static const pagetide::tools::Fuzzer of_##name(#name, name);                 \
  static void name(pagetide::tools::Input input)

//===- fuzz_main.cpp - Where libFuzzer enters -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

using namespace pagetide::tools;

namespace {

using TryInput = void (*)(Input);
TryInput chosen;

std::map<std::string, TryInput> &fuzzers() {
  static std::map<std::string, TryInput> found;
  return found;
}

} // namespace

Fuzzer::Fuzzer(const char *name, void (*try_input)(Input)) {
  fuzzers()[name] = try_input;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***words) {
  const auto found =
      fuzzers().find(std::filesystem::path((*words)[0]).filename());
  require(found != fuzzers().end(), "the program has a fuzzer's name");
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  chosen(Input(data, size));
  return 0;
}

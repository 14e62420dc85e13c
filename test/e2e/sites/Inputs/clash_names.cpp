//===- clash_names.cpp - Finds two functions whose sites have one id ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without debug information the place of a site is its function. Prints options
// for the compiler that give two functions such names.

#include <pagetide/abi.h>

#define XXH_INLINE_ALL // no library is needed then
#include <xxhash.h>

#include <cstdio>
#include <string>
#include <unordered_map>

/// As pass/Sites.cpp makes it of a function alone.
static std::uint32_t id_of(const std::string &function) {
  const std::string place = function + '\0' + '\0' + "0:0\n";
  return pagetide::abi::site_id(XXH3_64bits(place.data(), place.size()));
}

int main() {
  std::unordered_map<std::uint32_t, std::string> names;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string name = "put_" + std::to_string(i);
    const auto [known, is_new] = names.try_emplace(id_of(name), name);
    if (is_new)
      continue;
    std::printf("-DFIRST=%s -DSECOND=%s\n", known->second.c_str(),
                name.c_str());
    return 0;
  }
  return 1;
}

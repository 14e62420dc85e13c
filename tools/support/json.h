//===- json.h - JSON values, and their text -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// One line. What is not UTF-8 is replaced by U+FFFD: names in a trace need not
/// be UTF-8, and Json::dump throws for them.
std::string dumped(const Json &json);

/// A number that is not negative; of a flag 1 or 0.
std::uint64_t number_of(const Json &json);

/// The text as a JSON string with its quotes. What is not UTF-8 is replaced by
/// U+FFFD.
std::string json_text(std::string_view text);

/// Whether the string has the text as it is.
bool is_plain_json(std::string_view text);

/// The text with what is not UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string text);

} // namespace pagetide::tools

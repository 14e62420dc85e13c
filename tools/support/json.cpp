//===- json.cpp - JSON values, and their text -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

std::string dumped(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::uint64_t number_of(const Json &json) {
  return json.is_boolean() ? json.get<bool>() : json.get<std::uint64_t>();
}

bool is_plain_json(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
  });
}

std::string json_text(std::string_view text) {
  return is_plain_json(text) ? fmt::format("\"{}\"", text) : dumped(text);
}

std::string valid_utf8(std::string text) {
  if (std::ranges::all_of(text, [](char c) { return c > 0; }))
    return text;
  return Json::parse(json_text(text)).get<std::string>();
}

} // namespace pagetide::tools

//===- json.cpp - JSON values, and their text -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace pagetide::tools {

struct Json::Content {
  std::string text;
  std::vector<Json> items;        ///< of an array, or the values of an object
  std::vector<std::string> names; ///< of an object's members
};

Json::Json() noexcept = default;

Json::Json(Kind kind, std::uint64_t number) : kind_(kind), number_(number) {}

Json::Json(std::string text) {
  become(Kind::kText);
  content_->text = std::move(text);
}

Json::Json(std::initializer_list<Member> members) {
  become(Kind::kObject);
  for (const Member &member : members)
    (*this)[member.name] = std::move(member.value);
}

Json Json::array(std::initializer_list<Json> items) {
  Json array;
  array.become(Kind::kArray);
  array.content_->items = items;
  return array;
}

Json::Json(const Json &other)
    : kind_(other.kind_), number_(other.number_),
      content_(other.content_ ? std::make_unique<Content>(*other.content_)
                              : nullptr) {}

Json::Json(Json &&other) noexcept
    : kind_(std::exchange(other.kind_, Kind::kNull)), number_(other.number_),
      content_(std::move(other.content_)) {}

Json &Json::operator=(const Json &other) { return *this = Json(other); }

Json &Json::operator=(Json &&other) noexcept {
  // What is assigned may be a part of what is replaced.
  const std::unique_ptr<Content> old = std::move(content_);
  kind_ = std::exchange(other.kind_, Kind::kNull);
  number_ = other.number_;
  content_ = std::move(other.content_);
  return *this;
}

Json::~Json() = default;

/// Makes null a text, an array or an object.
void Json::become(Kind kind) {
  if (kind_ != Kind::kNull)
    return;
  kind_ = kind;
  content_ = std::make_unique<Content>();
}

Json &Json::operator[](std::string_view name) {
  become(Kind::kObject);
  std::vector<std::string> &names = content_->names;
  const auto at = std::ranges::find(names, name);
  if (at != names.end())
    return content_->items[static_cast<std::size_t>(at - names.begin())];
  names.emplace_back(name);
  return content_->items.emplace_back();
}

void Json::erase(std::string_view name) {
  std::vector<std::string> &names = content_->names;
  const auto at = std::ranges::find(names, name);
  if (at == names.end())
    return;
  content_->items.erase(content_->items.begin() + (at - names.begin()));
  names.erase(at);
}

const std::vector<std::string> &Json::names() const { return content_->names; }

void Json::update(Json other) {
  for (std::size_t i = 0; i < other.size(); ++i)
    (*this)[other.content_->names[i]] = std::move(other.content_->items[i]);
}

void Json::push_back(Json item) {
  become(Kind::kArray);
  content_->items.push_back(std::move(item));
}

void Json::shorten(std::size_t size) {
  if (size < content_->items.size())
    content_->items.resize(size);
}

std::span<Json> Json::items() {
  return content_ ? std::span<Json>(content_->items) : std::span<Json>();
}

std::size_t Json::size() const { return content_ ? content_->items.size() : 0; }

const std::string &Json::text() const { return content_->text; }

std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

void Json::append_to(std::string &out) const {
  switch (kind_) {
  case Kind::kNull:
    out += "null";
    break;
  case Kind::kFlag:
    out += number_ != 0 ? "true" : "false";
    break;
  case Kind::kNumber:
    out += fmt::format_int(number_).c_str();
    break;
  case Kind::kSigned:
    out += fmt::format_int(static_cast<std::int64_t>(number_)).c_str();
    break;
  case Kind::kText:
    out += json_text(content_->text);
    break;
  case Kind::kArray:
  case Kind::kObject: {
    const bool is_object = kind_ == Kind::kObject;
    out += is_object ? '{' : '[';
    for (std::size_t i = 0; i < content_->items.size(); ++i) {
      if (i != 0)
        out += ',';
      if (is_object)
        out += json_text(content_->names[i]) + ':';
      content_->items[i].append_to(out);
    }
    out += is_object ? '}' : ']';
    break;
  }
  }
}

bool is_plain_json(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
  });
}

std::string json_text(std::string_view text) {
  if (is_plain_json(text))
    return fmt::format("\"{}\"", text);
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

std::string valid_utf8(std::string text) {
  if (std::ranges::all_of(text, [](char c) { return c > 0; }))
    return text;
  return nlohmann::json::parse(json_text(text)).get<std::string>();
}

} // namespace pagetide::tools

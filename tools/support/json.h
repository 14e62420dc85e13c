//===- json.h - JSON values, and their text -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// A value of a JSON document. The library that knows JSON takes seconds to
/// compile in each file that includes it, so only json.cpp does.
class Json {
public:
  struct Member;

  /// Null.
  Json() noexcept;
  Json(std::nullptr_t) noexcept : Json() {}
  template <std::same_as<bool> Flag>
  Json(Flag flag) : Json(Kind::kFlag, flag) {}
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  Json(Number number) : Json(Kind::kNumber, number) {}
  template <std::signed_integral Number>
  Json(Number number)
      : Json(Kind::kSigned, static_cast<std::uint64_t>(number)) {}
  Json(std::string text);
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char *text) : Json(std::string(text)) {}
  template <typename Item>
  Json(const std::vector<Item> &items) : Json(array()) {
    for (const Item &item : items)
      push_back(item);
  }
  /// An object: Json{{"name", value}, {"other", value}}.
  Json(std::initializer_list<Member> members);
  static Json array(std::initializer_list<Json> items = {});

  Json(const Json &other);
  Json(Json &&other) noexcept;
  Json &operator=(const Json &other);
  Json &operator=(Json &&other) noexcept;
  ~Json();

  /// The object's member, which is null if it was not there. Null becomes an
  /// object.
  Json &operator[](std::string_view name);
  void erase(std::string_view name);
  /// Of an object's members.
  const std::vector<std::string> &names() const;
  /// Takes the members of another object, in place of those of equal names.
  void update(Json other);
  /// Null becomes an array.
  void push_back(Json item);
  /// Keeps the first items of an array.
  void shorten(std::size_t size);
  /// What an array or an object has.
  std::span<Json> items();
  std::size_t size() const;

  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_text() const { return kind_ == Kind::kText; }
  const std::string &text() const;
  /// A number that is not negative; of a flag 1 or 0.
  std::uint64_t number() const { return number_; }

  /// One line. What is not UTF-8 is replaced by U+FFFD: names in a trace need
  /// not be UTF-8.
  std::string dump() const;

private:
  enum class Kind : std::uint8_t {
    kNull,
    kFlag,
    kNumber,
    kSigned,
    kText,
    kArray,
    kObject
  };
  struct Content;

  Json(Kind kind, std::uint64_t number);
  void become(Kind kind);
  void append_to(std::string &out) const;

  Kind kind_ = Kind::kNull;
  std::uint64_t number_ = 0;
  std::unique_ptr<Content> content_; ///< of texts, arrays and objects
};

struct Json::Member {
  std::string name;
  mutable Json value; ///< the list that it comes in is made for one use
};

/// The text as a JSON string with its quotes. What is not UTF-8 is replaced by
/// U+FFFD.
std::string json_text(std::string_view text);

/// Whether the string has the text as it is.
bool is_plain_json(std::string_view text);

/// The text with what is not UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string text);

} // namespace pagetide::tools

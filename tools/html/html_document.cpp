//===- html_document.cpp - One HTML file that needs nothing else ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/html_document.h"

#include "html/packed_bytes.h"
#include "support/escaped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::string_view kDataMarker = "@data@";

} // namespace

std::string json_in_html(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  // In JSON, `<` is only within strings.
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

HtmlDocument::HtmlDocument(const HtmlAssets &assets, TextSink &out,
                           std::string_view title, std::string_view nonce)
    : assets_(assets), out_(out), title_(markup_text(title)), nonce_(nonce) {
  write_template(assets_.page.substr(0, assets_.page.find(kDataMarker)), out_);
}

/// Writes a piece of the page with its markers replaced.
void HtmlDocument::write_template(std::string_view text, TextSink &out) const {
  const std::pair<std::string_view, std::string_view> markers[] = {
      {"@title@", title_},
      {"@nonce@", nonce_},
      {"@style@", assets_.style},
      {"@script@", assets_.script},
  };
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('@'), text.size());
    out.write(text.substr(0, plain));
    text.remove_prefix(plain);
    std::size_t used = std::min<std::size_t>(text.size(), 1);
    bool is_marker = false;
    for (const auto &[name, piece] : markers) {
      if (!text.starts_with(name))
        continue;
      out.write(piece);
      used = name.size();
      is_marker = true;
    }
    if (!is_marker)
      out.write(text.substr(0, used));
    text.remove_prefix(used);
  }
}

std::size_t HtmlDocument::add_blob(std::span<const std::uint8_t> packed) {
  out_.write(fmt::format(
      "<script type=\"application/octet-stream\" id=\"blob-{}\">", blobs_));
  out_.write(base64(packed));
  out_.write("</script>\n");
  return blobs_++;
}

std::size_t HtmlDocument::frame_bytes() const {
  class Counter : public TextSink {
  public:
    void write(std::string_view text) override { bytes += text.size(); }
    std::size_t bytes = 0;
  };
  Counter counter;
  write_template(assets_.page, counter);
  constexpr std::size_t kElementOfData = 96;
  return counter.bytes + kElementOfData;
}

void HtmlDocument::finish(std::string_view json) {
  out_.write("<script type=\"application/json\" id=\"data\">");
  out_.write(json_in_html(json));
  out_.write("</script>\n");
  write_template(
      assets_.page.substr(assets_.page.find(kDataMarker) + kDataMarker.size()),
      out_);
}

std::string make_nonce() {
  std::random_device random;
  std::array<std::uint8_t, 16> bytes = {};
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random());
  return base64(bytes);
}

} // namespace pagetide::tools

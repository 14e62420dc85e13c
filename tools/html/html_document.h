//===- html_document.h - One HTML file that needs nothing else ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "html/html_assets.h"
#include "support/text_output.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// JSON that can stand in a script element: no `<`, so nothing ends the element
/// or begins a comment.
std::string json_in_html(std::string_view json);

/// Writes the document piece by piece, so packed data need not all be in
/// memory. What comes from a trace is data, and never HTML or script: the
/// document's own policy lets a browser run only the scripts with the nonce.
class HtmlDocument {
public:
  /// The nonce must not be known to anybody who could have made the trace.
  HtmlDocument(const HtmlAssets &assets, TextSink &out, std::string_view title,
               std::string_view nonce);

  /// What a blob of so many bytes needs in the document.
  static std::size_t blob_bytes(std::size_t packed) {
    constexpr std::size_t kElement = 96;
    return (packed + 2) / 3 * 4 + kElement;
  }
  /// Returns the number by which the script finds the bytes.
  std::size_t add_blob(std::span<const std::uint8_t> packed);
  /// What the document needs without blobs and data.
  std::size_t frame_bytes() const;
  /// Writes the data that describe the blobs, and the rest of the document.
  void finish(std::string_view json);

private:
  void write_template(std::string_view text, TextSink &out) const;

  const HtmlAssets &assets_;
  TextSink &out_;
  std::string title_;
  std::string nonce_;
  std::size_t blobs_ = 0;
};

/// Random, and as long as the policy of a document needs.
std::string make_nonce();

} // namespace pagetide::tools

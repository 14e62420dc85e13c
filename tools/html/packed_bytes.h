//===- packed_bytes.h - Bytes on their way into a document ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Collects numbers as the script of the document reads them.
class ByteColumns {
public:
  /// Unsigned LEB128.
  void varint(std::uint64_t number);
  /// Eight bytes, the lowest first.
  void fixed(std::uint64_t number);
  void byte(std::uint8_t byte) { bytes_.push_back(byte); }

  const std::vector<std::uint8_t> &bytes() const { return bytes_; }

private:
  std::vector<std::uint8_t> bytes_;
};

/// Compresses bytes. The script unpacks them by
/// DecompressionStream("deflate-raw").
std::vector<std::uint8_t> deflate_raw(std::span<const std::uint8_t> bytes);
/// Nothing if that takes more than `max_bytes`.
std::optional<std::vector<std::uint8_t>>
deflate_raw(std::span<const std::uint8_t> bytes, std::size_t max_bytes);

/// The bytes in base64, with padding.
std::string base64(std::span<const std::uint8_t> bytes);

} // namespace pagetide::tools

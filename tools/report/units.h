//===- units.h - What the numbers of a trace count, in words --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/text_format.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <string>

namespace pagetide::tools {

struct Units {
  unsigned granule_shift = 0;
  bool is_page = true; ///< a granule is a page of the system
  bool tells_writes = true;
  bool records_reads = true;

  static Units of(const trace::FileHeader &header) {
    const abi::Layout layout = geometry_of(header).layout;
    return {header.granule_shift,
            std::uint64_t{1} << header.granule_shift == header.page_bytes,
            abi::tells_writes(layout), abi::records_reads(layout)};
  }
  /// Leaves what both traces tell.
  void keep_common(const Units &other) {
    tells_writes &= other.tells_writes;
    records_reads &= other.records_reads;
  }

  const char *unit() const { return is_page ? "page" : "granule"; }
  std::string bytes(std::uint64_t granules = 1) const {
    return format_bytes(static_cast<double>(granules) *
                        static_cast<double>(std::uint64_t{1} << granule_shift));
  }
  /// "pages of 4 KiB".
  std::string units() const { return std::string(unit()) + "s of " + bytes(); }
  bool tells_reads() const { return records_reads && tells_writes; }
  const char *access_word() const {
    return records_reads ? "accessed" : "written";
  }
  const char *access_verb() const {
    return records_reads ? "accessed" : "wrote";
  }
};

} // namespace pagetide::tools

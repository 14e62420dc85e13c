//===- shared_memory.h - Pages that several processes accessed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/mapping_names.h"
#include "analysis/report_limits.h"
#include "analysis/sharing.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Finds out which pages of shared memory several processes of a run accessed.
/// Processes can have a page at different addresses: it is known by its memory
/// and its place there.
class SharedMemory {
public:
  /// A certain access of a process, in a mapping for which is_shared() is true.
  /// Processes are numbered by the caller.
  void add(std::uint32_t process, const MappingNames::Object &object,
           const std::string &name, const GranuleRun &in_object);

  struct Object {
    std::string name;
    std::vector<std::uint32_t> processes; ///< that share pages of it
    std::uint64_t granules = 0; ///< that two processes or more accessed
    std::uint64_t written = 0;  ///< of these, by any process
  };
  struct Figures {
    std::vector<Object> objects; ///< the one with the most granules first
    std::vector<std::uint64_t> of_process; ///< shared granules of each
    /// What the processes' sums of granules count too often.
    std::uint64_t repeated = 0;
    bool is_lower_bound = false;
  };
  /// Call it once, after all processes were added.
  Figures take_figures(std::size_t processes);

private:
  /// Granules of an object. Others begin above it.
  static constexpr unsigned kObjectBits = 40;

  std::map<MappingNames::Object, std::uint64_t> numbers_;
  std::vector<std::string> names_; ///< of the objects
  PageThreads pages_{kTableBytes};
  bool left_out_ = false;
};

} // namespace pagetide::tools

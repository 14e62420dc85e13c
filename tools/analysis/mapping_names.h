//===- mapping_names.h - In which mapping a granule lies ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// The name of mappings that have none.
inline constexpr const char kAnonymousMapping[] = "[anonymous]";

/// The mapping's name, or kAnonymousMapping. At most 4096 bytes (PATH_MAX).
std::string name_of(const Mapping &mapping);

struct MappedGranules {
  std::uint64_t first = 0;
  std::uint64_t end = 0; ///< there are none if this is not above `first`
};
/// A granule that spans two mappings counts for the lower one, which ends at
/// granule `floor`.
MappedGranules granules_of(const Mapping &mapping, unsigned granule_shift,
                           std::uint64_t floor);

/// A period without its content.
struct PeriodTime {
  std::uint64_t index = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Divides runs by the mappings that they lie in, and numbers the mappings'
/// names.
class MappingNames {
public:
  /// Takes the piece of a run that lies in mappings of one name, and the period
  /// that was given with the run.
  using Take = std::function<void(std::size_t name, const GranuleRun &piece,
                                  const PeriodTime &period)>;

  /// What a piece lies in.
  struct Place {
    std::uint32_t name = 0;
    /// Which memory it is, if processes may share it: see object(). Otherwise
    /// 0.
    std::uint32_t object = 0;
    /// Of a file: what to add to an address to get its place in the file.
    std::uint64_t file_shift = 0;
    bool is_file = false;

    bool is_shared() const { return object != 0; }
    /// The piece by its place in that memory, the same in each process.
    GranuleRun in_object(GranuleRun piece, unsigned granule_shift) const {
      piece.first =
          ((piece.first << granule_shift) + file_shift) >> granule_shift;
      return piece;
    }
  };
  using TakePlace = std::function<void(
      const Place &place, const GranuleRun &piece, const PeriodTime &period)>;
  /// The list that comes after those that were set. Null if it is not known.
  using NextList = std::function<const Mappings *()>;

  // Not in this header: files that are compiled without optimisation include
  // it, and the linker would take their copy of what is called for each piece.
  MappingNames(unsigned granule_shift, Take take);
  MappingNames(unsigned granule_shift, TakePlace take);
  MappingNames(const MappingNames &) = delete;

  /// From now on no piece waits for a list: it is looked up in the next one at
  /// once.
  void look_ahead(NextList next) { next_list_ = std::move(next); }

  /// The mappings from now on.
  void set_mappings(const Mappings &mappings);
  /// Lists that should come here are lost. Nothing is known of the mappings
  /// until the next one.
  void forget_mappings();
  /// Divides runs of one period, sorted and without overlap. Pieces that are in
  /// no list yet are taken when the next list comes.
  void divide(std::span<const GranuleRun> runs, const PeriodTime &period);
  /// The last part of a period has been divided.
  void end_period() {
    period_has_ended_ = true;
    closed_ranges_.clear();
    lost_earlier_ = false;
  }
  /// Call once at the end. Granules that are in no list are of unknown name.
  void finish();

  const std::string &name(std::size_t number) const { return names_[number]; }
  /// The device and the inode of shared memory.
  using Object = std::pair<std::uint64_t, std::uint64_t>;
  const Object &object(const Place &place) const {
    return objects_[place.object - 1];
  }

private:
  struct Range {
    std::uint64_t first; ///< granules
    std::uint64_t end;
    Place place;
  };
  struct Waiting {
    GranuleRun run;
    PeriodTime period;
  };

  std::uint32_t number_of(const std::string &name);
  std::uint32_t number_of(const Object &object);
  Place place_of(const char *name) { return {.name = number_of(name)}; }
  std::vector<Range> ranges_of(const Mappings &mappings);
  void take_open(std::span<const GranuleRun> runs, const PeriodTime &period);
  void keep_for_this_period();
  void find_closed();
  /// Takes what lies in the ranges and appends the rest to `rest`.
  void attribute(const std::vector<Range> &ranges,
                 std::span<const GranuleRun> runs, const PeriodTime &period,
                 std::vector<GranuleRun> &rest);

  unsigned granule_shift_;
  TakePlace take_;
  NextList next_list_;
  std::vector<Range> next_ranges_;
  bool knows_next_ranges_ = false;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Object> objects_;
  std::map<Object, std::uint32_t> object_numbers_; ///< from 1
  std::vector<Range> ranges_;
  /// What earlier lists have that were in force since the last period ended. A
  /// mapping may be gone when its period ends.
  std::vector<Range> earlier_ranges_;
  /// Of these, files' mappings where the list in force has anonymous memory.
  /// The runtime may have mapped memory of its own where a library was closed.
  std::vector<Range> closed_ranges_;
  bool period_has_ended_ = false;
  /// Granules that are in no list yet. They wait for the next one.
  std::vector<Waiting> waiting_;
  bool lost_ = false; ///< the list in force
  /// Lists that were in force since the last period ended.
  bool lost_earlier_ = false;
  std::vector<GranuleRun> scratch_[4];
};

} // namespace pagetide::tools

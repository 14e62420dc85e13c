//===- mappings_table.cpp - A row for each mapping that was listed --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include <array>
#include <compare>
#include <map>

namespace pagetide::tools {

namespace {

constexpr std::array<Column, 9> kMappingsColumns = {{
    {"trace", "number of the trace in this export, from 1"},
    {"pid", "of the process"},
    {"start", "address of its first byte"},
    {"end", "address behind its last byte"},
    {"file_offset", "of the first byte in the file; empty if it is no file"},
    {"protection",
     "r, w, x as in /proc/PID/maps, then s if it is shared and p "
     "otherwise, then b if it is .bss",
     true, true},
    {"name", "as in the column mapping of pages", true, true},
    {"from_ns", "when a list had it first, CLOCK_MONOTONIC"},
    {"to_ns", "when a list no longer had it; empty if the last one did"},
}};

/// Bits of a mapping's protection: docs/reference/trace-format.md.
std::string protection_text(std::uint64_t protection) {
  std::string text;
  text += protection & 1 ? 'r' : '-';
  text += protection & 2 ? 'w' : '-';
  text += protection & 4 ? 'x' : '-';
  text += protection & 8 ? 's' : 'p';
  if (protection & 16)
    text += 'b';
  return text;
}

/// Keeps the list in force, and writes a mapping when a list lacks it.
class MappingsSource : public TableSource {
public:
  using TableSource::TableSource;

  void begin() override { listed_.clear(); }

  void see(const Frame &frame) override {
    if (frame.type != trace::FrameType::kMappings)
      return;
    const std::uint64_t time_ns = frame.mappings.time_ns;
    for (const Mapping &mapping : frame.mappings.mappings) {
      Key key(mapping);
      if (!is_selected(key))
        continue;
      const auto [at, is_new] =
          listed_.try_emplace(std::move(key), Listed{time_ns, lists_});
      at->second.list = lists_;
    }
    for (auto at = listed_.begin(); at != listed_.end();) {
      if (at->second.list == lists_) {
        ++at;
        continue;
      }
      write(at->first, at->second, time_ns);
      at = listed_.erase(at);
    }
    ++lists_;
  }

  void add(const PeriodPart &) override {}

  void end_trace() override {
    for (const auto &[key, listed] : listed_)
      write(key, listed, {});
  }

private:
  struct Key {
    explicit Key(const Mapping &mapping)
        : start(mapping.start), bytes(mapping.bytes), offset(mapping.offset),
          protection(mapping.protection),
          name(mapping.name.empty() ? kAnonymousMapping : mapping.name) {}
    friend auto operator<=>(const Key &a, const Key &b) = default;
    std::uint64_t start;
    std::uint64_t bytes;
    std::uint64_t offset;
    std::uint64_t protection;
    std::string name;
  };
  struct Listed {
    std::uint64_t from_ns;
    std::uint64_t list; ///< number of the last list that had it
  };

  bool is_selected(const Key &key) const {
    const Selection &selection = trace_->selection();
    return key.bytes != 0 && selection.has_mapping(key.name) &&
           key.start <= selection.addresses.last &&
           key.start + (key.bytes - 1) >= selection.addresses.first;
  }

  void write(const Key &key, const Listed &listed,
             std::optional<std::uint64_t> to_ns) {
    const std::string protection = protection_text(key.protection);
    const std::string name = valid_text(key.name);
    const std::array<Cell, kMappingsColumns.size()> cells = {
        Cell::of(number_),
        Cell::of(std::uint64_t{trace_->header().pid}),
        Cell::address(key.start),
        Cell::address(key.start + key.bytes),
        key.name.starts_with('/') ? Cell::of(key.offset) : Cell(),
        Cell::of(protection),
        Cell::of(name),
        Cell::of(listed.from_ns),
        Cell::of(to_ns),
    };
    sink_.row(cells.data());
  }

  std::uint64_t lists_ = 0;
  std::map<Key, Listed> listed_;
};

} // namespace

extern const Table kMappingsTable = {
    "mappings",
    "one row per mapping of the address space that was listed",
    kMappingsColumns,
    make_source<MappingsSource>,
};

} // namespace pagetide::tools

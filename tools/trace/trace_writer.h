//===- trace_writer.h - Writes the frames of a trace ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This writer serves the harvester and the tests. The runtime has a writer of
// its own, which needs no libc.

#pragma once

#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

using Bytes = std::vector<std::uint8_t>;

/// Where a trace's bytes go.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  /// Takes all the bytes or throws Failure.
  virtual void write(std::span<const std::uint8_t> bytes) = 0;
};

class MemorySink : public ByteSink {
public:
  void write(std::span<const std::uint8_t> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  const Bytes &bytes() const { return bytes_; }

private:
  Bytes bytes_;
};

/// Writes at the offset of a descriptor, which the caller closes.
class FdSink : public ByteSink {
public:
  FdSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  void write(std::span<const std::uint8_t> bytes) override;

private:
  int fd_;
  std::string name_;
};

/// Fills in magic, version, size and hash.
trace::FileHeader finished_header(trace::FileHeader header);

/// Payloads of frames, not yet compressed.
Bytes encode(const RunId &id);
Bytes encode(const Process &process);
Bytes encode(const Mappings &mappings);
Bytes encode(const Threads &threads);
Bytes encode(const Note &note);
Bytes encode(const End &end);
Bytes encode(const PeriodPart &part);
Bytes encode(const KernelWrites &part);
Bytes encode(const Cut &cut);
Bytes encode(const Regions &regions);
Bytes encode(const SiteTablePart &table);
Bytes encode(const PeriodSites &part);
/// Cuts the sites of a whole period into parts. Each payload has about
/// part_bytes at most.
std::vector<Bytes> encode_sites(const PeriodSites &sites,
                                std::size_t part_bytes = trace::kPartBytes);

/// Cuts a whole period into parts. Each payload has about part_bytes at most.
std::vector<Bytes> encode_period(const PeriodPart &period,
                                 std::size_t part_bytes = trace::kPartBytes);

enum class Compression { kZstd, kNone };

/// Frame header and stored payload. A payload that compression does not make
/// smaller is stored raw.
Bytes make_frame(trace::FrameType type, std::span<const std::uint8_t> payload,
                 Compression compression = Compression::kZstd);

class TraceWriter {
public:
  explicit TraceWriter(ByteSink &sink,
                       Compression compression = Compression::kZstd)
      : sink_(sink), compression_(compression) {}

  void header(const trace::FileHeader &header);
  void frame(trace::FrameType type, std::span<const std::uint8_t> payload);

  /// A record that is one frame. A cut is written before its period.
  template <typename Record> void write(const Record &record) {
    frame(Record::kFrame, encode(record));
  }
  /// Adds the count of periods if `end` has none.
  void write(End end) {
    if (!end.periods)
      end.periods = periods_;
    frame(trace::FrameType::kEnd, encode(end));
  }
  /// Writes the sites of a whole period. The period must follow.
  void write(const PeriodSites &sites,
             std::size_t part_bytes = trace::kPartBytes) {
    for (const Bytes &payload : encode_sites(sites, part_bytes))
      frame(trace::FrameType::kPeriodSites, payload);
  }
  /// Writes a whole period. It sets the period's `context` itself.
  void write(PeriodPart period, std::size_t part_bytes = trace::kPartBytes) {
    period.context = context_;
    for (const Bytes &payload : encode_period(period, part_bytes))
      frame(trace::FrameType::kPeriod, payload);
    periods_ = period.index + 1;
  }

private:
  ByteSink &sink_;
  Compression compression_;
  std::uint64_t context_ = 0; ///< trace::is_context() frames written
  std::uint64_t periods_ = 0;
};

} // namespace pagetide::tools

//===- trace_reader.h - Reads a trace frame by frame ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader trusts no byte: a frame is handed out only after its hash was
// checked and all of it was decoded within the bounds of the format. It keeps
// one frame in memory, never a whole period and never a granule's worth of
// anything that a run only counts.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_TRACE_TRACE_READER_H
#define PAGETIDE_TOOLS_TRACE_TRACE_READER_H

#include "trace/byte_source.h"
#include "trace/frame_decoder.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace pagetide::tools {

/// How the reading of a trace came to its end.
enum class Integrity {
  kComplete,   ///< the last frame is an End frame
  kUnfinished, ///< whole frames only, but no End: still running, or killed
  kCut,        ///< the file stops inside a frame
  kDamaged,    ///< a frame is not what its hash or the format says
};

/// Reads the frames of one trace in order.
class TraceReader {
public:
  /// Reads the header. `name` stands for the file in messages. Throws Failure
  /// where this is no trace, or none of a version this reader knows.
  TraceReader(std::unique_ptr<ByteSource> source, std::string name);
  ~TraceReader();

  static TraceReader open(const std::string &path);
  TraceReader(TraceReader &&) noexcept;

  const trace::FileHeader &header() const { return header_; }
  Geometry geometry() const { return geometry_of(header_); }
  const std::string &name() const { return name_; }

  /// Decodes the next frame. False at the end, or where the trace cannot be
  /// read further: then integrity(), stop_offset() and stop_reason() say which.
  bool next(Frame &frame);

  Integrity integrity() const { return integrity_; }
  /// First byte that was not understood; the file's length if none.
  std::uint64_t stop_offset() const { return offset_; }
  const std::string &stop_reason() const { return stop_reason_; }

  /// Periods of which all parts were handed out, and the last one's index.
  std::uint64_t whole_periods() const { return whole_periods_; }
  std::optional<std::uint64_t> last_whole_period() const { return last_whole_; }
  /// The period of which some parts were handed out, but not yet the last.
  std::optional<std::uint64_t> open_period() const { return open_period_; }

  /// One sentence for people: where and why reading stopped, and which periods
  /// came before. Empty if the trace is complete.
  std::string stop_message() const;

private:
  bool stop(Integrity integrity, std::string reason);
  void accept_period(const PeriodPart &part);
  void accept_kernel_writes(const KernelWrites &part);

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  trace::FileHeader header_ = {};
  ZSTD_DCtx_s *decompressor_ = nullptr;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint8_t> raw_;
  std::uint64_t offset_ = 0;
  bool ended_ = false; ///< the frame before was an End frame
  bool stopped_ = false;
  Integrity integrity_ = Integrity::kUnfinished;
  std::string stop_reason_;

  std::uint64_t whole_periods_ = 0;
  std::optional<std::uint64_t> last_whole_;
  std::optional<std::uint64_t> open_period_;
  std::uint64_t open_floor_ = 0; ///< first granule the next part may speak of
  std::uint64_t open_start_ns_ = 0;
  std::uint64_t open_end_ns_ = 0;

  std::optional<std::uint64_t> kernel_open_; ///< as open_period_
  std::optional<std::uint64_t> kernel_whole_;
  std::uint64_t kernel_floor_ = 0;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_TRACE_TRACE_READER_H

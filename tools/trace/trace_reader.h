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

#include "support/unique_fd.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace pagetide::tools {

/// Where a trace's bytes come from.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Fills the buffer as far as there are bytes; fewer only at the end.
  /// Throws Failure where they cannot be read.
  virtual std::size_t read(void *buffer, std::size_t bytes) = 0;
};

class FileSource : public ByteSource {
public:
  /// Throws Failure where the file cannot be opened or is no regular file.
  explicit FileSource(const std::string &path);
  /// Reads from a descriptor's current offset and closes it at the end.
  FileSource(UniqueFd fd, std::string name);
  std::size_t read(void *buffer, std::size_t bytes) override;

private:
  UniqueFd fd_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;
  std::size_t buffered_ = 0;
  std::size_t taken_ = 0;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t read(void *buffer, std::size_t bytes) override;

private:
  std::span<const std::uint8_t> bytes_;
};

/// One frame, decoded. Only the member that belongs to `type` says anything;
/// the others keep memory for the next frame of theirs. A frame of a type that
/// this version does not know comes with that type and no content.
struct Frame {
  std::uint64_t offset = 0; ///< where its header stands in the file
  std::uint64_t bytes = 0;  ///< header and stored payload
  trace::FrameType type = trace::FrameType::kNote;
  Process process;
  Mappings mappings;
  Threads threads;
  PeriodPart period;
  Note note;
  End end;
  KernelWrites kernel_writes;
  Regions regions;
};

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
  class Cursor;

  bool stop(Integrity integrity, std::string reason);
  void decode(Cursor &cursor, Frame &frame);
  void decode_period(Cursor &cursor, PeriodPart &part);
  void accept_period(const PeriodPart &part);
  void decode_kernel_writes(Cursor &cursor, KernelWrites &part);
  void accept_kernel_writes(const KernelWrites &part);
  std::uint64_t page_limit() const;

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

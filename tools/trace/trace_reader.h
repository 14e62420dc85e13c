//===- trace_reader.h - Reads a trace frame by frame ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader trusts no byte. It hands out a frame only after it has checked the
// frame's hash and decoded all of it within the format's bounds. It keeps one
// frame in memory, never a whole period. Runs of granules stay runs, so their
// length costs no memory.

#pragma once

#include "support/progress.h"
#include "trace/byte_source.h"
#include "trace/completeness.h"
#include "trace/frame_decoder.h"
#include "trace/frame_order.h"
#include "trace/frame_scanner.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace pagetide::tools {

/// Reads the frames of one trace in order. If bytes are damaged, it goes on
/// with the next sound frame. It keeps account of what is missing.
class TraceReader {
public:
  /// Reads the header. `name` is the file's name in messages. Throws Failure if
  /// the source is no trace, or if this reader does not know its version.
  TraceReader(std::unique_ptr<ByteSource> source, std::string name);

  static TraceReader open(const std::string &path);
  /// The same. If reading takes long, a terminal shows how far it has come.
  static TraceReader open_with_progress(const std::string &path);

  const trace::FileHeader &header() const { return header_; }
  Geometry geometry() const { return geometry_of(header_); }
  const std::string &name() const { return name_; }

  /// Says whether the file may still grow. If so, next() returns false where
  /// the file ends so far, and can be called again. Bytes that are no frame yet
  /// may become one. There is no completeness() until next() has returned false
  /// for a file that does not grow any more.
  void set_growing(bool grows) { grows_ = grows; }
  /// Whether the file has become shorter than what was read of it. Its writer
  /// cuts off what it cannot complete. The trace must be read anew.
  bool was_cut_back() { return scanner_.file_bytes() < offset_; }
  /// How much of the file has been read, and how much there is.
  std::uint64_t read_bytes() const { return offset_; }
  std::uint64_t file_bytes() { return scanner_.file_bytes(); }

  /// Decodes the next frame that can be used. False at the end.
  bool next(Frame &frame);

  /// What the trace lacks. Call it after next() has returned false.
  const Completeness &completeness() const { return completeness_; }
  /// Whether the reader has skipped damaged bytes so far.
  bool has_damage() const { return completeness_.damage_count() != 0; }

  /// The last period of which the reader has handed out all parts.
  std::optional<std::uint64_t> last_whole_period() const {
    return order_.last_whole_period();
  }
  /// The period of which it has handed out some parts, but not yet the last.
  std::optional<std::uint64_t> open_period() const {
    return order_.open_period();
  }
  /// The context that a Period frame must have if it comes next.
  std::uint64_t context_of_next() const { return order_.context_of_next(); }

private:
  bool take(Frame &frame);
  void skip_damage(std::uint64_t bytes, std::string reason);
  bool look_beyond_damage(bool is_cut);
  void finish(Integrity end_of_file, std::string reason = {});

  FrameScanner scanner_;
  std::string name_;
  trace::FileHeader header_;
  FrameOrder order_;
  std::uint64_t offset_; ///< where the next frame begins
  bool ended_ = false;   ///< the frame before was an End frame
  bool grows_ = false;
  bool finished_ = false;
  Completeness completeness_;
  std::unique_ptr<Progress> progress_; ///< may be null
};

} // namespace pagetide::tools

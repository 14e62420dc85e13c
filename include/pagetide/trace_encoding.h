//===- trace_encoding.h - Payloads of a trace's frames --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only encoder of the payloads that trace_format.h defines. The runtime and
// the tools use it. It needs neither libc nor the C++ library: Bytes is any
// type that has push_back(std::uint8_t).
//
// Encode a payload from front to back. First call the function for its head,
// which says how many items follow. Then call the item's function for each
// item.

#ifndef PAGETIDE_TRACE_ENCODING_H
#define PAGETIDE_TRACE_ENCODING_H

#include "pagetide/trace_format.h"

namespace pagetide::trace {

/// A string that need not end with a zero.
struct Text {
  const char *data;
  std::size_t bytes;
};

/// Appends numbers and strings to `Bytes`.
template <typename Bytes> class PayloadEncoder {
public:
  explicit PayloadEncoder(Bytes &out) : out_(out) {}

  void byte(std::uint8_t value) { out_.push_back(value); }
  void varint(std::uint64_t value) {
    std::uint8_t buffer[kMaxVarintBytes];
    append(buffer, put_varint(buffer, value));
  }
  void u64(std::uint64_t value) {
    std::uint8_t buffer[8];
    append(buffer, put_u64(buffer, value));
  }
  void string(Text text) {
    varint(text.bytes);
    for (std::size_t i = 0; i < text.bytes; ++i)
      out_.push_back(static_cast<std::uint8_t>(text.data[i]));
  }

  //===- Process ----------------------------------------------------------===//

  void run_id(const std::uint8_t (&id)[kRunIdBytes]) {
    append(id, id + kRunIdBytes);
  }

  /// Then one string for each argument, then process_end().
  void process(Text executable, std::uint64_t arguments) {
    string(executable);
    varint(arguments);
  }
  void process_end(Text options, Text engine, Text runtime_version) {
    string(options);
    string(engine);
    string(runtime_version);
  }

  //===- Mappings, Threads, Regions ---------------------------------------===//

  void mappings(std::uint64_t time, std::uint64_t count) {
    varint(time);
    varint(count);
  }
  /// `protection`: PROT_* bits, kMappingShared and kMappingBss.
  void mapping(std::uint64_t start, std::uint64_t bytes,
               std::uint64_t protection, std::uint64_t offset, Text name) {
    varint(start);
    varint(bytes);
    varint(protection);
    varint(offset);
    string(name);
  }
  /// After all mappings, for each one with kMappingShared.
  void shared_object(std::uint64_t device, std::uint64_t inode) {
    varint(device);
    varint(inode);
  }

  void threads(std::uint64_t count) { varint(count); }
  void thread(ThreadEvent event, std::uint32_t tid, std::uint64_t time,
              Text name) {
    byte(static_cast<std::uint8_t>(event));
    varint(tid);
    varint(time);
    string(name);
  }

  void regions(std::uint64_t time, std::uint64_t count) {
    varint(time);
    varint(count);
  }
  void region(RegionKind kind, std::uint64_t start, std::uint64_t bytes,
              std::uint32_t tid, Text text) {
    byte(static_cast<std::uint8_t>(kind));
    varint(start);
    varint(bytes);
    varint(tid);
    string(text);
  }

  //===- Note and End -----------------------------------------------------===//

  void note(std::uint64_t time, std::uint64_t period, NoteCode code,
            Text text) {
    varint(time);
    varint(period);
    byte(static_cast<std::uint8_t>(code));
    string(text);
  }
  /// `periods`: one above the last period's index.
  void end(std::uint64_t time, EndReason reason, std::uint64_t detail,
           std::uint64_t periods) {
    varint(time);
    byte(static_cast<std::uint8_t>(reason));
    varint(detail);
    varint(periods);
  }

  /// How a period ended. `time`: 0 if there was no cut, and then `reason` says
  /// why.
  void cut(std::uint64_t index, std::uint64_t time, std::uint64_t pause,
           std::uint64_t marked, std::uint64_t unsettled, std::uint64_t rounds,
           Text reason) {
    varint(index);
    varint(time);
    varint(pause);
    varint(marked);
    varint(unsettled);
    varint(rounds);
    string(reason);
  }

  //===- Period and KernelWrites ------------------------------------------===//

  /// One part of a period. The sections, the checksums, in the last part
  /// period_sums(), and part_end() follow. `part_flags`: kPartFirst, kPartLast.
  void period(std::uint64_t index, std::uint8_t part_flags, std::uint8_t flags,
              std::uint64_t start, std::uint64_t end, std::uint64_t overruns) {
    varint(index);
    byte(part_flags);
    byte(flags);
    varint(start);
    varint(end - start);
    varint(overruns);
  }
  void sections(std::uint64_t count) { varint(count); }
  /// Its runs follow.
  void section(std::uint32_t tid, std::uint64_t runs) {
    varint(tid);
    begin_runs(runs);
  }
  /// The runs follow (their byte is a ChecksumState), then the hashes (u64).
  void checksums(std::uint64_t runs) { begin_runs(runs); }
  void period_sums(std::uint64_t combined, std::uint64_t stable,
                   std::uint64_t left_out) {
    u64(combined);
    varint(stable);
    varint(left_out);
  }
  /// `context`: the is_context() frames that precede. With
  /// kHeaderRelativeHashes, the second hashes (u64) follow.
  void part_end(std::uint64_t context) { varint(context); }

  /// One part. Its runs follow.
  void kernel_writes(std::uint64_t index, std::uint8_t part_flags,
                     std::uint64_t time, std::uint64_t runs) {
    varint(index);
    byte(part_flags);
    varint(time);
    begin_runs(runs);
  }

  //===- Sites ------------------------------------------------------------===//

  /// The strings follow, then site_count(), then the sites.
  void site_table(std::uint64_t strings) { varint(strings); }
  void site_count(std::uint64_t sites) { varint(sites); }
  /// Its place and those of its callers follow. `kind`: SiteKind.
  void site(std::uint32_t id, std::uint8_t kind) {
    varint(id);
    byte(kind);
  }
  void site_callers(std::uint64_t callers) { varint(callers); }
  /// `function` and `file` are indices into the strings.
  void site_place(std::uint64_t function, std::uint64_t file,
                  std::uint64_t line, std::uint64_t column) {
    varint(function);
    varint(file);
    varint(line);
    varint(column);
  }

  /// One part. Its sections follow, and their site_run()s.
  void period_sites(std::uint64_t index, std::uint8_t part_flags,
                    std::uint64_t start, std::uint64_t end,
                    std::uint64_t sections) {
    varint(index);
    byte(part_flags);
    varint(start);
    varint(end - start);
    varint(sections);
  }
  void site_run(std::uint64_t first, std::uint64_t count, std::uint32_t read,
                std::uint32_t write) {
    varint(first - position_);
    varint(count - 1);
    varint(read);
    varint(write);
    position_ = first + count;
  }

  /// A run of a section, of checksums or of kernel writes. It is encoded by its
  /// distance from the run before.
  void run(std::uint64_t first, std::uint64_t count, std::uint8_t what) {
    varint(first - position_);
    varint(count - 1);
    byte(what);
    position_ = first + count;
  }

private:
  void begin_runs(std::uint64_t runs) {
    varint(runs);
    position_ = 0;
  }
  void append(const std::uint8_t *begin, const std::uint8_t *end) {
    for (; begin != end; ++begin)
      out_.push_back(*begin);
  }

  Bytes &out_;
  std::uint64_t position_ = 0; ///< where the run before ended
};

} // namespace pagetide::trace

#endif // PAGETIDE_TRACE_ENCODING_H

//===- fuzz_reader.cpp - Feeds bytes to the reader and all behind it ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses how the rest is taken:
//
//   even  as a trace file, byte for byte
//   odd   as the payloads of frames in a file whose hashes are right, since no
//         fuzzer guesses a hash: { u8 type, u8 flags, u16 bytes, payload }*,
//         after a byte each for layout, cell and granule and for header flags
//
// Whatever the reader hands out must keep the promises of the format, and
// report, export and audit must manage with it.
//
//===----------------------------------------------------------------------===//

#include "audit_report.h"
#include "failure.h"
#include "fuzz_input.h"
#include "info_text.h"
#include "report_json.h"
#include "report_text.h"
#include "row_export.h"
#include "runs.h"
#include "summary.h"
#include "trace_reader.h"
#include "trace_writer.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace pagetide::tools;
namespace trace = pagetide::trace;

namespace {

/// A run of 2^40 granules is lawful; its rows are not worth waiting for.
constexpr std::size_t kMaxExportBytes = 1 << 16;

void check_part(const PeriodPart &part, const Geometry &geometry) {
  require(part.start_ns <= part.end_ns, "periods end after they begin");
  std::int64_t tid = -1;
  for (const PeriodPart::Section &section : part.sections) {
    require(section.tid > tid, "sections rise by thread");
    tid = section.tid;
    require(section.run_count != 0, "sections are not empty");
    std::uint64_t position = 0;
    for (const GranuleRun &run : part.runs_of(section)) {
      require(run.first >= position && run.count != 0, "runs rise");
      require(run.flags != 0, "runs say something");
      position = run.end();
    }
    require(position <= geometry.granule_limit(), "runs end in the space");
  }
  std::uint64_t position = 0;
  std::uint64_t stable = 0;
  for (const ChecksumRun &run : part.checksum_runs) {
    require(run.first >= position && run.count != 0, "checksum runs rise");
    position = run.end();
    stable += run.stable() ? run.count : 0;
  }
  require(position <= geometry.granule_limit(), "checksums end in the space");
  require(stable == part.hashes.size(), "a hash for each stable granule");
  std::vector<GranuleRun> scratch;
  position = 0;
  for (const GranuleRun &run : union_of_sections(part, scratch)) {
    require(run.first >= position, "unions rise");
    position = run.end();
  }
}

struct Enough {};

class BoundedSink : public TextSink {
public:
  void write(std::string_view text) override {
    bytes_ += text.size();
    if (bytes_ > kMaxExportBytes)
      throw Enough();
  }

private:
  std::size_t bytes_ = 0;
};

/// False if the sink had enough, as a pipe's reader that goes away.
bool export_some(TraceReader reader, RowFormat format) {
  BoundedSink sink;
  try {
    export_rows(reader, format, RowFilter(), sink);
    return true;
  } catch (const Enough &) {
    return false;
  }
}

TraceReader reader_of(const Bytes &bytes) {
  return TraceReader(std::make_unique<MemorySource>(bytes), "input");
}

/// Files of names that the samples have, laid out by their length.
ModuleFile look_up(const std::string &path) {
  ModuleFile file;
  file.is_elf = path.size() % 3 != 0;
  file.instrumented = path.size() % 2 == 0;
  file.first_address = path.size() << 12;
  file.end_address = file.first_address + 0x20000;
  file.relro_begin = file.first_address + 0x10000;
  file.relro_end = file.first_address + 0x11000;
  file.variables = [](std::uint64_t, std::uint64_t) {
    return std::vector<std::string>(6, "variable");
  };
  return file;
}

void read_in_all_ways(const Bytes &bytes) {
  TraceReader reader = reader_of(bytes);
  Frame frame;
  while (reader.next(frame))
    if (frame.type == trace::FrameType::kPeriod)
      check_part(frame.period, reader.geometry());
  require(reader.stop_message().empty() ==
              (reader.integrity() == Integrity::kComplete),
          "whatever is not complete is explained");
  require(reader.stop_offset() <= bytes.size(), "stops inside the file");

  const Summary summary = summarize(reader_of(bytes));
  report_json(summary);
  report_text(summary, ReportStyle());
  TraceReader again = reader_of(bytes);
  bool is_whole = false;
  const std::string info = info_text(again, is_whole);
  require(is_whole == summary.is_whole(), "info and report agree");
  require(info.find('\x1b') == std::string::npos, "no terminal controls");
  export_some(reader_of(bytes), RowFormat::kCsv);
  export_some(reader_of(bytes), RowFormat::kJson);

  const Audit audit = audit_trace(reader_of(bytes), look_up);
  require(audit.covered <= audit.written, "no more is covered than written");
  audit_json(audit);
  audit_text(audit, "input", AuditStyle());
}

Bytes with_right_hashes(Input input) {
  trace::FileHeader header = {};
  header.layout = input.byte();
  const std::uint8_t shifts = input.byte();
  header.cell_shift = 6 + shifts % 16;
  header.granule_shift =
      static_cast<std::uint8_t>(header.cell_shift + shifts / 64);
  const std::uint8_t flags = input.byte();
  header.flags = flags & 3;
  header.page_bytes = 4096;
  header.checksum_mode = static_cast<trace::ChecksumMode>(flags >> 2 & 3);
  MemorySink sink;
  TraceWriter writer(sink,
                     flags & 16 ? Compression::kZstd : Compression::kNone);
  writer.header(header);
  while (!input.empty()) {
    const auto type = static_cast<trace::FrameType>(input.byte());
    const std::size_t low = input.byte();
    writer.frame(type, input.bytes(low | std::size_t{input.byte()} << 8));
  }
  return sink.bytes();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  if (size == 0)
    return 0;
  const Bytes bytes = data[0] % 2 == 0
                          ? Bytes(data + 1, data + size)
                          : with_right_hashes(Input(data + 1, size - 1));
  try {
    read_in_all_ways(bytes);
  } catch (const Failure &failure) {
    // No trace, or a header that is not possible.
    require(failure.what()[0] != '\0', "refusals are explained");
  }
  return 0;
}

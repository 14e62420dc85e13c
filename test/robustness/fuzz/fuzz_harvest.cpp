//===- fuzz_harvest.cpp - Harvests from torn traces and mad shadows -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input cuts a sound trace short, damages it, and overwrites a sound shadow
// file:
//
//   u16 size of the trace, u8 options, u16 offset and u8 change of a byte,
//   { u8 region, u24 offset, u8 bytes, content }*
//
// Whatever comes of it, the harvester either refuses and leaves the trace as it
// was, or leaves an ended trace in which all that was whole is unchanged.
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"
#include "record/harvest.h"
#include "sample_traces.h"
#include "shadow_file_maker.h"
#include "support/failure.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace pagetide::tools;
namespace shadow_file = pagetide::shadow_file;

namespace {

/// What a sound process leaves, all of it still staged.
void fill(ShadowFileMaker &shadow) {
  using shadow_file::ChunkKind;
  shadow.header.open_period = 3;
  for (const std::uint64_t number : {0, 1, 2, 3})
    shadow.set_period(number);
  constexpr std::uint64_t kHeap = 0x555555600000;
  shadow.stage(0, 11, {shadow.word({kHeap}, {kHeap})});
  shadow.stage(1, 11, {shadow.word({kHeap}, {}), shadow.word({}, {0})});
  shadow.stage(2, 12, {shadow.word({}, {kHeap})});
  shadow.stage(2, 12, {shadow.word({}, {kHeap})}, ChunkKind::kCarried);
  shadow.stage(3, 11, {shadow.word({}, {kHeap}, 2)});
  shadow.set_slot(1, shadow_file::SlotState::kLive, 11);
  shadow.set_slot(2, shadow_file::SlotState::kRetired, 12);
  shadow.set_inflight(1, kHeap, 10000);
  shadow.mark_read(1, kHeap);
  shadow.mark_written(2, 0x7ffffffff000);
}

void overwrite(ShadowFileMaker &shadow, Input &input) {
  const shadow_file::ShadowHeader header = shadow.header;
  while (!input.empty()) {
    const std::uint64_t region = input.number(1);
    const std::uint64_t offset = input.number(3);
    const Bytes content = input.bytes(input.number(1));
    const std::uint64_t begins[] = {0, header.slot_table_offset,
                                    header.chunks_offset, header.slots_offset,
                                    header.slots_offset + header.slot_bytes};
    shadow.write(content.data(), content.size(),
                 begins[region % std::size(begins)] + offset);
  }
}

Bytes content_of(int fd) {
  struct stat status;
  ::fstat(fd, &status);
  Bytes bytes(static_cast<std::size_t>(status.st_size));
  require(::pread(fd, bytes.data(), bytes.size(), 0) == status.st_size,
          "the trace can be read");
  return bytes;
}

struct Kept {
  std::size_t bytes; ///< up to the last point at which no period is open
  bool is_damaged;
};

Kept kept_part(const Bytes &bytes) {
  TraceReader reader(std::make_unique<MemorySource>(bytes), "before");
  Kept kept = {reader.header().header_bytes, false};
  Frame frame;
  while (reader.next(frame))
    if (!reader.open_period())
      kept = {frame.offset + frame.bytes, reader.has_damage()};
  return kept;
}

} // namespace

PAGETIDE_FUZZER(fuzz_harvest) {
  const std::uint64_t trace_bytes = input.number(2);
  const std::uint64_t options = input.number(1);
  Bytes before = sample_trace(options & 1 ? "parts" : "basic");
  before.resize(std::min<std::size_t>(before.size(), trace_bytes));
  const std::uint64_t damaged = input.number(2);
  const std::uint8_t change = input.byte();
  if (damaged < before.size())
    before[damaged] ^= change;

  ShadowFileMaker shadow({}, options & 1, 8);
  fill(shadow);
  overwrite(shadow, input);
  const UniqueFd file(::memfd_create("trace", MFD_CLOEXEC));
  FdSink(file.get(), "trace").write(before);

  HarvestRequest request;
  request.memfd = shadow.fd();
  request.trace_fd = file.get();
  request.trace_name = "trace";
  request.now_ns = UINT64_MAX / 2;
  HarvestResult result;
  try {
    result = harvest(request);
  } catch (const Failure &) {
    require(content_of(file.get()) == before, "a refusal changes nothing");
    return;
  }
  const Bytes after = content_of(file.get());
  if (result.was_complete) {
    require(after == before, "a complete trace is left alone");
    return;
  }
  const Kept kept = kept_part(before);
  require(
      after.size() > kept.bytes &&
          std::equal(before.begin(),
                     before.begin() + static_cast<std::ptrdiff_t>(kept.bytes),
                     after.begin()),
      "what was whole is unchanged");
  TraceReader reader(std::make_unique<MemorySource>(after), "after");
  Frame frame;
  while (reader.next(frame)) {
  }
  require(reader.completeness().integrity() ==
              (kept.is_damaged ? Integrity::kDamaged : Integrity::kComplete),
          "a harvested trace has its end, and no further damage");
  // A process that recorded no longer had failed to write the end.
  require(frame.end.reason == (result.ends_early
                                   ? pagetide::trace::EndReason::kFailed
                                   : pagetide::trace::EndReason::kKilled),
          "and says why");
}

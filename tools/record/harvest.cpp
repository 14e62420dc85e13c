//===- harvest.cpp - Completes the trace of a process that died -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/harvest.h"

#include "record/period_builder.h"
#include "record/shadow_image.h"
#include "support/failure.h"
#include "trace/hash.h"
#include "trace/runs.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace pagetide::tools {

namespace {

UniqueFd reopen(int fd, int mode, const std::string &name) {
  UniqueFd own(
      ::open(fmt::format("/proc/self/fd/{}", fd).c_str(), mode | O_CLOEXEC));
  if (!own)
    throw Failure("{}: cannot be opened again to complete it: {}", name,
                  std::strerror(errno));
  return own;
}

/// Why the trace ended, if the file's last bytes are an End frame. Most traces
/// are complete, and this is faster than reading all of the file.
std::optional<trace::EndReason> reason_of_end(int trace_fd,
                                              const std::string &name) {
  constexpr std::size_t kMaxEndBytes = 256;
  const UniqueFd own = reopen(trace_fd, O_RDONLY, name);
  struct stat status;
  if (::fstat(own.get(), &status) != 0)
    return std::nullopt;
  std::uint8_t tail[kMaxEndBytes];
  const auto size =
      static_cast<std::size_t>(std::min<off_t>(status.st_size, kMaxEndBytes));
  if (::pread(own.get(), tail, size,
              status.st_size - static_cast<off_t>(size)) !=
      static_cast<ssize_t>(size))
    return std::nullopt;
  trace::FrameHeader header;
  for (std::size_t at = 0; at + sizeof(header) <= size; ++at) {
    std::memcpy(&header, tail + at, sizeof(header));
    if (header.magic == trace::kFrameMagic &&
        header.type == trace::FrameType::kEnd &&
        header.stored_bytes == size - at - sizeof(header) &&
        header.hash == frame_hash(header, tail + at + sizeof(header))) {
      std::uint64_t time;
      const std::uint8_t *reason =
          trace::get_varint(tail + at + sizeof(header), tail + size, time);
      // No writer compresses so few bytes. If the reason is compressed all the
      // same, it counts as no failure.
      return header.flags & trace::kFrameRaw && reason && reason != tail + size
                 ? static_cast<trace::EndReason>(*reason)
                 : trace::EndReason::kExit;
    }
  }
  return std::nullopt;
}

/// The part of a trace that stays.
struct TraceState {
  trace::FileHeader header = {};
  std::uint64_t keep_bytes = 0;
  /// Frames after keep_bytes that stay too. They are whole, of other kinds, and
  /// between the parts of the unfinished period.
  Bytes saved_frames;
  std::optional<std::uint64_t> last_period;
  std::uint64_t last_end_ns = 0;
  std::uint64_t context = 0; ///< of Period frames that follow
};

TraceState examine(int trace_fd, const std::string &name) {
  const UniqueFd again = reopen(trace_fd, O_RDONLY, name);
  TraceReader reader(
      std::make_unique<FileSource>(reopen(trace_fd, O_RDONLY, name), name),
      name);
  TraceState state;
  state.header = reader.header();
  state.keep_bytes = reader.header().header_bytes;
  Frame frame;
  while (reader.next(frame)) {
    state.context = reader.context_of_next();
    if (frame.type == trace::FrameType::kPeriodSites)
      continue; // kept with the period that follows, or harvested again
    if (!reader.open_period()) {
      state.keep_bytes = frame.offset + frame.bytes;
      state.saved_frames.clear();
      if (frame.type == trace::FrameType::kPeriod)
        state.last_end_ns = frame.period.end_ns;
    } else if (frame.type != trace::FrameType::kPeriod) {
      const std::size_t before = state.saved_frames.size();
      state.saved_frames.resize(before + frame.bytes);
      if (::pread(again.get(), state.saved_frames.data() + before, frame.bytes,
                  static_cast<off_t>(frame.offset)) !=
          static_cast<ssize_t>(frame.bytes))
        throw Failure("{}: byte {}: cannot be read again", name, frame.offset);
    }
  }
  state.last_period = reader.last_whole_period();
  return state;
}

/// The number of the period's granules that should have had a checksum.
std::uint64_t granules_without_checksum(const trace::FileHeader &header,
                                        const PeriodPart &period) {
  unsigned hashed = 0;
  if (header.checksum_mode == trace::ChecksumMode::kWritten)
    hashed = trace::kRunWritten | trace::kRunCarried;
  else if (header.checksum_mode == trace::ChecksumMode::kAccessed)
    hashed = kCertainFlags | trace::kRunCarried;
  std::vector<GranuleRun> scratch;
  std::uint64_t granules = 0;
  for (const GranuleRun &run : union_of_sections(period, scratch))
    if (run.flags & hashed)
      granules += run.count;
  return granules;
}

class Harvester {
public:
  Harvester(const HarvestRequest &request, const TraceState &state,
            const ShadowImage &image)
      : request_(request), state_(state), image_(image) {}

  HarvestResult run();

private:
  void add_frame(trace::FrameType type, const Bytes &payload) {
    frames_.push_back(make_frame(type, payload));
  }
  void add_period(const shadow_file::PeriodEntry &entry, bool is_open);
  void rewrite_end();
  std::uint32_t section_tid(std::uint32_t tid) const {
    return state_.header.flags & trace::kHeaderPerThread ? tid : 0;
  }
  void add_word(PeriodBuilder &builder, std::uint32_t tid,
                shadow_file::ChunkKind kind,
                shadow_file::StagedWord word) const;
  void add_what_is_not_staged(PeriodBuilder &builder) const;

  const HarvestRequest &request_;
  const TraceState &state_;
  const ShadowImage &image_;
  std::vector<Bytes> frames_;
  std::uint64_t last_end_ns_ = 0;
  HarvestResult result_;
};

/// A free slot may hold marks of unregistered threads. Their tid is 0.
static std::uint32_t tid_of(const shadow_file::SlotEntry &slot) {
  return slot.state == static_cast<std::uint32_t>(shadow_file::SlotState::kFree)
             ? 0
             : slot.tid;
}

void Harvester::add_word(PeriodBuilder &builder, std::uint32_t tid,
                         shadow_file::ChunkKind kind,
                         shadow_file::StagedWord word) const {
  if (kind == shadow_file::ChunkKind::kSites)
    builder.add_sites(tid, word); // by thread in every recording
  else
    builder.add_word(section_tid(tid), kind, word);
}

/// Adds the marks that are still in the shadows, and memory that the kernel may
/// have been writing when the process died. Both belong to the open period.
void Harvester::add_what_is_not_staged(PeriodBuilder &builder) const {
  const auto &slots = image_.slots();
  image_.for_each_marked_word([&](std::uint32_t slot,
                                  shadow_file::ChunkKind kind,
                                  shadow_file::StagedWord word) {
    if (slot < slots.size())
      add_word(builder, tid_of(slots[slot]), kind, word);
  });
  // A call such as realloc writes memory whose place is not known before. It
  // notes the whole address space, which says nothing.
  constexpr std::uint64_t kAnywhere = std::uint64_t{1} << abi::kAddressBits;
  for (const shadow_file::SlotEntry &slot : slots)
    for (const shadow_file::InFlightRange &range : slot.inflight)
      if (slot.state ==
              static_cast<std::uint32_t>(shadow_file::SlotState::kLive) &&
          range.bytes < kAnywhere)
        builder.add_maybe_written(section_tid(slot.tid), range.address,
                                  range.bytes);
}

/// Removes granules that are not in the watched ranges from each section.
template <typename Period>
static void clip_to(const std::vector<shadow_file::WatchedRange> &ranges,
                    Period &period) {
  decltype(period.runs) runs;
  decltype(period.sections) sections;
  for (const auto &section : period.sections) {
    const std::size_t first = runs.size();
    auto range = ranges.begin();
    for (const auto &run : period.runs_of(section)) {
      while (range != ranges.end() && range->end <= run.first)
        ++range;
      for (auto r = range; r != ranges.end() && r->begin < run.end(); ++r) {
        auto clipped = run;
        clipped.first = std::max<std::uint64_t>(run.first, r->begin);
        clipped.count = std::min(run.end(), r->end) - clipped.first;
        runs.push_back(clipped);
      }
    }
    if (runs.size() != first)
      sections.push_back({section.tid, first, runs.size() - first});
  }
  period.runs = std::move(runs);
  period.sections = std::move(sections);
}

void Harvester::add_period(const shadow_file::PeriodEntry &entry,
                           bool is_open) {
  PeriodPart period;
  period.index = entry.index;
  period.context = state_.context;
  period.start_ns = entry.start_ns;
  period.end_ns =
      std::max(is_open ? request_.now_ns : entry.end_ns, entry.start_ns);
  period.overruns = entry.overruns;
  period.flags = static_cast<std::uint8_t>(
      entry.flags & (trace::kPeriodDriven | trace::kPeriodFinal));
  period.flags |= is_open ? trace::kPeriodPartial : trace::kPeriodHarvested;

  PeriodBuilder builder(image_.geometry());
  image_.for_each_chunk(entry.index,
                        [&](std::uint32_t tid, shadow_file::ChunkKind kind,
                            std::span<const shadow_file::StagedWord> words) {
                          for (const shadow_file::StagedWord &word : words)
                            add_word(builder, tid, kind, word);
                        });
  if (is_open)
    add_what_is_not_staged(builder);
  builder.build(period);
  PeriodSites sites;
  sites.index = period.index;
  sites.start_ns = period.start_ns;
  sites.end_ns = period.end_ns;
  builder.build(sites);
  if (image_.is_watching()) {
    clip_to(image_.watched(), period);
    clip_to(image_.watched(), sites);
  }
  if (!sites.runs.empty())
    for (const Bytes &payload : encode_sites(sites))
      add_frame(trace::FrameType::kPeriodSites, payload);

  period.left_out = granules_without_checksum(state_.header, period);
  for (const Bytes &payload : encode_period(period))
    add_frame(trace::FrameType::kPeriod, payload);
  last_end_ns_ = period.end_ns;
  if (is_open) {
    result_.partial_period = true;
    std::vector<GranuleRun> scratch;
    for (const GranuleRun &run : union_of_sections(period, scratch))
      result_.partial_granules += run.count;
  } else {
    ++result_.whole_periods;
  }
}

HarvestResult Harvester::run() {
  const shadow_file::ShadowHeader &shadow = image_.header();
  std::optional<std::uint64_t> last = state_.last_period;
  const std::uint64_t next = last ? *last + 1 : 0;
  const std::uint64_t first_kept = image_.period(shadow.periods_written).index;
  if (first_kept > next)
    add_frame(trace::FrameType::kNote,
              encode(Note{request_.now_ns, next, trace::NoteCode::kLost,
                          fmt::format("periods {} to {} are not in this trace: "
                                      "the process had released them as "
                                      "written, but the file lacks them",
                                      next, first_kept - 1)}));
  last_end_ns_ = state_.last_end_ns;
  const auto recording =
      static_cast<shadow_file::RecordingState>(shadow.recording);
  const bool runs = recording == shadow_file::RecordingState::kRuns;
  for (std::uint64_t number = shadow.periods_written;
       number <= shadow.open_period; ++number) {
    const bool is_open = number == shadow.open_period;
    const shadow_file::PeriodEntry &entry = image_.period(number);
    // The process may have written a period without having released it. Such a
    // period is in the trace. Between stop and start no period is open.
    if ((last && entry.index <= *last) || (is_open && !runs))
      continue;
    if (entry.index == UINT64_MAX) // the process made it up
      continue;
    // If no thread has a slot, the engine uses no marks. Only marks outlive
    // the process.
    constexpr std::uint32_t kNoThreads = shadow_file::kFallbackSlot + 1;
    if (is_open && shadow.slot_high <= kNoThreads)
      add_frame(
          trace::FrameType::kNote,
          encode(Note{request_.now_ns, entry.index, trace::NoteCode::kLost,
                      "the writes of the period that was open when the "
                      "process died are not known: the runtime asks the "
                      "kernel only at a period's end"}));
    add_period(entry, is_open);
    last = entry.index;
  }
  // A recording that has ended has written the trace's end, if it could write.
  const std::uint64_t missing = last ? *last + 1 : 0;
  const bool has_exited = recording == shadow_file::RecordingState::kExited;
  if ((has_exited || recording == shadow_file::RecordingState::kStopped) &&
      shadow.open_period > 0 &&
      last == image_.period(shadow.open_period - 1).index) {
    result_.had_all_periods = result_.whole_periods == 0;
    add_frame(trace::FrameType::kEnd,
              encode(End{last_end_ns_,
                         has_exited ? trace::EndReason::kExit
                                    : trace::EndReason::kStop,
                         /*detail=*/0, missing}));
    rewrite_end();
    return result_;
  }
  const bool gave_up = !runs;
  result_.ends_early = gave_up;
  if (gave_up)
    add_frame(trace::FrameType::kNote,
              encode(Note{request_.now_ns, missing, trace::NoteCode::kLost,
                          fmt::format("the process could not write period {}",
                                      missing)}));
  add_frame(trace::FrameType::kEnd,
            encode(End{std::max(request_.now_ns, last_end_ns_),
                       gave_up ? trace::EndReason::kFailed
                               : trace::EndReason::kKilled,
                       request_.end_detail, missing}));

  // Change the trace only after all frames have been made.
  rewrite_end();
  return result_;
}

/// Replaces everything after the kept part of the trace. If the disk is full,
/// the trace still ends with a whole frame.
void Harvester::rewrite_end() {
  const UniqueFd trace =
      reopen(request_.trace_fd, O_WRONLY, request_.trace_name);
  struct stat status;
  auto end = static_cast<off_t>(state_.keep_bytes);
  if (::fstat(trace.get(), &status) != 0 ||
      ::ftruncate(trace.get(), end) != 0 ||
      ::lseek(trace.get(), end, SEEK_SET) < 0)
    throw Failure("{}: its torn end cannot be cut off: {}", request_.trace_name,
                  std::strerror(errno));
  FdSink sink(trace.get(), request_.trace_name);
  try {
    sink.write(state_.saved_frames);
    end += static_cast<off_t>(state_.saved_frames.size());
    result_.cut_bytes =
        static_cast<std::uint64_t>(std::max<off_t>(status.st_size - end, 0));
    for (const Bytes &frame : frames_) {
      sink.write(frame);
      end += static_cast<off_t>(frame.size());
    }
  } catch (const Failure &failure) {
    const bool cut = ::ftruncate(trace.get(), end) == 0;
    throw Failure(
        "{}; the trace lacks the last periods of the process, and ends {}",
        failure.what(), cut ? "before them" : "in a torn frame");
  }
}

} // namespace

HarvestResult harvest(const HarvestRequest &request) {
  if (const auto reason = reason_of_end(request.trace_fd, request.trace_name)) {
    HarvestResult result;
    result.was_complete = true;
    result.ends_early = *reason == trace::EndReason::kFailed;
    return result;
  }
  const TraceState state = examine(request.trace_fd, request.trace_name);
  if (state.header.version_minor != trace::kVersionMinor)
    throw Failure(
        "{}: has format version {}.{}, and this pagetide adds periods of "
        "version {}.{}; use runtime and pagetide of one build",
        request.trace_name, state.header.version_major,
        state.header.version_minor, trace::kVersionMajor, trace::kVersionMinor);
  const ShadowImage image(request.memfd, request.trace_name);
  const Geometry geometry = image.geometry();
  if (image.header().pid != state.header.pid ||
      image.header().layout != state.header.layout ||
      image.is_near() != is_near(state.header) ||
      geometry.granule_shift != state.header.granule_shift)
    throw Failure("{}: the shadow of process {} does not belong to this trace",
                  request.trace_name, image.header().pid);
  return Harvester(request, state, image).run();
}

std::string missing_from_trace(int trace_fd, const std::string &name) {
  try {
    TraceReader reader(
        std::make_unique<FileSource>(reopen(trace_fd, O_RDONLY, name), name),
        name);
    Frame frame;
    while (reader.next(frame)) {
    }
    return reader.completeness().sentence();
  } catch (const Failure &failure) {
    return failure.what();
  }
}

} // namespace pagetide::tools

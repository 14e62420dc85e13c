//===- damage_test.cpp - What is read around damaged bytes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever happens to the bytes of a trace: a period is read as it was written,
// or it is named as missing.

#include "analysis/summary.h"
#include "sample_traces.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

namespace pagetide::tools {
namespace {

using trace::FrameType;

struct FrameAt {
  std::size_t begin;
  std::size_t end;
  FrameType type;
  /// That a Period frame is of, or between whose parts another frame stands.
  std::optional<std::uint64_t> period;
};

/// The frames of an undamaged trace.
std::vector<FrameAt> frames_of(const WholeTrace &trace) {
  std::vector<FrameAt> frames;
  std::optional<std::uint64_t> open;
  for (const Frame &frame : trace.frames) {
    if (frame.type == FrameType::kPeriod)
      open = frame.period.index;
    frames.push_back(
        {frame.offset, frame.offset + frame.bytes, frame.type, open});
    if (frame.type == FrameType::kPeriod && frame.period.last)
      open.reset();
  }
  return frames;
}

/// All that a period's frames say. Their count of frames before them is of no
/// matter.
std::map<std::uint64_t, std::vector<Bytes>> contents_of(const WholeTrace &t) {
  std::map<std::uint64_t, std::vector<Bytes>> contents;
  std::vector<Bytes> parts;
  for (const Frame &frame : t.frames) {
    if (frame.type != FrameType::kPeriod)
      continue;
    if (frame.period.first)
      parts.clear();
    parts.push_back(encoded_again(frame));
    if (frame.period.last)
      contents[frame.period.index] = parts;
  }
  return contents;
}

std::set<std::uint64_t> numbers_of(const WholeTrace &trace) {
  std::set<std::uint64_t> numbers;
  for (const auto &[index, content] : contents_of(trace))
    numbers.insert(index);
  return numbers;
}

/// Holds a damaged trace against the sound one it was.
void expect_right_or_missing(const WholeTrace &damaged,
                             const WholeTrace &sound) {
  EXPECT_FALSE(damaged.completeness.is_complete());
  const auto right = contents_of(sound);
  const auto read = contents_of(damaged);
  for (const auto &[index, content] : read) {
    ASSERT_TRUE(right.count(index)) << "period " << index << " is made up";
    EXPECT_EQ(content, right.at(index)) << "period " << index << " is wrong";
    EXPECT_FALSE(damaged.completeness.lacks(index)) << "period " << index;
  }
  for (const auto &[index, content] : right)
    EXPECT_NE(read.count(index) != 0, damaged.completeness.lacks(index))
        << "period " << index << " is neither read nor named as missing: "
        << damaged.completeness.sentence();
  // Of the other frames some are missing, and none is wrong.
  auto next = sound.frames.begin();
  for (const Frame &frame : damaged.frames) {
    while (next != sound.frames.end() &&
           (next->type != frame.type ||
            encoded_again(*next) != encoded_again(frame)))
      ++next;
    ASSERT_NE(next, sound.frames.end())
        << "a frame that was never written, or out of order";
    ++next;
  }
}

/// Holds what a report says of each mapping and thread against the sound
/// trace's: it may say less.
void expect_nothing_misattributed(const Bytes &damaged, const Bytes &sound) {
  const Summary right = summarize(reader_of(sound));
  const Summary summary = summarize(reader_of(damaged));
  EXPECT_LE(summary.accessed.sum, right.accessed.sum);
  for (const MappingSummary &mapping : summary.mappings) {
    if (mapping.name == "[mappings lost]" || mapping.name == "[unknown]")
      continue;
    const auto same = std::find_if(
        right.mappings.begin(), right.mappings.end(),
        [&](const MappingSummary &m) { return m.name == mapping.name; });
    ASSERT_NE(same, right.mappings.end()) << mapping.name;
    EXPECT_LE(mapping.counts.accessed, same->counts.accessed) << mapping.name;
    EXPECT_LE(mapping.distinct, same->distinct) << mapping.name;
  }
  for (const auto &[tid, thread] : summary.threads.all()) {
    ASSERT_TRUE(right.threads.all().count(tid)) << tid;
    EXPECT_LE(thread.counts.accessed,
              right.threads.all().at(tid).counts.accessed);
    EXPECT_LE(thread.periods, right.threads.all().at(tid).periods);
  }
}

class Damage : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    bytes_ = sample_trace(GetParam());
    sound_ = read_all(bytes_);
    frames_ = frames_of(sound_);
    ASSERT_TRUE(sound_.completeness.is_complete());
  }
  /// The frame that the byte belongs to.
  const FrameAt &frame_at(std::size_t byte) const {
    return *std::find_if(frames_.begin(), frames_.end(),
                         [&](const FrameAt &f) { return byte < f.end; });
  }
  bool has_counts() const {
    return reader_of(bytes_).header().version_minor >= trace::kMinorWithCounts;
  }

  Bytes bytes_;
  WholeTrace sound_;
  std::vector<FrameAt> frames_;
};

TEST_P(Damage, OfOneByteCostsOneFrame) {
  const std::set<std::uint64_t> all = numbers_of(sound_);
  for (std::size_t at = sizeof(trace::FileHeader); at < bytes_.size(); ++at)
    for (const std::uint8_t flip : {0x01, 0xff}) {
      SCOPED_TRACE(testing::Message() << "byte " << at << " ^ " << +flip);
      Bytes damaged = bytes_;
      damaged[at] ^= flip;
      const WholeTrace trace = read_all(damaged);
      expect_right_or_missing(trace, sound_);
      const FrameAt &hit = frame_at(at);
      EXPECT_EQ(trace.stop_offset, hit.begin);
      EXPECT_FALSE(trace.stop_reason.empty());
      if (trace.integrity == Integrity::kCut) {
        EXPECT_EQ(hit.end, bytes_.size()); // as a file that is too short
        continue;
      }
      EXPECT_EQ(trace.integrity, Integrity::kDamaged);
      ASSERT_EQ(trace.completeness.damage_count(), 1u);
      EXPECT_EQ(trace.completeness.damage()[0].offset, hit.begin);
      EXPECT_EQ(trace.completeness.damaged_bytes(), hit.end - hit.begin);
      // Only the period of that frame is missing. Earlier versions do not say
      // enough to be sure of the next one.
      std::set<std::uint64_t> expected = all;
      if (hit.period)
        expected.erase(*hit.period);
      if (has_counts()) {
        EXPECT_EQ(numbers_of(trace), expected);
      } else {
        EXPECT_GE(numbers_of(trace).size() + 2, all.size());
      }
    }
}

TEST_P(Damage, MisattributesNothing) {
  for (std::size_t at = sizeof(trace::FileHeader); at < bytes_.size(); ++at) {
    SCOPED_TRACE(testing::Message() << "byte " << at);
    Bytes damaged = bytes_;
    damaged[at] ^= 0x20;
    expect_nothing_misattributed(damaged, bytes_);
  }
}

TEST_P(Damage, OfSeveralFramesCostsThose) {
  for (std::size_t first = 0; first < frames_.size(); ++first)
    for (std::size_t last = first; last < frames_.size(); ++last) {
      SCOPED_TRACE(testing::Message() << "frames " << first << " to " << last);
      // Each of them damaged; all of them overwritten; all of them gone.
      Bytes each = bytes_;
      for (std::size_t i = first; i <= last; ++i)
        each[frames_[i].end - 1] ^= 1;
      Bytes zeros = bytes_;
      std::fill(
          zeros.begin() + static_cast<std::ptrdiff_t>(frames_[first].begin + 2),
          zeros.begin() + static_cast<std::ptrdiff_t>(frames_[last].end), 0);
      Bytes shorter = bytes_;
      shorter.erase(shorter.begin() +
                        static_cast<std::ptrdiff_t>(frames_[first].begin + 5),
                    shorter.begin() +
                        static_cast<std::ptrdiff_t>(frames_[last].end));
      for (const Bytes &damaged : {each, zeros, shorter}) {
        const WholeTrace trace = read_all(damaged);
        expect_right_or_missing(trace, sound_);
        expect_nothing_misattributed(damaged, bytes_);
        if (!has_counts())
          continue;
        std::set<std::uint64_t> expected = numbers_of(sound_);
        for (std::size_t i = first; i <= last; ++i)
          if (frames_[i].period)
            expected.erase(*frames_[i].period);
        EXPECT_EQ(numbers_of(trace), expected);
      }
    }
}

TEST_P(Damage, BetweenFramesCostsNothingElse) {
  for (const FrameAt &frame : frames_)
    for (const std::size_t count : {1, 23, 24, 200}) {
      SCOPED_TRACE(testing::Message()
                   << count << " bytes before byte " << frame.begin);
      Bytes damaged = bytes_;
      damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(frame.begin),
                     count, 'P');
      const WholeTrace trace = read_all(damaged);
      expect_right_or_missing(trace, sound_);
      expect_nothing_misattributed(damaged, bytes_);
      EXPECT_EQ(trace.completeness.damaged_bytes(), count);
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, Damage,
                         testing::Values("changing", "earlier-minor", "basic",
                                         "parts", "threads", "tiny"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

//===----------------------------------------------------------------------===//
// What belongs to frames before
//===----------------------------------------------------------------------===//

/// The sample with one damaged byte in its n-th frame of a type.
Bytes without(const std::string &sample, FrameType type, std::size_t n = 0) {
  Bytes bytes = sample_trace(sample);
  for (const FrameAt &frame : frames_of(read_all(bytes)))
    if (frame.type == type && n-- == 0)
      bytes[frame.end - 1] ^= 1;
  return bytes;
}

std::string mappings_of(const Summary &summary) {
  std::map<std::string, std::uint64_t> accessed;
  for (const MappingSummary &mapping : summary.mappings)
    accessed[mapping.name] = mapping.counts.accessed;
  std::string text;
  for (const auto &[name, count] : accessed)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(count);
  return text;
}

TEST(Damage, OfMappingsLeavesTheRowsUnnamed) {
  EXPECT_EQ(mappings_of(summarize(reader_of(sample_trace("changing")))),
            "/home/user/bin/sorter=12 /home/user/words=72 [heap]=36");
  // Of the second list: periods 2 to 5 lie in other mappings than the first.
  const Bytes damaged = without("changing", FrameType::kMappings, 1);
  const Summary summary = summarize(reader_of(damaged));
  EXPECT_EQ(mappings_of(summary),
            "/home/user/bin/sorter=4 [heap]=36 [mappings lost]=80");
  EXPECT_EQ(summary.periods, 6u);
  EXPECT_EQ(summary.completeness.without_mappings(), 4u);
  // Of the first list: until there is another.
  EXPECT_EQ(mappings_of(summarize(
                reader_of(without("changing", FrameType::kMappings, 0)))),
            "/home/user/bin/sorter=8 /home/user/words=72 [mappings lost]=40");
}

TEST(Damage, OfAnotherFrameLeavesMappingsAlone) {
  const Bytes damaged = without("changing", FrameType::kNote);
  EXPECT_EQ(mappings_of(summarize(reader_of(damaged))),
            "/home/user/bin/sorter=12 /home/user/words=72 [heap]=36");
  // Earlier versions cannot tell: after damage, no list is to be relied on.
  const Bytes earlier = without("earlier-minor", FrameType::kThreads, 1);
  EXPECT_EQ(mappings_of(summarize(reader_of(earlier))),
            "/home/user/bin/sorter=6 /home/user/words=18 [heap]=36 [mappings "
            "lost]=40");
}

TEST(Damage, OfThreadsLeavesThemUnnamed) {
  EXPECT_EQ(summarize(reader_of(sample_trace("changing")))
                .threads.all()
                .at(4243)
                .name,
            "helper");
  const Bytes damaged = without("changing", FrameType::kThreads, 1);
  const Summary summary = summarize(reader_of(damaged));
  EXPECT_EQ(summary.threads.all().at(4243).name, "");
  EXPECT_EQ(summary.threads.all().at(4243).start_ns, std::nullopt);
  EXPECT_EQ(summary.threads.all().at(4243).periods, 6u);
}

TEST(Damage, OfAPartCostsItsPeriod) {
  // Period 1 of this sample has several parts.
  const Bytes bytes = sample_trace("changing");
  const WholeTrace sound = read_all(bytes);
  std::vector<FrameAt> parts;
  for (const FrameAt &frame : frames_of(sound))
    if (frame.type == FrameType::kPeriod && frame.period == 1)
      parts.push_back(frame);
  ASSERT_GE(parts.size(), 3u);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    SCOPED_TRACE(i);
    Bytes damaged = bytes;
    damaged[parts[i].end - 1] ^= 1;
    const WholeTrace trace = read_all(damaged);
    EXPECT_EQ(trace.completeness.missing_count(), 1u);
    EXPECT_TRUE(trace.completeness.lacks(1));
    EXPECT_EQ(trace.completeness.partial(),
              i == 0 ? std::vector<std::uint64_t>()
                     : std::vector<std::uint64_t>{1});
    // The report counts the others as it did.
    const Summary summary = summarize(reader_of(damaged));
    EXPECT_EQ(summary.periods, 5u);
    EXPECT_EQ(summary.accessed.maximum, 20u);
    EXPECT_EQ(summary.accessed.sum, 100u);
  }
}

TEST(Damage, OfAFrameInsideAFrameIsNoFrame) {
  // A note whose text is a frame.
  const Bytes inner = make_frame(FrameType::kPeriod, encode(sample_period(1)),
                                 Compression::kNone);
  MemorySink sink;
  TraceWriter writer(sink, Compression::kNone);
  writer.header(sample_header());
  writer.write(sample_period(0));
  const std::size_t note = sink.bytes().size();
  writer.write(Note{0, 0, trace::NoteCode::kInfo,
                    std::string(inner.begin(), inner.end()) + "!"});
  writer.write(sample_period(2));
  writer.write(End{});
  Bytes damaged = sink.bytes();
  damaged[note + 24] ^= 1;
  const WholeTrace trace = read_all(damaged);
  EXPECT_EQ(numbers_of(trace), (std::set<std::uint64_t>{0, 2}));
}

//===----------------------------------------------------------------------===//
// Files made to keep the reader busy
//===----------------------------------------------------------------------===//

/// Counts the bytes that a reader asks for.
class CountingSource : public MemorySource {
public:
  CountingSource(std::span<const std::uint8_t> bytes, std::uint64_t &count)
      : MemorySource(bytes), count_(count) {}
  std::size_t read_at(std::uint64_t offset, void *buffer,
                      std::size_t bytes) override {
    const std::size_t got = MemorySource::read_at(offset, buffer, bytes);
    count_ += got;
    return got;
  }

private:
  std::uint64_t &count_;
};

Bytes header_of_frame(std::uint32_t payload_bytes) {
  trace::FrameHeader header = {};
  header.magic = trace::kFrameMagic;
  header.type = FrameType::kNote;
  header.flags = trace::kFrameRaw;
  header.stored_bytes = header.raw_bytes = payload_bytes;
  Bytes bytes(sizeof(header));
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

TEST(Damage, ThatLooksLikeFramesIsNotReadForEver) {
  // Each of these headers claims half of the file. To hash all of that would
  // take 40 GB.
  constexpr std::uint32_t kBytes = 2u << 20;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(sample_period(0));
  while (sink.bytes().size() < kBytes)
    sink.write(header_of_frame(kBytes / 2));
  writer.write(sample_period(1));
  writer.write(End{});
  std::uint64_t asked = 0;
  TraceReader reader(std::make_unique<CountingSource>(sink.bytes(), asked),
                     "memory");
  Frame frame;
  while (reader.next(frame)) {
  }
  EXPECT_LT(asked, 400u << 20);
  const Completeness &account = reader.completeness();
  EXPECT_EQ(account.whole_periods(), 1u);
  EXPECT_EQ(account.damaged_bytes() + account.damage()[0].offset,
            sink.bytes().size());
  EXPECT_NE(account.sentence().find("too many places behind it only look like "
                                    "frames"),
            std::string::npos)
      << account.sentence();
}

TEST(Damage, OfManySmallFramesIsAllReadAround) {
  // Every second header has lost its size, and claims what is behind it.
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  constexpr std::uint64_t kPeriods = 2000;
  for (std::uint64_t i = 0; i < kPeriods; ++i) {
    if (i % 2 == 0)
      sink.write(header_of_frame(60000));
    writer.write(sample_period(i));
  }
  writer.write(End{});
  const WholeTrace trace = read_all(sink.bytes());
  EXPECT_EQ(numbers_of(trace).size(), kPeriods);
  EXPECT_EQ(trace.completeness.missing_count(), 0u);
  EXPECT_EQ(trace.completeness.damage_count(), kPeriods / 2);
}

} // namespace
} // namespace pagetide::tools

//===- stream.cpp - A checkpoint in rounds, while threads go on -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/session.h"

#include "api/marks_suspended.h"
#include "api/signal_held.h"
#include "api/updates.h"
#include "format/error.h"
#include "store/stream_writer.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr std::uint64_t kDefaultSmallBytes = 1u << 20;
constexpr std::uint32_t kDefaultMostRounds = 30;
/// How often the last round tries. A busy machine may not let threads stand at
/// once.
constexpr int kTries = 10;
constexpr auto kBetweenTries = std::chrono::milliseconds(5);

pagetide_checkpoint_stream_config
checked(pagetide_checkpoint_stream_config config) {
  const auto refuse = [](const char *what) {
    throw Error(Problem::kInvalid,
                std::string("pagetide_checkpoint_stream_config: ") + what);
  };
  if (config.size != sizeof(config))
    refuse("its field size is not "
           "sizeof(pagetide_checkpoint_stream_config); compile with the header "
           "that belongs to the library");
  if (config.most_rounds == 1 ||
      config.most_rounds > PAGETIDE_CHECKPOINT_MOST_ROUNDS)
    refuse("most_rounds is not 2 to 64");
  if (config.small_bytes == 0)
    config.small_bytes = kDefaultSmallBytes;
  if (config.most_rounds == 0)
    config.most_rounds = kDefaultMostRounds;
  return config;
}

File own_file(int fd) {
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    throw Error(Problem::kInvalid, "pagetide_checkpoint_stream: fd " +
                                       std::to_string(fd) +
                                       ": fcntl failed: " + errno_text(errno));
  return File::of("the stream", own);
}

std::uint64_t sum_of(const std::vector<DirtyRun> &runs) {
  std::uint64_t sum = 0;
  for (const DirtyRun &run : runs)
    sum += run.bytes;
  return sum;
}

} // namespace

/// What changes while it is there is noted for the next round, and for the
/// folder's next checkpoint as always.
class Session::Stream {
public:
  Stream(Session &session, const pagetide_checkpoint_stream_config &config,
         StreamWriter &writer, pagetide_checkpoint_streamed &result)
      : session_(session), config_(config), writer_(writer), result_(result),
        start_(clock_ns(CLOCK_MONOTONIC)) {
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    auto regions = std::make_unique<DirtyRegions>();
    regions->set_granule(session_.regions_.granule());
    for (const ProtectedRegion &region : session_.regions_.regions())
      regions->protect(region.id, region.address, region.bytes);
    if (session_.kernel_)
      regions->expect_no_reports();
    session_.streamed_ = std::move(regions);
    session_.tracker_.note_also(session_.streamed_.get());
  }

  ~Stream() {
    session_.tracker_.note_also(nullptr);
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    session_.streamed_.reset();
  }
  Stream(const Stream &) = delete;

  void run() {
    Taken taken;
    if (begin()) {
      taken = take(true);
      do {
        send(taken);
        taken = take(end_period());
      } while (goes_on(taken.bytes));
    }
    if (config_.without_cut)
      send_last_held();
    else
      send_last_at_cut(std::move(taken));
    writer_.end(result_.pause_ns, static_cast<RoundsEnd>(result_.why));
    result_.stream_bytes = writer_.bytes();
    result_.duration_ns = clock_ns(CLOCK_MONOTONIC) - start_;
  }

private:
  /// What a round sends.
  struct Taken {
    std::vector<ProtectedRegion> regions;
    std::vector<DirtyRun> runs;
    std::uint64_t changes = 0; ///< DirtyRegions::changes()
    std::uint64_t bytes = 0;
  };

  DirtyRegions &dirty() { return *session_.streamed_; }

  /// From here on, all that changes is known. False if that cannot be.
  bool begin() {
    if (!config_.without_cut) {
      end_period();
      return true;
    }
    const UpdatesHeld held(session_.update_wait_ns_);
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    write_unreported(dirty());
    end_period();
    return session_.kernel_ || session_.tracker_.is_complete();
  }

  /// Whether the next round must be whole: nobody knows what was written.
  bool end_period() {
    mark_unreported(dirty());
    return !session_.note_period_end(session_.tracker_.end_period());
  }

  Taken take(bool whole) {
    const std::lock_guard<std::mutex> lock(session_.mutex_);
    return take_locked(whole);
  }

  Taken take_locked(bool whole) {
    Taken taken;
    taken.regions = dirty().regions();
    taken.changes = session_.regions_.changes();
    require_some(taken.regions);
    session_.take_kernel_writes(taken.regions);
    dirty().note_written(RegionMemory(taken.regions).shared());
    taken.runs = dirty().begin_save(whole, session_.granularity_, kMaxRuns);
    taken.bytes = sum_of(taken.runs);
    return taken;
  }

  bool ends(pagetide_checkpoint_stream_end why) {
    result_.why = why;
    return false;
  }

  /// Whether another round with so many bytes makes the last one smaller.
  bool goes_on(std::uint64_t bytes) {
    const std::uint64_t last = result_.round_bytes[result_.rounds - 1];
    if (bytes <= config_.small_bytes)
      return ends(PAGETIDE_STREAM_SMALL);
    if (result_.rounds + 1 >= config_.most_rounds)
      return ends(PAGETIDE_STREAM_MOST_ROUNDS);
    if (config_.most_ns != 0 &&
        clock_ns(CLOCK_MONOTONIC) - start_ >= config_.most_ns)
      return ends(PAGETIDE_STREAM_TIME);
    if (bytes > last - last / 4)
      return ends(PAGETIDE_STREAM_NOT_SHRINKING);
    return true;
  }

  BlockPacker &begin_round(const std::vector<ProtectedRegion> &regions) {
    Manifest head = session_.next_manifest(regions, true);
    if (result_.cut_ns != 0)
      head.time_ns -= clock_ns(CLOCK_MONOTONIC) - result_.cut_ns;
    result_.bytes = head.region_bytes();
    return writer_.begin_round(std::move(head));
  }

  void end_round(std::uint64_t bytes) {
    writer_.end_round();
    dirty().end_save(true);
    result_.round_bytes[result_.rounds++] = bytes;
    result_.stream_bytes = writer_.bytes();
  }

  void tell(std::uint64_t done, std::uint64_t total) const {
    if (session_.progress_)
      session_.progress_(session_.progress_user_, done, total);
  }

  /// Threads write meanwhile. What they write is in the next period's set, and
  /// so in the next round.
  void send(const Taken &taken) {
    const MarksSuspended suspended;
    BlockPacker &out = begin_round(taken.regions);
    std::vector<CopyRange> unreadable;
    Bytes copy(kBlockBytes);
    std::uint64_t done = 0;
    for (const DirtyRun &run : taken.runs)
      for (std::uint64_t at = 0; at < run.bytes; at += copy.size()) {
        const auto now = std::span(copy).first(
            std::min<std::uint64_t>(copy.size(), run.bytes - at));
        const std::uint8_t *from =
            taken.regions[run.region].address + run.offset + at;
        if (!read_memory(from, now)) {
          // Perhaps the program is about to move it.
          std::memset(now.data(), 0, now.size());
          const auto begin = reinterpret_cast<std::uintptr_t>(from);
          unreadable.push_back({begin, begin + now.size()});
        }
        out.add(run.region, run.offset + at, now);
        done += now.size();
        tell(done, taken.bytes);
      }
    dirty().note_written(unreadable);
    end_round(taken.bytes);
  }

  void send_last_at_cut(Taken taken) {
    const MarksSuspended suspended;
    for (int tries = 1; !try_cut(taken, tries == kTries); ++tries) {
      let_updates_go();
      dirty().end_save(false);
      std::this_thread::sleep_for(kBetweenTries);
      taken = take(false);
    }
    CopiesAtCut &copies = session_.copies_;
    try {
      result_.cut_ns = copies.cut_ns();
      result_.pause_ns = copies.pause_ns();
      BlockPacker &out = begin_round(taken.regions);
      std::uint64_t done = 0;
      copies.for_each(taken.regions,
                      [&](std::uint32_t region, std::uint64_t offset,
                          std::span<const std::uint8_t> bytes) {
                        out.add(region, offset, bytes);
                        done += bytes.size();
                      });
      end_round(done);
      copies.give_back();
    } catch (...) {
      copies.give_back();
      throw;
    }
  }

  /// False if there was no cut, and may be one at another time.
  bool try_cut(const Taken &taken, bool is_last_try) {
    session_.keeps_updates_ = config_.stay_held;
    try {
      const bool is_complete = session_.make_copies(taken.regions, taken.runs,
                                                    taken.changes, dirty());
      session_.keeps_updates_ = false;
      if (is_complete)
        return true;
    } catch (const Error &error) {
      session_.keeps_updates_ = false;
      session_.copies_.give_back();
      if (error.problem() == Problem::kNoMemory)
        throw Error(Problem::kNoMemory,
                    "the copies of the last round need more than the " +
                        std::to_string(session_.copy_bytes_) +
                        " bytes that copy_bytes allows. Raise it.");
      if (error.problem() != Problem::kNoCut || is_last_try)
        throw;
      return false;
    }
    session_.copies_.give_back();
    throw Error(Problem::kNoCut,
                "page sets were missing: recording was begun anew meanwhile. "
                "Stream it again.");
  }

  void send_last_held() {
    std::optional<UpdatesHeld> updates(std::in_place, session_.update_wait_ns_);
    std::unique_lock<std::mutex> regions(session_.mutex_);
    const std::uint64_t held_ns = clock_ns(CLOCK_MONOTONIC);
    const auto release = [&] {
      regions.unlock();
      if (config_.stay_held)
        updates->keep();
      updates.reset();
      result_.pause_ns = clock_ns(CLOCK_MONOTONIC) - held_ns;
    };
    result_.cut_ns = held_ns;
    // A round that was taken and not sent is a part of the last one.
    dirty().end_save(false);
    write_unreported(dirty());
    const bool whole = end_period() || result_.rounds == 0;
    const MarksSuspended suspended;
    const Taken taken = take_locked(whole);
    const RegionMemory memory(taken.regions);
    Bytes copies;
    const bool is_copied = taken.bytes <= session_.copy_bytes_;
    if (is_copied) {
      copies.reserve(taken.bytes);
      for (const DirtyRun &run : taken.runs)
        memory.read(run, [&](std::span<const std::uint8_t> bytes) {
          copies.insert(copies.end(), bytes.begin(), bytes.end());
        });
      release();
    }
    BlockPacker &out = begin_round(taken.regions);
    std::uint64_t done = 0;
    for (const DirtyRun &run : taken.runs) {
      std::uint64_t offset = run.offset;
      const auto add = [&](std::span<const std::uint8_t> bytes) {
        out.add(run.region, offset, bytes);
        offset += bytes.size();
      };
      if (is_copied)
        add({copies.data() + done, run.bytes});
      else
        memory.read(run, add);
      done += run.bytes;
      tell(done, taken.bytes);
    }
    end_round(done);
    if (!is_copied)
      release();
  }

  Session &session_;
  const pagetide_checkpoint_stream_config &config_;
  StreamWriter &writer_;
  pagetide_checkpoint_streamed &result_;
  std::uint64_t start_;
};

void Session::stream(int fd, const pagetide_checkpoint_stream_config &wanted,
                     pagetide_checkpoint_streamed &result) {
  const pagetide_checkpoint_stream_config config = checked(wanted);
  if (!config.without_cut)
    CopiesAtCut::require_support();
  require_no_update();
  const std::lock_guard<std::mutex> saving(saving_);
  require_some(regions_.regions());
  const SignalHeld no_pipe(SIGPIPE);
  const SignalHeld no_limit(SIGXFSZ);
  const File out = own_file(fd);
  StreamWriter writer(out, compression_);
  try {
    Stream(*this, config, writer, result).run();
  } catch (const Error &error) {
    let_updates_go();
    if (error.problem() != Problem::kIo)
      writer.give_up(error.what());
    throw;
  } catch (const std::bad_alloc &) {
    let_updates_go();
    writer.give_up("memory ran out");
    throw;
  }
}

} // namespace pagetide::checkpoint

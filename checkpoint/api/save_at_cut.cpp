//===- save_at_cut.cpp - Saving what regions held at one instant ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/session.h"

#include "api/marks_suspended.h"
#include "api/updates.h"
#include "format/error.h"
#include "store/upkeep.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <sstream>

namespace pagetide::checkpoint {

namespace {

bool same(const std::vector<Region> &a, const std::vector<Region> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Region &x, const Region &y) {
                      return x.id == y.id && x.bytes == y.bytes;
                    });
}

} // namespace

/// Holds updates back, and regions as they are, around the instant.
class Session::HeldForCut : public CopiesAtCut::Holder {
public:
  HeldForCut(Session &session, std::uint64_t changes)
      : session_(session), changes_(changes) {}

  bool hold() override {
    try {
      updates_.emplace(session_.update_wait_ns_);
      regions_ = std::unique_lock<std::mutex>(session_.mutex_);
      if (session_.regions_.changes() != changes_)
        throw Error(Problem::kNoCut, "regions were protected anew meanwhile");
      // No update is under way, so what they wrote does not change before the
      // instant.
      if (session_.kernel_)
        session_.copies_.copy_again(
            session_.take_kernel_writes(session_.regions_.regions()));
      return true;
    } catch (...) {
      problem_ = std::current_exception();
    }
    release();
    return false;
  }

  void release() override {
    if (regions_.owns_lock())
      regions_.unlock();
    if (session_.keeps_updates_ && !problem_)
      updates_->keep();
    updates_.reset();
  }

  /// Why it could not hold; null if it could.
  std::exception_ptr problem() const { return problem_; }

private:
  Session &session_;
  std::uint64_t changes_;
  std::optional<UpdatesHeld> updates_;
  std::unique_lock<std::mutex> regions_;
  std::exception_ptr problem_;
};

/// A chain that is too long becomes a shorter one by its files. A base by a cut
/// would need memory for all regions. False if it stays too long: the next
/// checkpoint is a base then.
bool Session::shorten_chain() {
  if (parent_ == 0 || chain_ < max_chain_)
    return true;
  if (keep_ >= max_chain_)
    return false;
  try {
    compact(folder_, keep_, compression_, nullptr);
    if (const std::size_t length = chain_length(folder_, parent_))
      chain_ = static_cast<std::uint32_t>(length);
    return chain_ < max_chain_;
  } catch (const Error &) {
    return false;
  }
}

bool Session::make_copies(const std::vector<ProtectedRegion> &regions,
                          const std::vector<DirtyRun> &runs,
                          std::uint64_t changes, DirtyRegions &dirty) {
  HeldForCut held(*this, changes);
  int status = PAGETIDE_OK;
  const bool is_complete = note_period_end(tracker_.end_period([&] {
    dirty.note_to_save();
    status = copies_.make(regions, runs, dirty.granule(), held);
    return status;
  }));
  if (held.problem())
    std::rethrow_exception(held.problem());
  if (copies_.was_too_small())
    throw Error(Problem::kNoMemory,
                "the copies of a checkpoint need " +
                    std::to_string(copies_.bytes()) + " bytes, more than the " +
                    std::to_string(copy_bytes_) +
                    " that copy_bytes allows. Raise it, or call "
                    "pagetide_checkpoint_save() once.");
  if (status != PAGETIDE_OK)
    throw Error(Problem::kNoCut, std::string("there was no cut: ") +
                                     pagetide_status_string(status));
  if (!copies_.was_made())
    throw Error(Problem::kNoCut,
                std::string("there was no cut: ") + copies_.reason());
  if (copies_.not_readable() != 0) {
    std::ostringstream text;
    text << "a protected region cannot be read at 0x" << std::hex
         << copies_.not_readable()
         << "; protect it where it is now, or take its protection away";
    throw Error(Problem::kInvalid, text.str());
  }
  return is_complete;
}

bool Session::save_at_cut(pagetide_checkpoint_result &result) {
  const std::lock_guard<std::mutex> saving(saving_);
  const std::uint64_t start = clock_ns(CLOCK_MONOTONIC);
  mark_unreported(regions_);
  const MarksSuspended suspended;
  const bool is_base = !shorten_chain() || sets_missing_ ||
                       (!tracker_.is_complete() && !kernel_) || needs_base();
  std::unique_lock<std::mutex> lock(mutex_);
  const std::vector<ProtectedRegion> regions = regions_.regions();
  const std::uint64_t changes = regions_.changes();
  require_some(regions);
  take_kernel_writes(regions);
  readable(regions);
  const std::vector<DirtyRun> runs =
      regions_.begin_save(is_base, granularity_, kMaxRuns);
  lock.unlock();
  try {
    make_copies(regions, runs, changes, regions_);
    if (sets_missing_ && !is_base)
      throw Error(Problem::kNoCut, "page sets were missing; the next "
                                   "checkpoint is whole");
    result.cut_ns = copies_.cut_ns();
    result.pause_ns = copies_.pause_ns();
    Manifest manifest = next_manifest(regions, is_base);
    manifest.time_ns -= clock_ns(CLOCK_MONOTONIC) - copies_.cut_ns();
    manifest.flags =
        sets_missing_ || !regions_.unreported().empty() ? kUntracked : 0;
    if (!is_base && copies_.is_empty() &&
        same(manifest.regions, last_regions_)) {
      regions_.end_save(true);
      result.number = parent_;
      result.chain = chain_;
      result.bytes = manifest.region_bytes();
      return false;
    }
    ++next_number_;
    write(manifest, copies_.bytes(), result,
          [&](const Taker &take) { copies_.for_each(regions, take); });
    copies_.give_back();
    regions_.end_save(true);
    note_saved(manifest, result);
  } catch (...) {
    copies_.give_back();
    regions_.end_save(false);
    throw;
  }
  result.duration_ns = clock_ns(CLOCK_MONOTONIC) - start;
  return true;
}

} // namespace pagetide::checkpoint

//===- checkpoint.cpp - The C API of checkpoints --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pagetide/checkpoint.h"

#include "api/background.h"
#include "api/copies_at_cut.h"
#include "api/session.h"
#include "api/updates.h"
#include "format/error.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

using pagetide::checkpoint::Background;
using pagetide::checkpoint::CopiesAtCut;
using pagetide::checkpoint::Error;
using pagetide::checkpoint::Problem;
using pagetide::checkpoint::Session;

#define PAGETIDE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
int describe_exception(std::string &text);
} // namespace

struct pagetide_checkpoint {
  explicit pagetide_checkpoint(const pagetide_checkpoint_config &config)
      : session(config), background(
                             [this](pagetide_checkpoint_result &result) {
                               return session.save_at_cut(result);
                             },
                             describe_exception) {}
  Session session;
  Background background;
};

namespace {

/// The one that is open; null: none.
std::atomic<pagetide_checkpoint *> open_checkpoint{nullptr};
std::atomic<bool> is_opening{false};

thread_local std::string message;

int fail(int status, const char *text) {
  message = text;
  return status;
}

/// Of the exception that is being handled.
int describe_exception(std::string &text) {
  try {
    throw;
  } catch (const Error &error) {
    text = error.what();
    return static_cast<int>(error.problem());
  } catch (const std::bad_alloc &) {
    text = "memory ran out";
    return PAGETIDE_CHECKPOINT_NO_MEMORY;
  } catch (const std::exception &error) {
    text = error.what();
    return PAGETIDE_CHECKPOINT_IO;
  }
}

/// Runs the function. No exception leaves it.
template <typename Function> int guarded(Function function) {
  message.clear();
  try {
    function();
    return PAGETIDE_CHECKPOINT_OK;
  } catch (...) {
    return describe_exception(message);
  }
}

/// The same for a function of an open checkpoint.
template <typename Function>
int guarded(pagetide_checkpoint *checkpoint, Function function) {
  if (!checkpoint || checkpoint != open_checkpoint)
    return fail(PAGETIDE_CHECKPOINT_INVALID,
                "this is no checkpoint that pagetide_checkpoint_open() gave");
  if (!checkpoint->session.is_ours())
    return fail(PAGETIDE_CHECKPOINT_FORKED,
                "this process is a child of the one that opened the folder; "
                "open another folder in it");
  return guarded([&] { function(checkpoint->session); });
}

/// Copies as much as the caller's structure has room for.
template <typename Result> void give(const Result &from, Result *to) {
  if (!to)
    return;
  const std::size_t size = std::min(to->size, sizeof(from));
  std::memcpy(to, &from, size);
  to->size = size;
}

template <typename Function>
int with_result(pagetide_checkpoint *checkpoint,
                pagetide_checkpoint_result *result, Function function) {
  pagetide_checkpoint_result done = {};
  const int status =
      guarded(checkpoint, [&](Session &session) { function(session, done); });
  give(done, result);
  return status;
}

/// Objects of the program that exist now are destroyed after that.
void stop_at_exit() {
  pagetide_checkpoint *checkpoint = open_checkpoint;
  if (checkpoint && checkpoint->session.is_ours() &&
      !checkpoint->background.is_own_thread())
    checkpoint->background.stop();
}

void stop_background(pagetide_checkpoint &checkpoint) {
  if (checkpoint.background.is_own_thread())
    throw Error(Problem::kBusy, "called by the function that is told of "
                                "background checkpoints; set a flag there, and "
                                "stop them on another thread");
  checkpoint.background.stop();
}

void start_background(pagetide_checkpoint &checkpoint, uint64_t period_ns,
                      pagetide_checkpoint_done done, void *user) {
  constexpr uint64_t kMinPeriodNs = 1'000'000;
  if (period_ns < kMinPeriodNs)
    throw Error(Problem::kInvalid,
                "pagetide_checkpoint_every: the period is below 1 ms");
  CopiesAtCut::require_support();
  static const int kRegistered = std::atexit(stop_at_exit);
  if (kRegistered != 0)
    throw std::bad_alloc();
  checkpoint.background.start(period_ns, done, user);
}

/// A child of fork does not write, and must not keep the parent's lock.
void after_fork_in_child() {
  if (pagetide_checkpoint *checkpoint = open_checkpoint)
    checkpoint->session.release_in_child();
  pagetide::checkpoint::reset_updates_in_child();
}

} // namespace

PAGETIDE_EXPORT int
__pagetide_api_checkpoint_open(const pagetide_checkpoint_config *config,
                               pagetide_checkpoint **out) {
  if (!config || !out)
    return fail(PAGETIDE_CHECKPOINT_INVALID,
                "pagetide_checkpoint_open: an argument is NULL");
  *out = nullptr;
  pagetide_checkpoint *other = open_checkpoint;
  const bool is_open = other && other->session.is_ours();
  if (is_open || is_opening.exchange(true))
    return fail(
        PAGETIDE_CHECKPOINT_BUSY,
        "this process has a folder of checkpoints open; close it first");
  static const int kRegistered =
      ::pthread_atfork(nullptr, nullptr, after_fork_in_child);
  int status = kRegistered == 0
                   ? guarded([&] { *out = new pagetide_checkpoint(*config); })
                   : fail(PAGETIDE_CHECKPOINT_NO_MEMORY,
                          "pthread_atfork failed: no memory");
  if (status == PAGETIDE_CHECKPOINT_OK)
    open_checkpoint = *out;
  is_opening = false;
  return status;
}

PAGETIDE_EXPORT int pagetide_checkpoint_close(pagetide_checkpoint *checkpoint) {
  const int status =
      guarded(checkpoint, [&](Session &) { stop_background(*checkpoint); });
  pagetide::checkpoint::let_updates_go();
  if (status != PAGETIDE_CHECKPOINT_OK)
    return status;
  open_checkpoint = nullptr;
  delete checkpoint;
  return PAGETIDE_CHECKPOINT_OK;
}

PAGETIDE_EXPORT int pagetide_checkpoint_protect(pagetide_checkpoint *checkpoint,
                                                uint64_t id, void *address,
                                                size_t bytes) {
  return guarded(checkpoint, [=](Session &session) {
    session.protect(id, address, bytes);
  });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_unprotect(pagetide_checkpoint *checkpoint, uint64_t id) {
  return guarded(checkpoint, [=](Session &session) { session.unprotect(id); });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_save(pagetide_checkpoint *checkpoint,
                         pagetide_checkpoint_result *result) {
  return with_result(checkpoint, result,
                     [](Session &session, pagetide_checkpoint_result &done) {
                       session.save(done);
                     });
}

PAGETIDE_EXPORT int pagetide_checkpoint_every(pagetide_checkpoint *checkpoint,
                                              uint64_t period_ns,
                                              pagetide_checkpoint_done done,
                                              void *user) {
  return guarded(checkpoint, [=](Session &) {
    if (period_ns == 0)
      stop_background(*checkpoint);
    else
      start_background(*checkpoint, period_ns, done, user);
  });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_count(pagetide_checkpoint *checkpoint,
                          pagetide_checkpoint_counts *counts) {
  return guarded(checkpoint, [=](Session &) {
    give(checkpoint->background.counts(), counts);
  });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_stream(pagetide_checkpoint *checkpoint, int fd,
                           const pagetide_checkpoint_stream_config *config,
                           pagetide_checkpoint_streamed *result) {
  pagetide_checkpoint_stream_config defaults = {};
  defaults.size = sizeof(defaults);
  pagetide_checkpoint_streamed done = {};
  const int status = guarded(checkpoint, [&](Session &session) {
    session.stream(fd, config ? *config : defaults, done);
  });
  give(done, result);
  return status;
}

PAGETIDE_EXPORT int pagetide_checkpoint_go_on(pagetide_checkpoint *checkpoint) {
  return guarded(checkpoint, [](Session &) {
    if (!pagetide::checkpoint::let_updates_go())
      throw Error(Problem::kInvalid, "updates are not held back");
  });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_restore(pagetide_checkpoint *checkpoint, uint64_t number,
                            pagetide_checkpoint_result *result) {
  return with_result(checkpoint, result,
                     [=](Session &session, pagetide_checkpoint_result &done) {
                       session.restore(number, done);
                     });
}

PAGETIDE_EXPORT int
pagetide_checkpoint_saved_bytes(pagetide_checkpoint *checkpoint,
                                uint64_t number, uint64_t id, size_t *bytes) {
  return guarded(checkpoint, [=](Session &session) {
    const std::uint64_t saved = session.saved_bytes(number, id);
    if (bytes)
      *bytes = saved;
  });
}

PAGETIDE_EXPORT void
pagetide_checkpoint_note_period(pagetide_checkpoint *checkpoint,
                                const pagetide_period *period) {
  if (checkpoint && period && checkpoint->session.is_ours())
    checkpoint->session.note(*period);
}

PAGETIDE_EXPORT void pagetide_update_begin(void) {
  pagetide::checkpoint::begin_update();
}

PAGETIDE_EXPORT int pagetide_update_end(void) {
  if (pagetide::checkpoint::end_update())
    return PAGETIDE_CHECKPOINT_OK;
  return fail(PAGETIDE_CHECKPOINT_INVALID,
              "pagetide_update_end: the thread is inside no update");
}

PAGETIDE_EXPORT const char *pagetide_checkpoint_message(void) {
  return message.c_str();
}

//===- checkpoint.cpp - The C API of checkpoints --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pagetide/checkpoint.h"

#include "api/session.h"
#include "api/updates.h"
#include "format/error.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <string>

using pagetide::checkpoint::Error;
using pagetide::checkpoint::Problem;
using pagetide::checkpoint::Session;

#define PAGETIDE_EXPORT extern "C" __attribute__((visibility("default")))

struct pagetide_checkpoint {
  explicit pagetide_checkpoint(const pagetide_checkpoint_config &config)
      : session(config) {}
  Session session;
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

int status_of(Problem problem) {
  switch (problem) {
  case Problem::kNone:
    return PAGETIDE_CHECKPOINT_NONE;
  case Problem::kInvalid:
    return PAGETIDE_CHECKPOINT_INVALID;
  case Problem::kBusy:
    return PAGETIDE_CHECKPOINT_BUSY;
  case Problem::kIo:
    return PAGETIDE_CHECKPOINT_IO;
  case Problem::kDamaged:
    return PAGETIDE_CHECKPOINT_DAMAGED;
  case Problem::kVersion:
    return PAGETIDE_CHECKPOINT_VERSION;
  case Problem::kProgram:
    return PAGETIDE_CHECKPOINT_PROGRAM;
  case Problem::kRegions:
    return PAGETIDE_CHECKPOINT_REGIONS;
  }
  return PAGETIDE_CHECKPOINT_INVALID;
}

/// Runs the function. No exception leaves it.
template <typename Function> int guarded(Function function) {
  message.clear();
  try {
    function();
    return PAGETIDE_CHECKPOINT_OK;
  } catch (const Error &error) {
    return fail(status_of(error.problem()), error.what());
  } catch (const std::bad_alloc &) {
    return fail(PAGETIDE_CHECKPOINT_NO_MEMORY, "memory ran out");
  } catch (const std::exception &error) {
    return fail(PAGETIDE_CHECKPOINT_IO, error.what());
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
void give(const pagetide_checkpoint_result &from,
          pagetide_checkpoint_result *to) {
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
  const int status = guarded(checkpoint, [](Session &) {});
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

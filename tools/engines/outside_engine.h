//===- outside_engine.h - What was written, seen from outside -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine of these belongs to one address space of another process. The
// watcher (watcher.h) stops threads, calls the engine, and writes traces.

#pragma once

#include "trace/trace_records.h"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

class RemoteCalls;

struct MemoryRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Writes to it are not seen.
struct UnseenRange {
  MemoryRange range;
  std::string why;
};

class OutsideEngine {
public:
  virtual ~OutsideEngine() = default;

  /// Whether the threads must stand still while it collects.
  virtual bool needs_stop() const = 0;
  /// From now on writes count. The threads are stopped.
  virtual void begin(pid_t task, const Mappings &mappings) = 0;
  /// What was written since the last call, sorted. `task` lives. `mappings`
  /// are those of now.
  virtual std::vector<GranuleRun> collect(pid_t task,
                                          const Mappings &mappings) = 0;
  /// Readable if serve_events() must be called soon; -1: never.
  virtual int event_fd() const { return -1; }
  virtual void serve_events() {}

  std::vector<UnseenRange> &unseen() { return unseen_; }

protected:
  std::vector<UnseenRange> unseen_;
};

/// Why writes to memory of that name cannot be seen, or nullptr.
const char *why_unseen(const Mapping &mapping);

/// Why this kernel has no soft-dirty bits; empty if it has.
std::string probe_soft_dirty();
/// Both throw Failure if it is impossible.
std::unique_ptr<OutsideEngine> make_soft_dirty(pid_t task);

/// Divides huge pages that the process has: a write to one would count as a
/// write to all of it.
void split_huge_pages(pid_t task, RemoteCalls &calls);

/// `calls` are made by a thread of the process.
std::unique_ptr<OutsideEngine> make_outside_uffd(pid_t process,
                                                 RemoteCalls &calls);

} // namespace pagetide::tools

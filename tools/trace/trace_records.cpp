//===- trace_records.cpp - What the frames of a trace say, decoded --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_records.h"

#include "support/text_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pagetide::tools {

const char *precision_name(const trace::FileHeader &header) {
  return is_near(header) ? "near" : "exact";
}

const char *checksum_mode_name(trace::ChecksumMode mode) {
  switch (mode) {
  case trace::ChecksumMode::kNone:
    return "none";
  case trace::ChecksumMode::kWritten:
    return "written";
  case trace::ChecksumMode::kAccessed:
    return "accessed";
  }
  return "unknown";
}

const char *unstable_policy_name(trace::UnstablePolicy policy) {
  switch (policy) {
  case trace::UnstablePolicy::kFlag:
    return "flag";
  case trace::UnstablePolicy::kRehash:
    return "rehash";
  case trace::UnstablePolicy::kStop:
    return "stop";
  case trace::UnstablePolicy::kCut:
    return "cut";
  }
  return "unknown";
}

std::string run_id_text(const RunId &id) {
  return fmt::format("{:02x}", fmt::join(id.bytes, ""));
}

std::string end_reason_name(const End &end) {
  switch (end.reason) {
  case trace::EndReason::kExit:
    return "exit";
  case trace::EndReason::kExec:
    return "exec";
  case trace::EndReason::kStop:
    return "pagetide_stop(), pagetide ctl or record --pid";
  case trace::EndReason::kAbort:
    return "abort";
  case trace::EndReason::kKilled:
    if (end.detail >= 256 && end.detail - 256 < 256)
      return fmt::format("death by {}",
                         signal_name(static_cast<int>(end.detail - 256)));
    if (end.detail != 0)
      return fmt::format("death with exit status {}", end.detail);
    return "death of unknown cause";
  case trace::EndReason::kFailed:
    return "a failure of the runtime";
  }
  return fmt::format("reason {}", static_cast<unsigned>(end.reason));
}

std::string note_code_name(trace::NoteCode code) {
  switch (code) {
  case trace::NoteCode::kInfo:
    return "info";
  case trace::NoteCode::kThreadsShared:
    return "threads-shared";
  case trace::NoteCode::kLost:
    return "lost";
  case trace::NoteCode::kForked:
    return "forked";
  }
  return fmt::format("code-{}", static_cast<unsigned>(code));
}

} // namespace pagetide::tools

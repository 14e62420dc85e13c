//===- control_text.cpp - What pagetide ctl says of a process -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/control_text.h"

#include "support/json.h"
#include "support/text_format.h"

#include <fmt/format.h>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kNsPerSecond = 1000000000;

std::string period_text(const control::Reply &reply) {
  return reply.period_ns == 0 ? "ended by the program"
                              : format_duration(reply.period_ns);
}

std::string window_text(const control::Reply &reply) {
  return reply.window_ns == 0 ? "throughout"
                              : fmt::format("in windows of {} every {}",
                                            format_duration(reply.window_ns),
                                            format_duration(reply.every_ns));
}

/// Who has marks that were switched on while the program ran.
const char *late_text(const control::Reply &reply) {
  return reply.changes_copies
             ? "Each thread has them from its next call, return or turn of a "
               "loop on. The trace says since when."
             : "Functions that were running then have none until they return.";
}

/// The process tells whole seconds.
std::string age_text(std::uint64_t seconds) {
  if (seconds == 0)
    return "less than 1 s";
  return seconds < 60 ? fmt::format("{} s", seconds)
                      : format_duration(seconds * kNsPerSecond);
}

std::string status_text(const ControlAnswer &answer) {
  std::string out;
  const auto fact = [&out](const char *label, const std::string &text) {
    out += fmt::format("{:<10} {}\n", label, text);
  };
  fact("process",
       fmt::format("{} ({})", answer.pid, printable(answer.program)));
  const bool on = answer.marks_are_on();
  fact("marks", on && answer.reply && answer.reply->marks_late
                    ? fmt::format("on, switched on while it ran. {}",
                                  late_text(*answer.reply))
                    : (on ? "on" : "off"));
  if (!answer.reply || !answer.reply->recording) {
    fact("recording", "no");
    if (!answer.is_reachable)
      fact("start", "impossible: the process cannot be reached");
    return out;
  }
  const control::Reply &reply = *answer.reply;
  fact("recording", fmt::format("yes, {}begun {} ago",
                                reply.by_record ? "by pagetide record, " : "",
                                age_text(reply.seconds)));
  fact("trace", reply.trace_path[0] ? printable(reply.trace_path) : "none");
  fact("sets", reply.per_thread ? "per thread" : "per process");
  fact("period", period_text(reply));
  if (reply.window_ns)
    fact("on", window_text(reply));
  fact("periods", fmt::format("{} so far", format_count(reply.periods)));
  return out;
}

/// The line that tells how to see the trace.
std::string see_line(const control::Reply &reply) {
  return reply.trace_path[0] ? fmt::format("see it with: {}\n",
                                           report_command(reply.trace_path))
                             : "";
}

std::string trace_text(const control::Reply &reply) {
  return reply.trace_path[0] ? printable(reply.trace_path) : "no file";
}

} // namespace

const char *operation_name(control::Operation operation) {
  switch (operation) {
  case control::Operation::kStatus:
    return "status";
  case control::Operation::kStart:
    return "start";
  case control::Operation::kStop:
    return "stop";
  case control::Operation::kPeriod:
    return "period";
  case control::Operation::kFlush:
    return "flush";
  case control::Operation::kWindow:
    return "window";
  }
  return "unknown";
}

std::string control_text(const ControlAnswer &answer) {
  if (answer.operation == control::Operation::kStatus || !answer.reply)
    return status_text(answer);
  const control::Reply &reply = *answer.reply;
  const std::string process =
      fmt::format("process {} ({})", answer.pid, printable(answer.program));
  switch (answer.operation) {
  case control::Operation::kStart:
    return fmt::format("{} is being recorded; trace: {}\n{}{}", process,
                       trace_text(reply), see_line(reply),
                       reply.marks_late
                           ? fmt::format("Its marks were switched on while it "
                                         "ran. {}\n",
                                         late_text(reply))
                           : "");
  case control::Operation::kStop:
    return fmt::format("{} is no longer recorded; trace: {} ({} period{})\n{}",
                       process, trace_text(reply), format_count(reply.periods),
                       plural(reply.periods), see_line(reply));
  case control::Operation::kPeriod:
    return fmt::format("{}: the length of periods is now: {}\n", process,
                       period_text(reply));
  case control::Operation::kWindow:
    return fmt::format("{}: marks are on {}\n", process, window_text(reply));
  default:
    return fmt::format("{}: all complete periods ({}) are in its trace: {}\n",
                       process, format_count(reply.periods), trace_text(reply));
  }
}

std::string control_json(const ControlAnswer &answer) {
  Json out = {
      {"pagetide_ctl", 1},
      {"pid", answer.pid},
      {"program", answer.program},
      {"operation", operation_name(answer.operation)},
      {"done", answer.refusal.empty()},
      {"reason", answer.refusal.empty() ? Json() : Json(answer.refusal)},
      {"reachable", answer.is_reachable},
      {"marks", answer.marks_are_on()}};
  const control::Reply reply = answer.reply.value_or(control::Reply());
  const bool recording = reply.recording != 0;
  const std::string trace = reply.trace_path;
  out["marks_late"] = reply.marks_late != 0;
  out["recording"] = recording;
  out["by_record"] = reply.by_record != 0;
  out["trace"] = trace.empty() ? Json() : Json(trace);
  out["per_thread"] = recording ? Json(reply.per_thread != 0) : Json();
  out["period_ns"] = recording ? Json(reply.period_ns) : Json();
  out["window_ns"] = recording ? Json(reply.window_ns) : Json();
  out["every_ns"] = recording ? Json(reply.every_ns) : Json();
  out["periods"] = trace.empty() && !recording ? Json() : Json(reply.periods);
  out["seconds"] = recording ? Json(reply.seconds) : Json();
  return dumped(out);
}

} // namespace pagetide::tools

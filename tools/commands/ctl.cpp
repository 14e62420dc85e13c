//===- ctl.cpp - pagetide ctl ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/recording_options.h"
#include "control/control_socket.h"
#include "control/control_text.h"
#include "control/target_process.h"
#include "record/recording_run.h"
#include "support/failure.h"
#include "support/held_signals.h"
#include "support/run_directory.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "trace/trace_records.h"

#include "pagetide/control.h"
#include "pagetide/trace_format.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

namespace pagetide::tools {

namespace {

/// A process that has taken a request may have much to write before it replies.
constexpr auto kReplyPatience = std::chrono::minutes(1);
constexpr std::uint64_t kMinTimeoutNs = 1'000'000;
constexpr std::uint64_t kMaxTimeoutNs = 3600'000'000'000;

constexpr control::Operation kOperations[] = {
    control::Operation::kStatus, control::Operation::kStart,
    control::Operation::kStop,   control::Operation::kPeriod,
    control::Operation::kWindow, control::Operation::kFlush,
};

struct CtlOptions {
  std::string pid;
  std::string operation;
  std::string argument;
  RecordingOptions recording;
  std::string timeout = "5s";
  bool json = false;
};

std::string check_timeout(const std::string &text) {
  const std::optional<std::uint64_t> ns = parse_duration(text);
  if (ns && *ns >= kMinTimeoutNs && *ns <= kMaxTimeoutNs)
    return {};
  return fmt::format("{}: is no duration of 1ms to 1h; write it as in 5s",
                     text);
}

/// The word that follows the operation; null if none does.
const char *argument_of(control::Operation operation) {
  switch (operation) {
  case control::Operation::kPeriod:
    return "the length of a period is missing, as in: pagetide ctl 1234 period "
           "10ms";
  case control::Operation::kWindow:
    return "the length of a window is missing, as in: pagetide ctl 1234 window "
           "10ms --every 1s";
  default:
    return nullptr;
  }
}

/// "status start stop".
std::string operation_names() {
  std::string names;
  for (const control::Operation operation : kOperations)
    names += fmt::format("{}{}", names.empty() ? "" : " ",
                         operation_name(operation));
  return names;
}

control::Operation operation_of(const CLI::App &app,
                                const CtlOptions &options) {
  check_operation(app, operation_names(), options.operation,
                  {{"PID", "*"},
                   {"OPERATION", "*"},
                   {"--timeout", "*"},
                   {"--json", "*"},
                   {"--every", "start window"},
                   {"ARGUMENT", "period window"},
                   {"*", "start"}});
  const control::Operation operation =
      *std::ranges::find(kOperations, options.operation, operation_name);
  if (const char *const missing = argument_of(operation);
      missing && options.argument.empty())
    throw Failure("ctl: {}: {}", options.operation, missing);
  return operation;
}

std::uint64_t period_of(const std::string &text) {
  if (const std::string problem = check_period(text); !problem.empty())
    throw Failure("ctl: period: " + problem);
  return *parse_duration(text);
}

/// The option's value is one of these names, or the command line is refused.
trace::ChecksumMode checksum_of(const std::string &name) {
  return *std::ranges::find(kChecksumModes, name, checksum_mode_name);
}

trace::UnstablePolicy unstable_of(const std::string &name) {
  return *std::ranges::find(kUnstablePolicies, name, unstable_policy_name);
}

/// Where the trace is to be, as the process must be told.
std::string new_trace_path(const RecordingOptions &options,
                           const TargetProcess &target) {
  const std::string name = options.output.empty()
                               ? new_trace_name(target.program(), target.pid())
                               : options.output;
  check_new_trace(name);
  std::string path = std::filesystem::absolute(name).string();
  if (path.size() >= sizeof(control::Request::trace_path))
    throw Failure("{}: this path is too long; name another file with -o", path);
  return path;
}

void add_window(control::Request &request, const RecordingOptions &recording) {
  recording.check_windows();
  if (recording.window.empty())
    return;
  request.says |= control::kSaysWindow;
  request.window_ns = *parse_duration(recording.window);
  request.every_ns = *parse_duration(recording.every);
}

std::unique_ptr<control::Request> request_for(const CtlOptions &options,
                                              control::Operation operation,
                                              const TargetProcess &target) {
  auto request = std::make_unique<control::Request>();
  request->magic = control::kRequestMagic;
  request->version = control::kVersion;
  request->operation = operation;
  if (operation == control::Operation::kPeriod)
    request->period_ns = period_of(options.argument);
  RecordingOptions recording = options.recording;
  if (operation == control::Operation::kWindow && options.argument != "0")
    recording.window = options.argument;
  add_window(*request, recording);
  if (operation != control::Operation::kStart)
    return request;
  if (!recording.period.empty()) {
    request->says |= control::kSaysPeriod;
    request->period_ns = period_of(recording.period);
  }
  if (recording.per_thread) {
    request->says |= control::kSaysPerThread;
    request->per_thread = 1;
  }
  if (!recording.checksum.empty()) {
    request->says |= control::kSaysChecksum;
    request->checksum =
        static_cast<std::uint32_t>(checksum_of(recording.checksum));
  }
  if (recording.checksum_relative) {
    request->says |= control::kSaysChecksumRelative;
    request->checksum_relative = 1;
  }
  if (!recording.unstable.empty()) {
    request->says |= control::kSaysUnstable;
    request->unstable =
        static_cast<std::uint32_t>(unstable_of(recording.unstable));
  }
  if (!recording.granularity.empty()) {
    request->says |= control::kSaysGranularity;
    request->unit_shift = *granularity_shift(recording.granularity);
  }
  const std::string path = new_trace_path(recording, target);
  std::memcpy(request->trace_path, path.c_str(), path.size() + 1);
  return request;
}

std::string silence_of(const TargetProcess &target) {
  if (target.is_stopped())
    return "it is stopped, by a signal or a debugger";
  if (target.blocks_signal())
    return fmt::format("all its threads block signal {}, by which it is "
                       "reached; the runtime option control_signal chooses "
                       "another signal",
                       target.signal());
  if (!target.has_marks())
    return "its marks are off, and they cannot be switched on where it is now: "
           "in a signal handler, in an allocator, in a call of libc that may "
           "hold a lock, or on a stack that is nearly full";
  return "it may have been stopped, or be waiting for the disk";
}

control::Reply ask_target(const TargetProcess &target,
                          const control::Request &request,
                          std::chrono::milliseconds timeout, int interrupts) {
  const ControlSocket socket(run_directory(target.user()), target.user(),
                             target.group());
  if (!socket.is_seen_by(target.pid()))
    throw Failure(
        "{} cannot be reached: it has another /tmp (a container, a chroot, or "
        "systemd's PrivateTmp); run pagetide ctl inside of it",
        target.text());
  const ControlPeer peer = {
      target.pid(),       target.user(),
      target.pidfd(),     target.text(),
      silence_of(target), [&] {
        target.send_signal(socket.number()); }};
  const UniqueFd connection = socket.accept(peer, timeout, interrupts);
  return ask_process(connection, request, peer, kReplyPatience, interrupts);
}

/// Returns nothing if the user has interrupted it by a signal that does not end
/// this process.
std::optional<control::Reply>
ask_unless_interrupted(const TargetProcess &target,
                       const control::Request &request,
                       const std::string &timeout) {
  const std::chrono::nanoseconds patience(*parse_duration(timeout));
  const HeldSignals held;
  try {
    return ask_target(target, request,
                      std::chrono::ceil<std::chrono::milliseconds>(patience),
                      held.fd());
  } catch (const ControlInterrupted &interrupted) {
    if (interrupted.was_asked)
      say("{} has taken the request, and may do later what was asked",
          target.text());
    return std::nullopt;
  }
}

int print_answer(const ControlAnswer &answer, const TargetProcess &target,
                 bool json) {
  TextOutput out;
  if (json)
    out.write(control_json(answer) + "\n");
  else if (answer.refusal.empty())
    out.write(control_text(answer));
  else
    say("{}: {}", target.text(), printable(answer.refusal));
  out.close();
  return answer.refusal.empty() ? kStatusDone : kStatusNegative;
}

int run_ctl(const CLI::App &app, const CtlOptions &options) {
  const control::Operation operation = operation_of(app, options);
  const TargetProcess target(pid_of(options.pid));
  const std::unique_ptr<control::Request> request =
      request_for(options, operation, target);
  const std::string why = target.why_unreachable();
  ControlAnswer answer;
  answer.operation = operation;
  answer.pid = target.pid();
  answer.program = target.program();
  answer.is_reachable = why.empty();
  answer.has_marks = target.has_marks();
  if (!target.has_marks() && operation != control::Operation::kStart) {
    if (operation != control::Operation::kStatus)
      answer.refusal = fmt::format(
          "nothing is recorded, because its marks are off; begin with: "
          "pagetide ctl {} start",
          target.pid());
    return print_answer(answer, target, options.json);
  }
  if (!why.empty())
    throw Failure("{} {}", target.text(), why);

  answer.reply = ask_unless_interrupted(target, *request, options.timeout);
  if (!answer.reply)
    return kStatusFailed;
  if (answer.reply->refused)
    answer.refusal = answer.reply->reason;
  if (answer.reply->refused && answer.refusal.empty())
    answer.refusal = "it refused, and did not say why";
  if (operation == control::Operation::kStart && answer.refusal.empty())
    answer.has_marks = true;
  return print_answer(answer, target, options.json);
}

CommandRun set_up_ctl(CLI::App &app) {
  const auto options = std::make_shared<CtlOptions>();
  app.add_option("PID", options->pid, "The process.")->required();
  app.add_option("OPERATION", options->operation,
                 "status: say whether the process is recorded. start: switch "
                 "marks on if they are off, and record. stop: end the "
                 "recording, and complete its trace. period: change the length "
                 "of periods. window: have marks on in windows only (--every), "
                 "or with 0 throughout. flush: write all complete periods to "
                 "the trace.")
      ->type_name("status|start|stop|period|window|flush")
      ->required();
  app.add_option("ARGUMENT", options->argument,
                 "Of period: 1ms to 1000h, or 0 if the program ends its "
                 "periods itself. Of window: how long one is.");
  add_recording_options(
      app, options->recording,
      "File for the trace, which must not exist. Processes that the process "
      "starts by fork write FILE.<pid>. [pagetide.PROGRAM.PID.ptrace]");
  app.add_option("--timeout", options->timeout,
                 "How long to wait until the process takes the request. [5s]")
      ->type_name("DURATION")
      ->check(CLI::Validator(check_timeout, ""));
  app.add_flag("--json", options->json,
               "One JSON object, described in docs/reference/cli-output.md.");
  return [options, &app](const std::vector<std::string> &) {
    return run_ctl(app, *options);
  };
}

} // namespace

extern const Command kCtlCommand = {
    "ctl",
    "Reach a running process: begin, end or change its recording",
    "[OPTIONS] PID OPERATION [DURATION]",
    "pagetide ctl 1234 start -p 100ms -o run.ptrace",
    "Exit status 0: done; 1: the process refused, or records nothing (stop, "
    "period, window, flush); 2: it could not be asked, for example because "
    "there is no such process.",
    set_up_ctl,
    "Only start takes the options above --timeout, and window takes --every. "
    "What start leaves out is as the process's own options (PAGETIDE_OPTIONS) "
    "have it. An example of another operation:",
    "pagetide ctl 1234 period 10ms",
};

} // namespace pagetide::tools

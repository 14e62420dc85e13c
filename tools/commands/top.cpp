//===- top.cpp - pagetide top ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "control/target_process.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "top/live_processes.h"
#include "top/top_screen.h"
#include "top/top_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kMinDelayNs = 100'000'000;
constexpr std::uint64_t kMaxDelayNs = 3600'000'000'000;

struct TopOptions {
  std::string pid;
  std::string delay = "1s";
  bool batch = false;
  bool once = false;
};

std::string check_delay(const std::string &text) {
  const std::optional<std::uint64_t> ns = parse_duration(text);
  if (ns && *ns >= kMinDelayNs && *ns <= kMaxDelayNs)
    return {};
  return fmt::format("{}: is no duration of 100ms to 1h; write it as in 2s",
                     text);
}

/// Throws Failure if the process cannot be shown, and says why.
void check_process(pid_t pid, const LiveProcesses &processes) {
  if (!processes.all().empty())
    return;
  if (!processes.problems().empty())
    throw Failure(printable(processes.problems().front()));
  const TargetProcess target(pid); // it knows more reasons
  throw Failure("{} writes no trace; begin one with: pagetide ctl {} start",
                target.text(), pid);
}

std::string text_of(const LiveProcesses &processes, bool of_one) {
  const TopView view = view_now(TopOrder::kAccessed);
  return of_one ? process_text(*processes.all().back(), view)
                : list_text(processes, view).text;
}

/// Prints text until there is nothing more to come.
int print_again_and_again(LiveProcesses &processes, bool of_one, bool once,
                          std::chrono::milliseconds delay) {
  TextOutput out;
  for (;;) {
    out.write(text_of(processes, of_one));
    if (once || (of_one && processes.all().back()->has_ended))
      break;
    out.write("\n");
    out.flush();
    std::this_thread::sleep_for(delay);
    processes.refresh();
  }
  out.close();
  return processes.all().empty() ? kStatusNegative : kStatusDone;
}

int run_top(const TopOptions &options) {
  const bool of_one = !options.pid.empty();
  std::optional<pid_t> pid;
  if (of_one)
    pid = pid_of(options.pid);
  const std::chrono::nanoseconds delay(*parse_duration(options.delay));
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(delay);
  LiveProcesses processes(pid);
  const bool is_text = options.batch || options.once;
  processes.refresh(is_text ? std::chrono::hours(24)
                            : std::chrono::milliseconds(0));
  if (of_one)
    check_process(*pid, processes);
  if (is_text)
    return print_again_and_again(processes, of_one, options.once, wait);
  show_on_terminal(processes, of_one, wait);
  return kStatusDone;
}

CommandRun set_up_top(CLI::App &app) {
  const auto options = std::make_shared<TopOptions>();
  app.add_option("PID", options->pid,
                 "Show this process. Otherwise all recorded processes of this "
                 "user are listed.");
  app.add_option("-d,--delay", options->delay,
                 "How long to show one state, 100ms to 1h. [1s]")
      ->type_name("DURATION")
      ->check(CLI::Validator(check_delay, ""));
  app.add_flag("-b,--batch", options->batch,
               "Print plain text again and again, for pipes and logs. Ends "
               "with the process PID.");
  app.add_flag("--once", options->once, "Print plain text once.");
  return
      [options](const std::vector<std::string> &) { return run_top(*options); };
}

} // namespace

extern const Command kTopCommand = {
    "top",
    "Watch the page use of running recorded programs",
    "[OPTIONS] [PID]",
    "pagetide top --delay 2s",
    "Exit status 0: done; 1: nothing is being recorded (--once); 2: failure, "
    "for example because process PID is not recorded.",
    set_up_top,
    "Keys: q quits, p pauses, arrows or j and k move, enter shows one process, "
    "escape goes back to the list. Sort: a accessed, r read, w written, n "
    "number, c name. An example of plain text:",
    "pagetide top --once 1234",
};

} // namespace pagetide::tools

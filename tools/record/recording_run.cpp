//===- recording_run.cpp - Runs a command whose processes record ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/recording_run.h"

#include "record/runtime_options.h"
#include "support/elf_note.h"
#include "support/say.h"
#include "support/text_format.h"

#include <poll.h>
#include <sys/resource.h>

#include <optional>
#include <vector>

namespace pagetide::tools {

namespace {

/// How long record waits for other processes of the run after the command's
/// end. A signal from the terminal may end all of them at almost the same time.
constexpr auto kLinger = std::chrono::milliseconds(250);
/// Processes to name at most.
constexpr std::size_t kMaxListedProcesses = 8;
constexpr std::uint64_t kMinPeriodNs = 1000 * 1000;
constexpr std::uint64_t kMaxPeriodNs = 1000ull * 3600 * 1000000000;

const char *why(shadow_file::NoticeKind kind) {
  switch (kind) {
  case shadow_file::NoticeKind::kRefused:
    return "was ended by Pagetide's runtime; its message that begins with "
           "\"ERROR: Pagetide\" says why";
  case shadow_file::NoticeKind::kUnrecorded:
    return "was not recorded; the message of its runtime that begins with "
           "\"WARNING: Pagetide\" says why";
  case shadow_file::NoticeKind::kOtherRecord:
    return "is a recording of its own: it has recorded the processes that it "
           "started, and this record has not; leave out one of the two";
  case shadow_file::NoticeKind::kOwnOptions:
    return "was not recorded: it was started with other PAGETIDE_OPTIONS than "
           "those of this run; add to these "
           "(PAGETIDE_OPTIONS=\"$PAGETIDE_OPTIONS:name=value\"), or leave the "
           "process out with PAGETIDE_OPTIONS= (empty)";
  }
  return "was not recorded, for a reason that this pagetide does not know";
}

/// Why the command did not connect, although its file is instrumented.
std::string why_silent(const std::string &command, const ElfFile &file) {
  if (!file.is_dynamic)
    return fmt::format("{} is instrumented but statically linked, so it does "
                       "not load the runtime libpagetide.so; link it "
                       "dynamically",
                       command);
  if (file.gains_privilege)
    return fmt::format(
        "{} is instrumented but gains privileges when it starts, "
        "so its runtime ignores the environment; record a copy "
        "that gains none",
        command);
  return fmt::format("{} is instrumented but did not record: its runtime "
                     "libpagetide.so was not loaded, or the program ended "
                     "before the runtime began; see: ldd {}",
                     command, format_command({command}));
}

} // namespace

void raise_file_limit() {
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

std::unique_ptr<PublishedOptions> publish_options(const std::string &options) {
  auto published = std::make_unique<PublishedOptions>(options);
  if (!published->problem().empty())
    say("processes that are started without {} will not be recorded: {}",
        kOptionsVariable, published->problem());
  return published;
}

void serve_run(ChildProcess &child, ControlServer &server) {
  raise_file_limit();
  const auto wait = [&](int limit_ms) {
    std::vector<pollfd> fds = {{child.signal_fd(), POLLIN, 0}};
    server.add_poll_fds(fds);
    int timeout = server.poll_timeout_ms();
    if (limit_ms >= 0 && (timeout < 0 || timeout > limit_ms))
      timeout = limit_ms;
    ::poll(fds.data(), fds.size(), timeout);
    child.handle_signals();
    if (child.exit_status())
      server.command_ended(child.exit_status()->end_detail());
    server.serve();
    for (const std::string &message : server.messages())
      say("{}", message);
    server.messages().clear();
  };
  server.set_command(child.pid());
  while (!child.exit_status())
    wait(-1);
  const auto deadline = std::chrono::steady_clock::now() + kLinger;
  while (true) {
    wait(0);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (!server.anyone_left() || left.count() <= 0)
      break;
    wait(static_cast<int>(left.count()));
  }
  server.finish_hung_up();
  server.remove_unbegun();
}

/// Whether the text is a duration but for its number, which is negative or has
/// too many digits.
static bool is_out_of_range(const std::string &text) {
  const std::size_t unit = text.find_first_not_of("-0123456789.");
  return unit != std::string::npos && unit != 0 &&
         parse_duration("1" + text.substr(unit)) &&
         text.find_first_of("0123456789") <= 1;
}

std::string check_period(const std::string &text) {
  const std::optional<std::uint64_t> ns = parse_duration(text);
  if (!ns && is_out_of_range(text))
    return fmt::format("{}: a period is 1ms to 1000h, or 0 for a program that "
                       "ends its periods itself",
                       text);
  if (!ns)
    return fmt::format("{}: is no duration; write a number and one of the "
                       "units us, ms, s, min, h, as in 500ms",
                       text);
  if (*ns != 0 && (*ns < kMinPeriodNs || *ns > kMaxPeriodNs))
    return fmt::format("{}: a period is 1ms to 1000h, or 0 for a program that "
                       "ends its periods itself",
                       text);
  return {};
}

std::string check_output(const std::string &path) {
  if (path != "-")
    return {};
  return "-: a trace cannot go to standard output, because record may have to "
         "change its end; name a file (./- for a file called -)";
}

bool say_unrecorded(const ControlServer &server) {
  std::size_t shown = 0;
  for (const ControlServer::Unrecorded &process : server.unrecorded()) {
    if (shown++ == kMaxListedProcesses) {
      say("  and {} more", server.unrecorded().size() - kMaxListedProcesses);
      break;
    }
    say("process {}, {}, {}", process.pid, process.name, why(process.kind));
  }
  return shown != 0;
}

void say_nothing_recorded(const ControlServer &server,
                          const std::string &command, const ElfFile &file) {
  if (!server.unrecorded().empty())
    return;
  if (file.note) {
    say("{}", why_silent(command, file));
    return;
  }
  say("nothing was recorded: no instrumented process of this run contacted "
      "record");
  say("build the program with: pagetide-clang -g -O2 prog.c -o prog (or "
      "pagetide-clang++ for C++; CC=pagetide-clang for make and configure)");
}

} // namespace pagetide::tools

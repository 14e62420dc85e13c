//===- record.cpp - pagetide record ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "commands/record_ways.h"
#include "record/auto_engine.h"
#include "record/child_process.h"
#include "record/control_server.h"
#include "record/engine_choice.h"
#include "record/kernel_probe.h"
#include "record/recording_run.h"
#include "record/runtime_options.h"
#include "record/trace_texts.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "support/find_engine.h"
#include "support/option_text.h"
#include "support/say.h"
#include "support/text_format.h"

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

namespace pagetide::tools {

namespace {

/// More than the options and the name of a trace usually have.
constexpr std::size_t kPaddedBytes = 1024;

std::string runtime_options(const RecordOptions &options,
                            const engines::Capabilities &engine,
                            const TraceOutput *output,
                            const std::string &socket) {
  const std::string inherited = inherited_options();
  RuntimeOptions out(inherited);
  if (output) {
    out.add("trace_path", std::filesystem::absolute(output->path()).string());
    out.add("run_id", run_id_text(new_run_id()));
  } else if (!option_in(inherited, "trace_path").empty()) {
    out.add("trace_path", "");
  }
  out.add("control", socket);
  add_recording_text(out, options);
  // The engine of a record around this one is not this run's.
  const bool inside = option_in(inherited, "marks_first") == "1";
  if (!engine.by_marks || inside)
    out.add("engine", engine.name);
  const bool chosen = !engine.by_marks && options.engine == kAuto;
  if (chosen != inside)
    out.add("marks_first", chosen ? "1" : "0");
  if (options.kernel_writes) {
    out.add("kernel_writes", "1");
    if (options.unstable.empty())
      out.add("unstable", "cut");
  }
  if (!options.on_failure.empty())
    out.add("on_failure", options.on_failure);
  std::string text = out.text();
  // The stack begins below the environment. Its addresses must not depend on
  // the length of the trace's name.
  if (options.no_aslr)
    text.resize((text.size() / kPaddedBytes + 1) * kPaddedBytes, ':');
  return text;
}

/// The trace to give to `report`, which then finds all traces of the run.
std::string first_trace(const ControlServer &server,
                        const TraceOutput &output) {
  const std::string wanted = std::filesystem::absolute(output.path()).string();
  for (const ControlServer::Trace &trace : server.traces())
    if (trace.path == wanted)
      return output.path();
  for (const ControlServer::Live &live : server.live())
    if (live.path == wanted)
      return output.path();
  // Another run has taken the name meanwhile.
  return server.traces().front().path;
}

void say_traces(const ControlServer &server, const TraceOutput *output) {
  const std::vector<ControlServer::Trace> &traces = server.traces();
  const std::string first =
      output && !traces.empty() ? first_trace(server, *output) : "";
  list_traces(traces, first);
  const std::vector<ControlServer::Live> live = server.live();
  if (!live.empty()) {
    say("{} process{} of this run still record{}; if a process is killed from "
        "now on, its trace lacks its last periods:",
        live.size(), live.size() == 1 ? "" : "es", live.size() == 1 ? "s" : "");
    for (std::size_t i = 0; i < live.size() && i < kMaxListedTraces; ++i)
      say("  process {}{}{}", live[i].pid,
          live[i].path.empty() ? "" : ", trace: ", printable(live[i].path));
    if (live.size() > kMaxListedTraces)
      say("  and {} more", live.size() - kMaxListedTraces);
  }
  if (server.anyone_waits())
    say("the limit of open files is too low to watch all processes that record "
        "at the same time: traces of killed processes lack their last periods; "
        "raise the limit with: ulimit -n");
  if (!first.empty())
    say_how_to_report(traces.size(), first);
}

/// Processes of another user cannot enter the directory of the socket.
void say_out_of_reach(const ControlServer &server, const TraceOutput &output) {
  std::vector<std::string> traces = output.new_traces();
  std::erase_if(traces, [&](const std::string &trace) {
    const auto is_it = [&](const auto &known) {
      return known.path == std::filesystem::absolute(trace).string();
    };
    const std::vector<ControlServer::Live> live = server.live();
    return std::ranges::any_of(server.traces(), is_it) ||
           std::ranges::any_of(live, is_it);
  });
  if (traces.empty())
    return;
  for (std::size_t i = 0; i < traces.size() && i < kMaxListedTraces; ++i)
    say("trace: {}, of a process that could not reach this record, as one that "
        "has changed its user cannot",
        printable(traces[i]));
  if (traces.size() > kMaxListedTraces)
    say("  and {} more", traces.size() - kMaxListedTraces);
  say_how_to_report(traces.size(), traces.front());
}

} // namespace

int pass_on(const ExitStatus &status) {
  if (status.signal == 0)
    return status.code;
  // The command has written the core file, if there is one.
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(status.signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, status.signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(status.signal);
  return 128 + status.signal;
}

int say_cannot_start(const std::string &command, int error) {
  if (error == ENOENT) {
    say("{}", text_of_not_found(command));
    return kCommandNotFound;
  }
  say("{}: cannot be executed: {}", command, std::strerror(error));
  return kCannotExecute;
}

std::optional<TraceOutput> trace_output(const RecordOptions &options,
                                        const std::string &program) {
  if (options.no_output)
    return std::nullopt;
  return TraceOutput(options.output.empty()
                         ? new_trace_name(program, ::getpid())
                         : options.output);
}

Asked asked_of(const RecordOptions &options) {
  const std::string inherited = inherited_options();
  const auto given = [&](const std::string &own, const char *name) {
    return own.empty() ? option_in(inherited, name) : own;
  };
  const std::string checksum = given(options.checksum, "checksum");
  const std::string granule = given(options.granularity, "granularity");
  Asked asked;
  if (options.per_thread || option_in(inherited, "per_thread") == "1")
    asked.per_thread = "--per-thread";
  if (!checksum.empty() && checksum != "none")
    asked.contents = "--checksum " + checksum;
  else if (!options.unstable.empty())
    asked.contents = "--unstable " + options.unstable;
  if (checksum == "accessed")
    asked.reads = asked.contents;
  if (granularity_shift(granule).value_or(0) != 0 &&
      granularity_shift(granule) != abi::kDefaultGranuleShift)
    asked.granule = "--granularity " + granule;
  if (options.kernel_writes || option_in(inherited, "kernel_writes") == "1")
    asked.cut = "--kernel-writes";
  else if (given(options.unstable, "unstable") == "cut")
    asked.cut = "--unstable cut";
  else if (!options.window.empty())
    asked.cut = "--window";
  if (const auto period = parse_duration(given(options.period, "period"))) {
    asked.period = std::chrono::nanoseconds(*period);
    if (*period == 0)
      asked.driven = "--period 0";
  }
  if (!options.on_failure.empty())
    asked.driven = "--on-failure";
  return asked;
}

namespace {

/// Throws Failure if the program cannot be recorded in windows.
void require_windows(const std::string &file, const ElfFile &elf) {
  if (elf.note && !(elf.note->flags & abi::kModuleWindows))
    throw Failure("--window: functions of {} that are running cannot change to "
                  "marked code; build it with -fpagetide-mode=windows",
                  file);
}

/// Throws Failure if the kernel's account of writes is of no use, or missing.
void require_kernel_writes(const RecordOptions &options,
                           const std::string &file) {
  if (!options.asks_checksums())
    throw Failure("--kernel-writes adds to checksums of cuts; give --checksum "
                  "written with it");
  if (!options.unstable.empty() && options.unstable != "cut")
    throw Failure(
        "--kernel-writes adds to checksums of cuts; leave out --unstable {}",
        options.unstable);
  const std::string missing = probe_kernel_writes();
  if (!missing.empty())
    throw Failure(
        "--kernel-writes: this kernel cannot tell which pages are written, so "
        "{} was not run: {}; or leave out --kernel-writes",
        file, missing);
}

/// The engine that the options name or that fits. Throws Failure if none does.
const engines::Capabilities &engine_for(const RecordOptions &options,
                                        const std::string &file, Build build) {
  if (options.engine != kAuto)
    return *find_engine(options.engine);
  const std::string inherited = inherited_options();
  std::error_code ignored;
  if ((!option_in(inherited, "engine").empty() &&
       option_in(inherited, "marks_first") != "1") ||
      std::filesystem::equivalent(file, "/proc/self/exe", ignored))
    return engines::of(engines::Kind::kMarks); // who set it preloads too; a
                                               // record is not recorded
  const Choice choice =
      choose_engine(file, build, asked_of(options), why_lacking);
  if (!choice.engine)
    throw Failure(choice.message);
  if (!choice.message.empty())
    say("{}", choice.message);
  return *choice.engine;
}

int run_record(const RecordOptions &options,
               const std::vector<std::string> &command) {
  if (!options.pid.empty()) {
    if (!command.empty())
      throw Failure("--pid records a process that runs already; leave out "
                    "--pid, or the command");
    return record_process(options);
  }
  if (command.empty())
    throw Failure("no command to record; write it after --, as in: pagetide "
                  "record -- ./prog");
  const std::string file = find_command(command[0]);
  if (file.empty())
    return say_cannot_start(command[0], ENOENT);
  if (::access(file.c_str(), X_OK) != 0)
    return say_cannot_start(command[0], errno);
  options.check_windows();
  const ProgramFile program = examine_program(file);
  const ElfFile &elf = program.elf;
  const engines::Capabilities &engine =
      engine_for(options, file, program.build);
  const bool emulated = engine.kind == engines::Kind::kEmulate;
  Asked asked = asked_of(options);
  if (emulated && options.on_failure.empty())
    asked.driven.clear(); // QEMU's plugin sees the program end its periods
  require_asked(engine, program.build, asked);
  // Nothing can be preloaded into a static program.
  const bool outside = watched_from_outside(engine, program.build);
  if (!options.duration.empty() && (!outside || emulated))
    throw Failure("--for belongs to --pid, and to engines that watch from "
                  "outside; leave it out");
  if (emulated)
    return record_emulated(options, file, command);
  if (options.checksum == "written" && elf.note &&
      elf.note->layout < abi::kLayoutCount &&
      !abi::tells_writes(static_cast<abi::Layout>(elf.note->layout)))
    throw Failure(
        "{}: was built with layout `{}`, which does not tell writes from "
        "reads, so it cannot take checksums of written pages; use --checksum "
        "accessed, or build it with -fpagetide-layout={}",
        file, abi::kLayoutNames[elf.note->layout],
        abi::has_sites(static_cast<abi::Layout>(elf.note->layout)) ? "rw-site"
                                                                   : "rw");
  if (options.kernel_writes)
    require_kernel_writes(options, file);
  if (!options.window.empty())
    require_windows(file, elf);
  if (outside)
    return record_from_outside(options, engine, command, file, program);
  std::unique_ptr<PreloadableRuntime> preloaded;
  if (engine.by_marks)
    leave_outer_preload();
  else
    preloaded = prepare_engine(engine, file, program.build);
  std::optional<TraceOutput> output = trace_output(options, command[0]);

  ExitStatus status;
  const QuietPipes pipes;
  {
    ControlServer server;
    server.set_output(output ? &*output : nullptr);
    const std::string text = runtime_options(
        options, engine, output ? &*output : nullptr, server.socket_path());
    const std::unique_ptr<PublishedOptions> published = publish_options(text);
    notify_outer_record();
    std::optional<FixedAddresses> fixed_addresses;
    if (options.no_aslr)
      fixed_addresses.emplace();
    ChildProcess child(command, kOptionsVariable, text, pipes);
    fixed_addresses.reset();
    if (child.pid() < 0) {
      if (child.start_error() == EAGAIN || child.start_error() == ENOMEM ||
          child.start_error() == EMFILE || child.start_error() == ENFILE)
        throw Failure("no process can be made for {}: {}", command[0],
                      std::strerror(child.start_error()));
      return say_cannot_start(command[0], child.start_error());
    }
    serve_run(child, server);
    status = *child.exit_status();
    const bool told = say_unrecorded(server);
    if (!server.anyone_came() && !told && !engine.by_marks)
      say_nothing_preloaded(file, engine.name);
    else if (!server.anyone_came() && output && !output->new_traces().empty())
      say_out_of_reach(server, *output);
    else if (!server.anyone_came())
      say_nothing_recorded(server, file, elf);
    else if (server.traces().empty() && server.live().empty() &&
             !options.no_output)
      say("the run was recorded, but no process could make its trace; see the "
          "messages of the runtime");
    else
      say_traces(server, output ? &*output : nullptr);
    if (server.anyone_came() && output)
      say_out_of_reach(server, *output);
  }
  return pass_on(status);
}

namespace {

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {kAuto};
  for (const engines::Capabilities &engine : engines::kTable)
    names.emplace_back(engine.name);
  return names;
}

/// Returns what is wrong with the name, or an empty text.
std::string check_engine(const std::string &name) {
  if (name == kAuto || find_engine(name))
    return "";
  return fmt::format(
      "{} is no engine; {}", name,
      name == "mprotect"
          ? "fork sees the same on all kernels that it served"
          : fmt::format("take {}", fmt::join(engine_names(), ", ")));
}

std::string engine_help() {
  std::string out = "How to detect accesses. auto: by marks in instrumented "
                    "programs, and in others by the first engine that fits";
  for (const engines::Capabilities &engine : engines::kTable)
    out += fmt::format("; {}: {}", engine.name, engine.sees);
  return out + " (docs/using/engines.md). [auto]";
}

} // namespace

CommandRun set_up_record(CLI::App &app) {
  const auto options = std::make_shared<RecordOptions>();
  add_recording_options(
      app, *options,
      "File for the trace. Further processes of the run write FILE.<pid>. The "
      "traces of an earlier run with this FILE are replaced when the new run "
      "has made its own. [pagetide.PROGRAM.PID.ptrace]");
  app.add_option("--engine", options->engine, engine_help())
      ->type_name(fmt::format("{}", fmt::join(engine_names(), "|")))
      ->check(CLI::Validator(check_engine, ""));
  app.add_option(
         "--pid", options->pid,
         "Record a process that runs already, and those that it starts, "
         "from outside, until it ends, this command is interrupted, or "
         "--for is over. It is then as it was before.")
      ->type_name("PID");
  app.add_option("--for", options->duration,
                 "How long to record. [until the process ends]")
      ->type_name("DURATION")
      ->check(CLI::Validator(
          [](const std::string &text) {
            return parse_duration(text).value_or(0) != 0
                       ? std::string()
                       : text + ": is no duration; write a number and one of "
                                "the units ms, s, min, h, as in 10s";
          },
          ""));
  app.add_option(
         "--on-failure", options->on_failure,
         "What to do if recording a process cannot begin, or cannot go on. "
         "refuse: do not start the process, or let it run on; continue: let "
         "it run in both cases; stop: do not start it, or end it. Messages "
         "and traces say what is missing. [refuse]")
      ->type_name("refuse|continue|stop")
      ->check(CLI::IsMember({"refuse", "continue", "stop"}).description(""));
  app.add_flag("--kernel-writes", options->kernel_writes,
               "Ask the kernel too which pages are written, and end periods in "
               "cuts (--unstable cut). These then have pages that code without "
               "marks has written, and the trace names them (Linux 6.7).");
  app.add_flag("--no-aslr", options->no_aslr,
               "Give the command the same addresses in each run: without "
               "address space randomisation (ASLR). Its pages can then be "
               "compared with those of another run (pagetide diff).");
  app.add_flag("--no-output", options->no_output,
               "Record, but write no trace, to measure the cost of recording.")
      ->excludes(app.get_option("--output"));
  return [options](const std::vector<std::string> &command) {
    return run_record(*options, command);
  };
}

} // namespace

extern const Command kRecordCommand = {
    "record",
    "Run a command and record the pages its processes use",
    "[OPTIONS] -- CMD [ARG...]",
    "pagetide record -p 100ms -o run.ptrace -- ./prog input.txt",
    "Exits as CMD does. 125: record itself failed; 126: CMD cannot be "
    "executed; 127: CMD was not found.",
    set_up_record,
    "The runtime has more options, such as settle and mappings. Set them in "
    "PAGETIDE_OPTIONS, with a colon between two of them "
    "(docs/using/recording.md). PAGETIDE_OPTIONS=help=1 ./prog lists them all. "
    "An example:",
    "PAGETIDE_OPTIONS=settle=5ms:mappings=20ms pagetide record -- ./prog",
    /*kinds=*/nullptr,
    /*runs_another=*/true,
    kRecordFailed,
};

} // namespace pagetide::tools

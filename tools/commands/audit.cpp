//===- audit.cpp - pagetide audit -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"
#include "audit/audit_report.h"
#include "audit/comparison.h"
#include "audit/elf_image.h"
#include "commands/audit_exact.h"
#include "commands/command.h"
#include "record/control_server.h"
#include "record/kernel_probe.h"
#include "record/recording_run.h"
#include "record/runtime_options.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "support/option_text.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "support/text_wrap.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

namespace pagetide::tools {

namespace {

struct AuditOptions {
  std::string output;
  std::string period = "100ms";
  std::string from;
  std::string report;
  bool json = false;
  bool each = false;
  bool strict = false;
  bool exact = false;
  AuditStyle style;
};

/// A directory for traces that the user does not keep.
class ScratchDirectory {
public:
  ScratchDirectory() {
    const char *parent = std::getenv("TMPDIR");
    path_ = fmt::format("{}/pagetide-audit.XXXXXX",
                        parent && *parent ? parent : "/tmp");
    if (!::mkdtemp(path_.data()))
      throw Failure("{}: the directory for the traces cannot be made: {}; set "
                    "TMPDIR, or name a FILE with -o",
                    path_, std::strerror(errno));
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory &) = delete;
  std::string trace() const { return path_ + "/audit.ptrace"; }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

std::string describe_end(const ExitStatus &status) {
  if (status.signal != 0)
    return fmt::format("was killed by {}", signal_name(status.signal));
  return fmt::format("exited with status {}", status.code);
}

/// Throws Failure if the command has none.
std::string file_of(const std::vector<std::string> &command) {
  const std::string file = find_command(command[0]);
  if (file.empty())
    throw Failure(text_of_not_found(command[0]));
  if (::access(file.c_str(), X_OK) != 0)
    throw Failure("{}: cannot be executed: {}", command[0],
                  std::strerror(errno));
  return file;
}

/// Runs the command with its trace at `trace`. Returns how it ended.
ExitStatus run_command(const AuditOptions &options, const std::string &trace,
                       const std::vector<std::string> &command) {
  const std::string file = file_of(command);
  const std::string missing = probe_kernel_writes();
  if (!missing.empty())
    throw Failure(
        "{} was not run: this kernel cannot tell which pages are written: {}",
        command[0], missing);
  TraceOutput output(trace);
  const QuietPipes pipes;
  ControlServer server;
  server.set_output(&output);
  RuntimeOptions runtime(inherited_options());
  runtime.add("trace_path", std::filesystem::absolute(trace).string());
  runtime.add("run_id", run_id_text(new_run_id()));
  runtime.add("control", server.socket_path());
  runtime.add("period", duration_option(*parse_duration(options.period)));
  runtime.add("kernel_writes", "1");
  notify_outer_record();
  // Otherwise the loader would write the tables of functions at first calls.
  ::setenv("LD_BIND_NOW", "1", 1);
  const std::unique_ptr<PublishedOptions> published =
      publish_options(runtime.text());
  ChildProcess child(command, kOptionsVariable, runtime.text(), pipes);
  if (child.pid() < 0)
    throw Failure("{}: cannot be executed: {}", command[0],
                  std::strerror(child.start_error()));
  serve_run(child, server);
  say_unrecorded(server);
  if (!server.anyone_came())
    say_nothing_recorded(server, file, examine_elf(file));
  for (const ControlServer::Live &live : server.live())
    say("process {} of this run still records; the audit lacks its writes from "
        "now on",
        live.pid);
  return *child.exit_status();
}

/// The trace at `path`, and the other traces of its run.
std::vector<std::string> traces_of(const std::string &path) {
  std::vector<std::string> traces;
  const RunFiles files = files_of_run(path);
  say_left_out(path, files);
  for (const std::string &file : files.traces)
    if (kind_of_file(file) == FileKind::kTrace)
      traces.push_back(file);
  return traces;
}

/// What messages call a trace. Nobody knows the name of one that is not kept.
std::string name_of_trace(const AuditOptions &options,
                          const std::string &path) {
  return options.output.empty() && options.from.empty() ? "this run"
                                                        : printable(path);
}

/// Why the trace has no periods with the kernel's account.
std::string why_not_auditable(const Audit &audit, const std::string &name) {
  if (!audit.lost.empty())
    return fmt::format("{}: cannot be audited: {}", name,
                       printable(audit.lost.front().text));
  const bool by_audit = audit.process && option_in(audit.process->options,
                                                   "kernel_writes") == "1";
  if (by_audit)
    return fmt::format("{}: process {} ended before its first period ended, so "
                       "there is nothing to compare; use a shorter period (-p)",
                       name, audit.header.pid);
  return fmt::format("{}: lacks the kernel's account of written pages, so it "
                     "cannot be audited; record it with: pagetide audit -o "
                     "FILE -- CMD",
                     name);
}

std::string title_of(const Audit &audit) {
  return fmt::format(
      "Audit of process {}: {}", audit.header.pid,
      audit.process
          ? shortened(format_command(audit.process->arguments), 4 * kTextWidth)
          : std::string("unknown"));
}

int report(const AuditOptions &options, const std::string &path) {
  const std::vector<std::string> traces = traces_of(path);
  if (traces.empty() && kind_of_file(path) == FileKind::kAbsent)
    throw Failure("{}: there is no trace to audit",
                  name_of_trace(options, path));
  if (traces.empty())
    throw Failure("{}: is not a Pagetide trace; make one with: pagetide audit "
                  "-o FILE -- CMD",
                  path);
  std::optional<Audit> sum;
  std::size_t processes = 0;
  int status = kStatusDone;
  TextOutput out =
      options.report.empty() ? TextOutput() : TextOutput(options.report);
  if (options.json)
    out.write("{\"pagetide_audit\":1,\n\"processes\":[");
  for (const std::string &trace : traces) {
    Audit audit;
    try {
      audit = audit_trace(TraceReader::open(trace), read_module);
    } catch (const Failure &failure) {
      say("{}", failure.what());
      status = kStatusFailed;
      continue;
    }
    if (!audit.has_kernel_writes) {
      say("{}", why_not_auditable(audit, name_of_trace(options, trace)));
      status = kStatusFailed;
      continue;
    }
    if (audit.completeness.integrity() == Integrity::kDamaged) {
      say("{}: {}", name_of_trace(options, trace),
          audit.completeness.sentence());
      status = kStatusFailed;
    }
    if (options.json) {
      out.write(processes == 0 ? "\n" : ",\n");
      out.write(audit_json(audit));
    } else if (options.each || traces.size() == 1) {
      out.write(audit_text(audit, title_of(audit), options.style));
      if (traces.size() > 1)
        out.write("\n");
    }
    ++processes;
    if (sum)
      add_audit(*sum, audit);
    else
      sum = std::move(audit);
  }
  if (sum && !options.json && traces.size() > 1) {
    out.write(audit_text(
        *sum, fmt::format("Audit of {} processes, summed up", processes),
        options.style));
    if (!options.each)
      out.write("(--each shows every process)\n");
  }
  if (options.json) {
    out.write("\n]");
    if (sum) {
      sum->path = path;
      out.write(",\n\"sum\":" + audit_json(*sum));
    }
    out.write("}\n");
  }
  out.close();
  if (!sum || sum->compared == 0) {
    say("nothing could be compared");
    return kStatusFailed;
  }
  if (status != kStatusDone)
    return status;
  const bool covered =
      options.strict ? sum->uncovered() == 0 : sum->program_is_covered();
  return covered && sum->unseen.empty() ? kStatusDone : kStatusNegative;
}

void say_failed(const std::vector<std::string> &command,
                const ExitStatus &end) {
  if (end.signal != 0 || end.code != 0)
    say("{} {}", command[0], describe_end(end));
}

int run_exact_audit(const AuditOptions &options,
                    const std::vector<std::string> &command) {
  const ScratchDirectory scratch;
  ExactAuditOptions exact;
  exact.directory = scratch.path();
  exact.period_ns = *parse_duration(options.period);
  exact.report = options.report;
  exact.json = options.json;
  exact.places = options.style.pages;
  say_failed(command, run_exactly(exact, file_of(command), command));
  return report_exactly(exact, command);
}

int run_audit(const AuditOptions &options,
              const std::vector<std::string> &command) {
  if (!options.from.empty()) {
    if (!command.empty())
      throw Failure("audit: give either a command to run or a trace to read "
                    "(--from), not both");
    return report(options, options.from);
  }
  if (command.empty())
    throw Failure("no command to audit; write it after --, as in: pagetide "
                  "audit -- ./prog");
  if (options.exact)
    return run_exact_audit(options, command);
  std::optional<ScratchDirectory> scratch;
  if (options.output.empty())
    scratch.emplace();
  const std::string trace = scratch ? scratch->trace() : options.output;
  say_failed(command, run_command(options, trace, command));
  return report(options, trace);
}

CommandRun set_up_audit(CLI::App &app) {
  const auto options = std::make_shared<AuditOptions>();
  app.add_option("-p,--period", options->period,
                 "Length of a period: 1ms to 1000h, or 0 if the program ends "
                 "its periods itself. [100ms]")
      ->type_name("DURATION")
      ->check(CLI::Validator(check_period, ""));
  app.add_option("-o,--output", options->output,
                 "Keep the trace in FILE (further processes: FILE.<pid>). "
                 "Traces of an earlier run with this FILE are replaced.")
      ->type_name("FILE")
      ->check(CLI::Validator(check_output, ""));
  app.add_option("--from", options->from,
                 "Run no command; read a trace that an earlier -o has kept.")
      ->type_name("FILE");
  app.add_option("-r,--report", options->report,
                 "Write the report to FILE. Standard output is shared with the "
                 "command. [standard output]")
      ->type_name("FILE");
  app.add_flag("--json", options->json,
               "One JSON document, described in docs/reference/cli-output.md.");
  app.add_flag("--each", options->each,
               "If there are several processes, show each process, not only "
               "the sum.");
  app.add_flag("--strict", options->strict,
               "Exit with status 1 for any uncovered page, also in stacks and "
               "in the C library's own data.");
  add_number(app, "--top", "N",
             "At most N fully covered mappings in the table. [10]",
             [options](std::uint64_t top) { options->style.top = top; });
  add_number(app, "--pages", "N",
             "At most N ranges of uncovered pages per mapping. [4]",
             [options](std::uint64_t pages) { options->style.pages = pages; });
  CLI::Option *const exact = app.add_flag(
      "--exact", options->exact,
      "Compare with every access instead, reads too, of the same run in QEMU "
      "(package qemu-user; 100 to 200 times slower; any kernel).");
  for (const char *other :
       {"--output", "--from", "--each", "--strict", "--top"})
    exact->excludes(app.get_option(other));
  return [options](const std::vector<std::string> &command) {
    return run_audit(*options, command);
  };
}

} // namespace

extern const Command kAuditCommand = {
    "audit",
    "Run a command and list the pages that were written without a mark",
    "[OPTIONS] -- CMD [ARG...]",
    "pagetide audit -- ./prog input.txt",
    "Exit status 0: every written page of the program's memory is covered; 1: "
    "some are not, or could not be watched; 2: nothing could be audited.",
    set_up_audit,
    /*note=*/nullptr,
    /*note_example=*/nullptr,
    /*kinds=*/nullptr,
    /*runs_another=*/true,
};

} // namespace pagetide::tools

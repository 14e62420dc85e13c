//===- record_outside.cpp - pagetide record from outside the program ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/record_ways.h"
#include "control/target_process.h"
#include "engines/emulate/emulated_run.h"
#include "engines/outside_run.h"
#include "engines/process_facts.h"
#include "record/auto_engine.h"
#include "record/child_process.h"
#include "record/engine_choice.h"
#include "record/kernel_probe.h"
#include "support/failure.h"
#include "support/find_engine.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <cerrno>

namespace pagetide::tools {

namespace {

std::uint64_t period_ns(const RecordOptions &options) {
  return options.period.empty()
             ? static_cast<std::uint64_t>(Asked::kDefaultPeriod.count())
             : *parse_duration(options.period);
}

OutsideRun outside_run(const RecordOptions &options,
                       const engines::Capabilities &engine,
                       TraceOutput *output) {
  OutsideRun run;
  run.watch.engine = engine.kind;
  run.watch.period_ns = period_ns(options);
  if (!options.duration.empty())
    run.watch.for_ns = *parse_duration(options.duration);
  run.watch.options =
      fmt::format("period={}", duration_option(run.watch.period_ns));
  run.watch.output = output;
  return run;
}

} // namespace

int record_process(const RecordOptions &options) {
  const pid_t pid = pid_of(options.pid);
  if (const std::string why = why_not_to_attach(pid); !why.empty())
    throw Failure(why);
  const engines::Capabilities &engine = options.engine == kAuto
                                            ? engines::of(engine_to_attach())
                                            : *find_engine(options.engine);
  if (engine.kind != engines::Kind::kSoftDirty &&
      engine.kind != engines::Kind::kUffd)
    throw Failure("--engine {} is in the program from its start on, so it "
                  "cannot record process {}; leave out --engine",
                  engine.name, pid);
  if (options.no_aslr)
    throw Failure(
        "--no-aslr belongs to a command that record starts; leave it out");
  // As a static program: nothing is in it.
  require_asked(engine, Build::kStatic, asked_of(options));
  std::optional<TraceOutput> output = trace_output(options, program_of(pid));
  OutsideRun run = outside_run(options, engine, output ? &*output : nullptr);
  run.pid = pid;
  return run_outside(run).recorded ? 0 : kRecordFailed;
}

int record_from_outside(const RecordOptions &options,
                        const engines::Capabilities &engine,
                        const std::vector<std::string> &command,
                        const std::string &file, const ProgramFile &program) {
  check_without_marks(engine, file, program.build);
  const bool by_bits = engine.kind == engines::Kind::kSoftDirty;
  if (const std::string missing = why_lacking(engine.needs); !missing.empty())
    throw Failure("engine {} cannot work on this kernel, so {} was not run: "
                  "{}; take --engine {}",
                  engine.name, file, missing,
                  by_bits ? "uffd or fork" : "soft-dirty");
  std::optional<TraceOutput> output = trace_output(options, command[0]);
  OutsideRun run = outside_run(options, engine, output ? &*output : nullptr);
  run.command = command;
  std::optional<FixedAddresses> fixed_addresses;
  if (options.no_aslr)
    fixed_addresses.emplace();
  const OutsideResult result = run_outside(run);
  if (result.start_error != 0 && result.start_error != ECANCELED)
    return say_cannot_start(command[0], result.start_error);
  return result.recorded ? pass_on(result.status) : kRecordFailed;
}

int record_emulated(const RecordOptions &options, const std::string &file,
                    const std::vector<std::string> &command) {
  check_emulation(file);
  std::optional<TraceOutput> output = trace_output(options, command[0]);
  EmulatedRunOptions run;
  run.period_ns = period_ns(options);
  run.per_thread = options.per_thread;
  run.no_aslr = options.no_aslr;
  run.output = output ? &*output : nullptr;
  const QuietPipes pipes;
  return pass_on(run_emulated(run, file, command, pipes));
}

} // namespace pagetide::tools

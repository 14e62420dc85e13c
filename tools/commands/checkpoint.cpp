//===- checkpoint.cpp - pagetide checkpoint -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/checkpoint_text.h"
#include "checkpoint/stream_files.h"
#include "commands/command.h"
#include "format/error.h"
#include "store/chain.h"
#include "store/upkeep.h"
#include "support/failure.h"
#include "support/progress.h"
#include "support/replaced_file.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "support/unique_fd.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

namespace {

using checkpoint::Chain;
using checkpoint::Folder;

struct CheckpointOptions {
  std::string operation;
  std::string folder;
  std::uint64_t number = 0; ///< 0: not given
  std::uint64_t keep = 0;   ///< 0: not given
  std::optional<std::uint64_t> region;
  std::string input = "-";
  std::string output;
  bool json = false;
};

void print_text(const std::string &text) {
  TextOutput out;
  out.write(text);
  out.close();
}

std::uint64_t chosen(const CheckpointOptions &options, const Folder &folder) {
  return options.number != 0 ? options.number : folder.newest();
}

/// Says in one sentence what verify has found.
void say_verdict(const std::vector<CheckpointFacts> &all) {
  const auto damaged = std::ranges::count_if(
      all, [](const CheckpointFacts &facts) { return !facts.problem.empty(); });
  if (all.empty())
    say("nothing was verified; name the folder in which a program saves its "
        "checkpoints");
  else if (damaged != 0)
    say("{} of {} checkpoint{} cannot be restored; the list says why", damaged,
        all.size(), plural(all.size()));
  else if (all.size() == 1)
    say("the checkpoint is whole: all of it was read");
  else
    say("all {} checkpoints are whole: all of them was read", all.size());
}

int list_checkpoints(const CheckpointOptions &options, const Folder &folder,
                     bool verify) {
  std::vector<CheckpointFacts> all;
  if (options.number != 0)
    all.push_back(checkpoint_facts(folder, options.number, verify));
  else
    all = checkpoint_facts(folder, verify);
  print_text(options.json ? checkpoint_list_json(options.folder, all)
                          : checkpoint_list_text(options.folder, all));
  const bool whole =
      std::all_of(all.begin(), all.end(), [](const CheckpointFacts &facts) {
        return facts.problem.empty();
      });
  if (verify && !options.json)
    say_verdict(all);
  const bool has_any = !verify || !all.empty();
  return whole && has_any ? kStatusDone : kStatusNegative;
}

int show_checkpoint(const CheckpointOptions &options, const Folder &folder) {
  const std::uint64_t number = chosen(options, folder);
  const CheckpointFacts facts = checkpoint_facts(folder, number, false);
  const std::vector<RegionFacts> regions =
      region_facts(folder.manifest(number));
  print_text(options.json ? checkpoint_json(options.folder, facts, regions)
                          : checkpoint_text(facts, regions));
  return facts.problem.empty() ? kStatusDone : kStatusNegative;
}

int compact_folder(const CheckpointOptions &options, const Folder &folder) {
  Progress progress;
  const checkpoint::Compaction done = checkpoint::compact(
      folder, options.keep != 0 ? options.keep : 1, std::nullopt,
      [&progress, &options](std::uint64_t at, std::uint64_t total) {
        progress.at(options.folder, at, total);
      });
  progress.clear();
  say("checkpoint {} is a base, made of {} checkpoint{}; {} older one{} "
      "removed; {} before, {} now",
      done.number, done.merged, plural(done.merged), done.removed,
      done.removed == 1 ? " was" : "s were", format_bytes(done.bytes_before),
      format_bytes(done.bytes_after));
  return kStatusDone;
}

void write_at(int fd, const std::string &path, std::uint64_t offset,
              std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      throw Failure("checkpoint: {}: cannot be written: {}", printable(path),
                    std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

int extract_region(const CheckpointOptions &options, const Folder &folder) {
  const std::uint64_t number = chosen(options, folder);
  const Chain chain = Chain::load(folder, number);
  const auto index = chain.newest().region_index(*options.region);
  if (!index)
    throw Failure("checkpoint: {}: checkpoint {} has no region {}; see: "
                  "pagetide checkpoint show",
                  printable(options.folder), number, *options.region);
  ReplacedFile file(options.output);
  const UniqueFd fd(::open(file.path().c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd)
    throw Failure("checkpoint: {}: cannot be opened: {}",
                  printable(options.output), std::strerror(errno));
  checkpoint::BlockDecoder decoder;
  Progress progress;
  const std::uint64_t total = chain.newest().regions[*index].bytes;
  std::uint64_t done = 0;
  chain.read(decoder, [&](const checkpoint::Piece &piece,
                          std::span<const std::uint8_t> bytes) {
    if (piece.region != *index)
      return;
    write_at(fd.get(), options.output, piece.offset, bytes);
    done += bytes.size();
    progress.at(options.output, done, total);
  });
  file.put_in_place();
  return kStatusDone;
}

StreamFacts stream_to(const std::string &output, const Folder &folder,
                      std::uint64_t number) {
  if (output.empty() || output == "-")
    return write_stream(folder, number, "-");
  ReplacedFile file(output);
  const StreamFacts facts = write_stream(folder, number, file.path());
  file.put_in_place();
  return facts;
}

int stream_checkpoint(const CheckpointOptions &options, const Folder &folder) {
  const std::uint64_t number = chosen(options, folder);
  const StreamFacts facts = stream_to(options.output, folder, number);
  say("checkpoint {} was streamed: regions of {} in {}", number,
      format_bytes(facts.bytes), format_bytes(facts.stream_bytes));
  return kStatusDone;
}

int apply_stream(const CheckpointOptions &options) {
  const checkpoint::AppliedStream applied =
      read_stream(options.input, options.folder);
  print_text(options.json ? applied_json(options.folder, applied)
                          : applied_text(options.folder, applied));
  return kStatusDone;
}

void check_words(const CLI::App &app, const CheckpointOptions &options) {
  check_operation(app, "list verify show compact extract stream apply",
                  options.operation,
                  {{"--checkpoint", "verify show extract stream"},
                   {"--keep", "compact"},
                   {"--region", "extract"},
                   {"--output", "extract stream"},
                   {"--input", "apply"},
                   {"--json", "list verify show apply"}});
  if (options.operation == "extract" &&
      (!options.region || options.output.empty()))
    throw Failure("checkpoint: extract: needs --region and --output, as in: "
                  "pagetide checkpoint extract --region 1 -o region FOLDER");
}

int run_checkpoint(const CLI::App &app, const CheckpointOptions &options) {
  check_words(app, options);
  const Folder folder(options.folder);
  try {
    if (options.operation == "list" || options.operation == "verify")
      return list_checkpoints(options, folder, options.operation == "verify");
    if (options.operation == "show")
      return show_checkpoint(options, folder);
    if (options.operation == "compact")
      return compact_folder(options, folder);
    if (options.operation == "stream")
      return stream_checkpoint(options, folder);
    if (options.operation == "apply")
      return apply_stream(options);
    return extract_region(options, folder);
  } catch (const checkpoint::Error &error) {
    throw Failure("checkpoint: {}", printable(error.what()));
  }
}

/// A number from 1 on.
void add_positive(CLI::App &app, const char *name, const char *help,
                  std::uint64_t &value) {
  add_number(app, name, "N", help, [name, &value](std::uint64_t number) {
    if (number == 0)
      throw Failure("{}: 0: is not 1 or more", name);
    value = number;
  });
}

CommandRun set_up_checkpoint(CLI::App &app) {
  const auto options = std::make_shared<CheckpointOptions>();
  app.add_option(
         "OPERATION", options->operation,
         "list: the checkpoints of the folder. verify: read all that each one "
         "needs, and check every byte. show: one checkpoint and its regions. "
         "compact: make a base of one checkpoint and those that it needs, and "
         "remove all older ones; the program may run on. extract: write a "
         "region's content to a file. stream: write one checkpoint as a "
         "stream. apply: make a checkpoint of a stream, which a program or "
         "`stream` writes.")
      ->type_name("list|verify|show|compact|extract|stream|apply")
      ->required();
  app.add_option("FOLDER", options->folder,
                 "The folder in which a program saves its checkpoints.")
      ->required();
  add_positive(app, "--checkpoint",
               "With verify, show, extract and stream: this checkpoint. "
               "[verify: all; "
               "otherwise the newest]",
               options->number);
  add_positive(app, "--keep",
               "With compact: how many checkpoints stay. The oldest of them "
               "becomes a base. [1]",
               options->keep);
  add_number(
      app, "--region", "ID", "With extract: the region, by the program's id.",
      [options = options.get()](std::uint64_t id) { options->region = id; });
  app.add_option("-o,--output", options->output,
                 "With extract and stream: the file to write. With stream, - "
                 "is standard output. [stream: -]")
      ->type_name("FILE");
  app.add_option("-i,--input", options->input,
                 "With apply: the stream to read; - is standard input. [-]")
      ->type_name("FILE");
  app.add_flag("--json", options->json,
               "With list, verify, show and apply: one JSON object, described "
               "in docs/reference/cli-output.md.");
  return [options, &app](const std::vector<std::string> &) {
    return run_checkpoint(app, *options);
  };
}

} // namespace

extern const Command kCheckpointCommand = {
    "checkpoint",
    "List, verify, merge and stream checkpoints that a program saved",
    "[OPTIONS] OPERATION FOLDER",
    "pagetide checkpoint verify saved",
    "Exit status 0: done; 1: a checkpoint cannot be restored, or verify found "
    "none, and the text says why; 2: the operation failed.",
    set_up_checkpoint,
};

} // namespace pagetide::tools

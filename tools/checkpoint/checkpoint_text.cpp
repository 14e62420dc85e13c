//===- checkpoint_text.cpp - Checkpoints for people and for programs ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/checkpoint_text.h"

#include "format/error.h"
#include "store/block_codec.h"
#include "store/chain.h"
#include "store/upkeep.h"
#include "support/json.h"
#include "support/progress.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <span>

namespace pagetide::tools {

using checkpoint::Chain;
using checkpoint::Error;
using checkpoint::Folder;
using checkpoint::Manifest;
using checkpoint::Problem;

namespace {

void fill_in(const Manifest &manifest, std::uint64_t manifest_bytes,
             CheckpointFacts &facts) {
  facts.parent = manifest.parent;
  facts.time_ns = manifest.time_ns;
  facts.program = manifest.program;
  facts.flags = manifest.flags;
  facts.granule = manifest.granule;
  facts.regions = manifest.regions.size();
  facts.bytes = manifest.region_bytes();
  facts.changed_bytes = manifest.raw_bytes();
  facts.file_bytes = manifest.data_bytes() + manifest_bytes;
}

/// Reads all that the checkpoint needs.
void verify_content(const Folder &folder, std::uint64_t number) {
  const Chain chain = Chain::load(folder, number);
  checkpoint::BlockDecoder decoder;
  Progress progress;
  const std::uint64_t total = chain.newest().region_bytes();
  std::uint64_t done = 0;
  chain.read(decoder, [&](const checkpoint::Piece &piece,
                          std::span<const std::uint8_t>) {
    done += piece.bytes;
    progress.at("checkpoint " + std::to_string(number), done, total);
  });
}

} // namespace

CheckpointFacts checkpoint_facts(const Folder &folder, std::uint64_t number,
                                 bool verify) {
  CheckpointFacts facts;
  facts.number = number;
  try {
    const Manifest manifest = folder.manifest(number);
    fill_in(manifest, checkpoint::encode(manifest).size(), facts);
    facts.chain = checkpoint::chain_length(folder, number);
    if (verify || facts.chain == 0)
      verify_content(folder, number);
  } catch (const Error &error) {
    if (error.problem() == Problem::kNone)
      throw;
    facts.problem = error.what();
  }
  return facts;
}

std::vector<CheckpointFacts> checkpoint_facts(const Folder &folder,
                                              bool verify) {
  std::vector<CheckpointFacts> all;
  for (const std::uint64_t number : folder.numbers()) {
    try {
      all.push_back(checkpoint_facts(folder, number, verify));
    } catch (const Error &error) {
      // Removed since we read the list.
      if (error.problem() != Problem::kNone)
        throw;
    }
  }
  return all;
}

std::vector<RegionFacts> region_facts(const Manifest &manifest) {
  std::vector<RegionFacts> all;
  for (const checkpoint::Region &region : manifest.regions)
    all.push_back({region.id, region.bytes, 0, 0});
  for (const checkpoint::Extent &extent : manifest.extents) {
    all[extent.region].changed_bytes += extent.bytes;
    ++all[extent.region].runs;
  }
  return all;
}

namespace {

std::string kind_of(const CheckpointFacts &facts) {
  std::string kind = facts.parent == 0
                         ? std::string("base")
                         : fmt::format("increment to {}", facts.parent);
  if (facts.flags & checkpoint::kCompacted)
    kind += ", compacted";
  if (facts.flags & checkpoint::kUntracked)
    kind += ", untracked";
  if (facts.flags & checkpoint::kStreamed)
    kind += ", streamed";
  return kind;
}

std::string size_text(std::uint64_t bytes) { return format_bytes(bytes); }

Json json_of(const CheckpointFacts &facts) {
  return {{"number", facts.number},
          {"problem", facts.problem},
          {"parent", facts.parent},
          {"chain", facts.chain},
          {"time_ns", facts.time_ns},
          {"program", facts.program},
          {"compacted", (facts.flags & checkpoint::kCompacted) != 0},
          {"untracked", (facts.flags & checkpoint::kUntracked) != 0},
          {"streamed", (facts.flags & checkpoint::kStreamed) != 0},
          {"granule", facts.granule},
          {"regions", facts.regions},
          {"bytes", facts.bytes},
          {"changed_bytes", facts.changed_bytes},
          {"file_bytes", facts.file_bytes}};
}

/// What ended the rounds of a stream: for programs, and for people.
struct WhyLast {
  const char *name;
  const char *meaning;
};
WhyLast why_last(std::uint64_t why) {
  switch (static_cast<checkpoint::RoundsEnd>(why)) {
  case checkpoint::RoundsEnd::kNone:
    return {"one-round", "one round was enough"};
  case checkpoint::RoundsEnd::kSmall:
    return {"small", "little had changed before the last"};
  case checkpoint::RoundsEnd::kNotShrinking:
    return {"not-shrinking", "they no longer became smaller"};
  case checkpoint::RoundsEnd::kMaxRounds:
    return {"most-rounds", "as many as the sender allows"};
  case checkpoint::RoundsEnd::kTime:
    return {"time", "the sender's time was over"};
  }
  return {"unknown", "why there was no other is not known"};
}

} // namespace

std::string checkpoint_list_text(const std::string &folder,
                                 const std::vector<CheckpointFacts> &all) {
  if (all.empty())
    return fmt::format("{}: has no checkpoint\n", printable(folder));
  constexpr const char *kRow = "{:>10}  {:<23}  {:>10}  {:>10}  {:>10}  {:>5}  "
                               "{}\n";
  std::string out = fmt::format(fmt::runtime(kRow), "checkpoint", "made",
                                "regions", "changed", "files", "chain", "what");
  std::string problems;
  for (const CheckpointFacts &facts : all) {
    if (!facts.problem.empty()) {
      problems += fmt::format("checkpoint {} cannot be restored: {}\n",
                              facts.number, printable(facts.problem));
      out += fmt::format("{:>10}  {}\n", facts.number,
                         "cannot be restored; see below");
      continue;
    }
    out += fmt::format(
        fmt::runtime(kRow), facts.number, format_realtime(facts.time_ns),
        size_text(facts.bytes), size_text(facts.changed_bytes),
        size_text(facts.file_bytes), facts.chain, kind_of(facts));
  }
  return out + problems;
}

std::string checkpoint_text(const CheckpointFacts &facts,
                            const std::vector<RegionFacts> &regions) {
  std::string out =
      fmt::format("checkpoint {}: {}\n", facts.number, kind_of(facts));
  out += fmt::format("program   {}\n", printable(facts.program));
  out += fmt::format("made      {}\n", format_realtime(facts.time_ns));
  out += fmt::format("regions   {}, {} bytes\n", facts.regions,
                     format_count(facts.bytes));
  out += fmt::format("changed   {} bytes, known by {} bytes\n",
                     format_count(facts.changed_bytes),
                     format_count(facts.granule));
  out += fmt::format("files     {} bytes; a restore reads {} checkpoint{}\n",
                     format_count(facts.file_bytes), facts.chain,
                     plural(facts.chain));
  if (!facts.problem.empty())
    out += fmt::format("cannot be restored: {}\n", printable(facts.problem));
  out += fmt::format("\n{:>20}  {:>20}  {:>20}  {:>10}\n", "region", "bytes",
                     "changed", "runs");
  for (const RegionFacts &region : regions)
    out += fmt::format("{:>20}  {:>20}  {:>20}  {:>10}\n", region.id,
                       format_count(region.bytes),
                       format_count(region.changed_bytes),
                       format_count(region.runs));
  return out;
}

std::string checkpoint_list_json(const std::string &folder,
                                 const std::vector<CheckpointFacts> &all) {
  Json list = Json::array();
  for (const CheckpointFacts &facts : all)
    list.push_back(json_of(facts));
  return dumped({{"pagetide_checkpoints", 1},
                 {"folder", folder},
                 {"checkpoints", list}}) +
         "\n";
}

std::string checkpoint_json(const std::string &folder,
                            const CheckpointFacts &facts,
                            const std::vector<RegionFacts> &regions) {
  Json list = Json::array();
  for (const RegionFacts &region : regions)
    list.push_back({{"id", region.id},
                    {"bytes", region.bytes},
                    {"changed_bytes", region.changed_bytes},
                    {"runs", region.runs}});
  Json one = {{"pagetide_checkpoint", 1}, {"folder", folder}};
  one.update(json_of(facts));
  one["regions"] = list;
  return dumped(one) + "\n";
}

std::string applied_text(const std::string &folder,
                         const checkpoint::AppliedStream &applied) {
  std::string out = fmt::format("checkpoint {} of {} is what was streamed\n",
                                applied.number, printable(folder));
  out += fmt::format("program   {}\n", printable(applied.program));
  out += fmt::format("regions   {}, {} bytes\n", applied.regions,
                     format_count(applied.bytes));
  out +=
      fmt::format("stream    {} bytes\n", format_count(applied.stream_bytes));
  out += fmt::format("pause     {}\n", format_duration(applied.end.pause_ns));
  out += fmt::format("rounds    {}: {}\n", applied.rounds.size(),
                     why_last(applied.end.why).meaning);
  out += fmt::format("\n{:>10}  {:>20}  {:>20}\n", "round", "bytes",
                     "in the stream");
  std::size_t number = 0;
  for (const checkpoint::AppliedStream::Round &round : applied.rounds)
    out += fmt::format("{:>10}  {:>20}  {:>20}\n", ++number,
                       format_count(round.bytes),
                       format_count(round.stream_bytes));
  return out;
}

std::string applied_json(const std::string &folder,
                         const checkpoint::AppliedStream &applied) {
  Json rounds = Json::array();
  for (const checkpoint::AppliedStream::Round &round : applied.rounds)
    rounds.push_back(
        {{"bytes", round.bytes}, {"stream_bytes", round.stream_bytes}});
  return dumped({{"pagetide_checkpoint_applied", 1},
                 {"folder", folder},
                 {"number", applied.number},
                 {"program", applied.program},
                 {"regions", applied.regions},
                 {"bytes", applied.bytes},
                 {"stream_bytes", applied.stream_bytes},
                 {"pause_ns", applied.end.pause_ns},
                 {"why_last", why_last(applied.end.why).name},
                 {"rounds", rounds}}) +
         "\n";
}

} // namespace pagetide::tools

//===- make_seeds.cpp - Writes first inputs for the fuzzers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   make_seeds DIRECTORY: makes DIRECTORY/reader, and so on for each fuzzer
//
//===----------------------------------------------------------------------===//

#include "checkpoint/sample_folder.h"
#include "checkpoint/sample_stream.h"
#include "sample_traces.h"
#include "support/failure.h"
#include "support/unique_fd.h"
#include "trace/trace_reader.h"

#include "pagetide/abi.h"

#include <elf.h>
#include <fcntl.h>

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>

using namespace pagetide::tools;
namespace checkpoint = pagetide::checkpoint;
namespace trace = pagetide::trace;

namespace {

void write_file(const std::string &path, const Bytes &bytes) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd)
    throw Failure("{}: cannot be made", path);
  FdSink(fd.get(), path).write(bytes);
}

/// The sample as fuzz_traces.h takes it in its odd form; empty where its
/// header cannot be read. With damage: between all frames.
Bytes payloads_of(const Bytes &sample, bool with_damage = false) {
  Bytes seed;
  try {
    TraceReader reader(std::make_unique<MemorySource>(sample), "sample");
    const trace::FileHeader &header = reader.header();
    seed = {1, static_cast<std::uint8_t>(header.layout),
            static_cast<std::uint8_t>(header.cell_shift - 6),
            static_cast<std::uint8_t>(
                (header.flags & 3) |
                static_cast<unsigned>(header.checksum_mode) << 2 |
                (header.flags & trace::kHeaderSites ? 64 : 0) |
                (header.flags & trace::kHeaderRelativeHashes ? 128 : 0))};
    Frame frame;
    while (reader.next(frame)) {
      Bytes payload;
      switch (frame.type) {
      case trace::FrameType::kRunId:
        payload = encode(frame.run_id);
        break;
      case trace::FrameType::kProcess:
        payload = encode(frame.process);
        break;
      case trace::FrameType::kMappings:
        payload = encode(frame.mappings);
        break;
      case trace::FrameType::kThreads:
        payload = encode(frame.threads);
        break;
      case trace::FrameType::kPeriod:
        payload = encode(frame.period);
        break;
      case trace::FrameType::kNote:
        payload = encode(frame.note);
        break;
      case trace::FrameType::kEnd:
        payload = encode(frame.end);
        break;
      case trace::FrameType::kKernelWrites:
        payload = encode(frame.kernel_writes);
        break;
      case trace::FrameType::kCut:
        payload = encode(frame.cut);
        break;
      case trace::FrameType::kRegions:
        payload = encode(frame.regions);
        break;
      case trace::FrameType::kSiteTable:
        payload = encode(frame.site_table);
        break;
      case trace::FrameType::kPeriodSites:
        payload = encode(frame.period_sites);
        break;
      }
      if (payload.size() > 1000)
        continue;
      if (with_damage) // a few bytes that are no frame
        seed.insert(seed.end(), {0, 3, 0, 'b', 'a', 'd'});
      seed.push_back(static_cast<std::uint8_t>(frame.type));
      seed.push_back(static_cast<std::uint8_t>(payload.size()));
      seed.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
      seed.insert(seed.end(), payload.begin(), payload.end());
    }
  } catch (const Failure &) {
    seed.clear();
  }
  return seed;
}

/// An ELF file of a header, one segment of notes and our note in it.
Bytes elf_with_note() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr segments[2] = {};
  segments[0].p_type = PT_INTERP;
  segments[1].p_type = PT_NOTE;
  segments[1].p_offset = sizeof(header) + sizeof(segments);
  segments[1].p_filesz = sizeof(pagetide::abi::ModuleNote);
  pagetide::abi::ModuleNote note = {};
  note.name_bytes = sizeof(pagetide::abi::kNoteName);
  note.info_bytes = sizeof(note.info);
  note.type = pagetide::abi::kNoteType;
  std::memcpy(note.name, pagetide::abi::kNoteName,
              sizeof(pagetide::abi::kNoteName));
  note.info = {pagetide::abi::kVersion, 0, 12, 12, 0};
  Bytes file;
  const auto add = [&](const void *data, std::size_t bytes) {
    const auto *begin = static_cast<const std::uint8_t *>(data);
    file.insert(file.end(), begin, begin + bytes);
  };
  add(&header, sizeof(header));
  add(segments, sizeof(segments));
  add(&note, sizeof(note));
  return file;
}

void write_small_seeds(const std::string &directory) {
  for (const char *name : {"commands", "control", "elf", "options"})
    std::filesystem::create_directories(directory + "/" + name);
  write_file(directory + "/elf/note", elf_with_note());
  // A greeting with shadow and trace, and one with the shadow alone.
  write_file(directory + "/control/both",
             {7, 7, 0, 3, 0, 0, 0, 'a', '/', 'b', 3, 4, 0, 0, 0, 0, 0});
  write_file(directory + "/control/again",
             {7, 5, 0, 1, 0, 0, 0, 'a', 23, 5, 0, 1, 0, 0, 0, 'b', 0, 0, 0});
  const auto options = [&](const char *name, char kind, std::string text) {
    text.insert(0, 1, kind);
    write_file(directory + "/options/" + name, Bytes(text.begin(), text.end()));
  };
  options("all", 0,
          "trace_path='a:b':control=c,period=500ms:per_thread=1 "
          "checksum=written\nunstable=stop:settle=1.5us:settle_wait=2min:"
          "mappings=1h:staging_mib=64:idle_after=4:compression=19:on_failure="
          "continue:"
          "log_path=\"x y\":verbosity=1:help=0");
  options("unknown", 0, "perod=1s");
  options("path", 1, "/tmp/a 'b':c");
  options("duration", 2, "1.25ms");
  options("targets", 3,
          "pagetide targets 1\nbzip2\t/traces/b\tperiod=1s\nredis\t/r\t\n");
}

/// Two checkpoints as fuzz_checkpoint.cpp takes them.
void write_checkpoints(const std::string &directory, int compression) {
  std::filesystem::create_directories(directory + "/checkpoint");
  checkpoint::SampleFolder sample(compression);
  sample.make_chain();
  const checkpoint::Folder folder = sample.folder();
  const auto add = [](Bytes &seed, const Bytes &file) {
    seed.push_back(static_cast<std::uint8_t>(file.size()));
    seed.push_back(static_cast<std::uint8_t>(file.size() >> 8));
    seed.insert(seed.end(), file.begin(), file.end());
  };
  for (const std::uint8_t which : {0, 7}) {
    Bytes seed = {which};
    for (const std::uint64_t number : {1, 2}) {
      add(seed, checkpoint::read_file(folder.manifest_path(number), 65535));
      add(seed, checkpoint::read_file(folder.data_path(number, 0), 65535));
    }
    write_file(fmt::format("{}/checkpoint/{}-{}", directory,
                           checkpoint::compression_name(compression), which),
               seed);
  }
}

/// A stream in both forms that fuzz_stream.cpp takes.
void write_streams(const std::string &directory, int compression) {
  std::filesystem::create_directories(directory + "/stream");
  const Bytes stream = checkpoint::sample_stream(nullptr, compression);
  Bytes whole = {0}, frames = {1};
  whole.insert(whole.end(), stream.begin(), stream.end());
  for (std::size_t at = sizeof(checkpoint::StreamHeader); at < stream.size();) {
    checkpoint::FrameHeader header;
    std::memcpy(&header, stream.data() + at, sizeof(header));
    at += sizeof(header);
    frames.push_back(static_cast<std::uint8_t>(header.kind - 1));
    frames.push_back(static_cast<std::uint8_t>(header.bytes));
    frames.push_back(static_cast<std::uint8_t>(header.bytes >> 8));
    frames.insert(frames.end(), stream.data() + at,
                  stream.data() + at + header.bytes);
    at += header.bytes;
  }
  const char *name = checkpoint::compression_name(compression);
  write_file(fmt::format("{}/stream/{}-whole", directory, name), whole);
  write_file(fmt::format("{}/stream/{}-frames", directory, name), frames);
}

/// Command lines as fuzz_commands.cpp takes them; the first letter chooses the
/// command, in the order of the help.
void write_command_lines(const std::string &directory) {
  static constexpr const char *kLines[] = {
      "0 -p 1.5ms -ofile --per-thread --checksum=written -- prog --option -- x",
      "0 --unstable stop --on-failure continue --no-output ./prog",
      "0 --output run --period 0 prog -o x",
      "1 --json --only --top 3 run.ptrace -- --odd [a,b] {}",
      "2 --format csv -o - --periods 3:0x9 --address-range=0x7f00: run",
      "2 --format csv --tid 77 run",
      "2 -f json --periods :9 -- run",
      "1 --json --top 3",
      "2 --format csv -o rows",
      "3 run.ptrace",
      "3 --",
      "3 --help",
      "4 -p 100ms -r report --json --each --top 0 --pages 0x10 -- prog",
      "4 --strict prog",
      "4 --from kept --output=o",
      "5 1234 start -p 10ms -o run --checksum accessed --unstable=rehash",
      "5 --timeout 2s --json 1234 period 0",
      "6 --from 1.5s --to=2min --rows 3 --json run",
      "7 --mapping [heap] --address-range 0x1000: --reads --writes run",
      "7 --thread 77 --only --top=3",
  };
  for (std::size_t i = 0; i < std::size(kLines); ++i) {
    Bytes seed = {static_cast<std::uint8_t>(kLines[i][0] - '0')};
    for (const char *at = kLines[i] + 2; *at; ++at)
      seed.push_back(static_cast<std::uint8_t>(*at == ' ' ? 0 : *at));
    seed.push_back(0);
    write_file(fmt::format("{}/commands/{}", directory, i), seed);
  }
}

/// A trace as fuzz_reader.cpp takes it, behind a filter and a style.
Bytes filtered(const Bytes &trace) {
  Bytes seed;
  for (const std::string text :
       {"1:2", "0x555555600000:0x7fffffffc000", "4243"}) {
    seed.push_back(static_cast<std::uint8_t>(text.size()));
    seed.insert(seed.end(), text.begin(), text.end());
  }
  seed.insert(seed.end(), {10, 0, 4, 0, 40});
  seed.insert(seed.end(), trace.begin(), trace.end());
  return seed;
}

/// Two traces each, as fuzz_diff.cpp takes them: neighbours in the list of
/// samples, by options from all equal to none.
void write_pairs(const std::string &directory) {
  Bytes before;
  std::uint8_t options = 0;
  for (const SampleTrace &sample : sample_traces()) {
    Bytes next = sample.make();
    if (next.size() > 4096)
      continue;
    next.insert(next.begin(), 0);
    Bytes seed = {options++, static_cast<std::uint8_t>(before.size()),
                  static_cast<std::uint8_t>(before.size() >> 8)};
    seed.insert(seed.end(), before.begin(), before.end());
    seed.insert(seed.end(), next.begin(), next.end());
    write_file(directory + "/" + sample.name, seed);
    before = next;
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: make_seeds DIRECTORY\n");
    return 1;
  }
  const std::string directory = argv[1];
  try {
    for (const char *name : {"diff", "export", "harvest", "html", "reader"})
      std::filesystem::create_directories(directory + "/" + name);
    for (const SampleTrace &sample : sample_traces()) {
      const Bytes whole = sample.make();
      // The long one only slows the fuzzers down.
      if (whole.size() > 4096)
        continue;
      Bytes plain = {0};
      plain.insert(plain.end(), whole.begin(), whole.end());
      const auto write_both = [&](const std::string &name, const Bytes &seed) {
        write_file(directory + "/reader/" + name, seed);
        write_file(directory + "/export/" + name, filtered(seed));
        Bytes shown = {2, 16}; // its bound, and a run of two
        shown.insert(shown.end(), seed.begin(), seed.end());
        write_file(directory + "/html/" + name, shown);
      };
      write_both(sample.name, plain);
      write_both(std::string(sample.name) + "-payloads", payloads_of(whole));
      write_both(std::string(sample.name) + "-damaged",
                 payloads_of(whole, true));
    }
    write_pairs(directory + "/diff");
    for (const std::uint16_t size : {80, 81, 300, 700, 1900})
      for (const std::uint8_t options : {0, 1}) {
        Bytes seed = {static_cast<std::uint8_t>(size),
                      static_cast<std::uint8_t>(size >> 8),
                      options,
                      0,
                      1,
                      0};
        // The version in the header, a chunk's count, a slot's shadow.
        const Bytes patches = {0, 8, 0, 0, 4, 1, 0, 0, 0, 2, 16, 0, 0, 4, 9, 0,
                               0, 0, 4, 0, 1, 0, 8, 1, 1, 1, 1,  2, 2, 2, 2};
        seed.insert(seed.end(), patches.begin(), patches.end());
        write_file(fmt::format("{}/harvest/{}-{}", directory, size, options),
                   seed);
      }
    write_small_seeds(directory);
    write_command_lines(directory);
    for (const int compression : checkpoint::kCompressions) {
      write_checkpoints(directory, compression);
      write_streams(directory, compression);
    }
  } catch (const std::exception &problem) {
    fmt::print(stderr, "make_seeds: {}\n", problem.what());
    return 1;
  }
  return 0;
}

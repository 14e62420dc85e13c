//===- files_test.cpp - Trace files, ELF notes and the runtime's options --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"
#include "record/runtime_options.h"
#include "sample_traces.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "support/option_text.h"
#include "support/unique_fd.h"
#include "trace_testing.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace pagetide::tools {
namespace {

Bytes bytes_of(const char *text) {
  return Bytes(text, text + std::strlen(text));
}

TEST(TraceFiles, FindsTheFilesOfARunInOrder) {
  const ScratchDirectory scratch;
  ScratchDirectory files;
  for (const char *name :
       {"run", "run.10", "run.9", "run.10.2", "run.10.1", "run.x", "run.10.",
        "run.10.2.3", "run.", "runner", "other.5", "run.5x"})
    files.write(name, {});
  const std::vector<std::string> expected = {
      files.file("run"), files.file("run.9"), files.file("run.10"),
      files.file("run.10.1"), files.file("run.10.2")};
  EXPECT_EQ(files_named_after(files.file("run")), expected);
  EXPECT_TRUE(files_named_after(scratch.file("run")).empty());
  EXPECT_THROW(files_named_after(scratch.file("no/run")), Failure);
}

TEST(TraceFiles, NamesWithoutADirectoryAreLeftSo) {
  ScratchDirectory files;
  files.write("run", {});
  files.write("run.7", {});
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(files.path());
  const std::vector<std::string> found = files_named_after("run");
  std::filesystem::current_path(before);
  EXPECT_EQ(found, (std::vector<std::string>{"run", "run.7"}));
}

TEST(TraceFiles, TellsTracesFromOtherFiles) {
  ScratchDirectory files;
  EXPECT_EQ(kind_of_file(files.write("a", sample_trace("basic"))),
            FileKind::kTrace);
  EXPECT_EQ(kind_of_file(files.write("b", bytes_of("PGTID"))),
            FileKind::kOther);
  EXPECT_EQ(kind_of_file(files.write("c", {})), FileKind::kEmpty);
  EXPECT_EQ(kind_of_file(files.path()), FileKind::kOther);
  EXPECT_EQ(kind_of_file(files.file("d")), FileKind::kAbsent);
  ASSERT_EQ(::symlink(files.file("a").c_str(), files.file("link").c_str()), 0);
  EXPECT_EQ(kind_of_file(files.file("link")), FileKind::kOther);
  ASSERT_EQ(::mkfifo(files.file("fifo").c_str(), 0600), 0);
  EXPECT_EQ(kind_of_file(files.file("fifo")), FileKind::kOther);
}

Bytes trace_of_run(unsigned run, std::uint64_t realtime_ns = 0) {
  MemorySink sink;
  TraceWriter writer(sink);
  trace::FileHeader header = sample_header();
  header.realtime_ns += realtime_ns;
  writer.header(header);
  if (run != 0)
    writer.write(RunId{{static_cast<std::uint8_t>(run)}});
  writer.write(End{});
  return sink.bytes();
}

TEST(TraceFiles, TellsTheRunsOfFilesApart) {
  ScratchDirectory files;
  files.write("run", trace_of_run(1));
  files.write("run.7", trace_of_run(1));
  files.write("run.8", trace_of_run(2, 5));
  files.write("run.9", trace_of_run(0, 7));
  files.write("run.10", bytes_of("no trace"));
  RunFiles run = files_of_run(files.file("run"));
  EXPECT_EQ(run.traces,
            (std::vector<std::string>{files.file("run"), files.file("run.7")}));
  EXPECT_EQ(run.others, (std::vector<std::string>{files.file("run.8"),
                                                  files.file("run.9")}));
  // Without FILE the newest says which run is meant, without an id too.
  std::filesystem::remove(files.file("run"));
  run = files_of_run(files.file("run"));
  EXPECT_EQ(run.traces, std::vector<std::string>{files.file("run.9")});
  EXPECT_EQ(run.others.size(), 2u);
}

TEST(TraceFiles, TheNewestRunIsNamedByItsFirstTrace) {
  ScratchDirectory files;
  EXPECT_THROW(newest_trace(files.path()), Failure);
  files.write("old", trace_of_run(1, 1));
  files.write("new", trace_of_run(2, 2));
  // Began later, but belongs to a run that began earlier.
  files.write("old.77", trace_of_run(1, 9));
  files.write("old.77.1", trace_of_run(1, 10));
  files.write("text", bytes_of("text"));
  EXPECT_EQ(newest_trace(files.path()), files.file("new"));
  // A run of its own that only has such a name.
  files.write("old.78", trace_of_run(3, 3));
  EXPECT_EQ(newest_trace(files.path()), files.file("old.78"));
}

TEST(TraceFiles, NewNamesAreFree) {
  ScratchDirectory files;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(files.path());
  EXPECT_EQ(new_trace_name("/bin/a b\n", 12), "pagetide.a_b_.12.ptrace");
  files.write("pagetide.make.12.ptrace", {});
  EXPECT_EQ(new_trace_name("make", 12), "pagetide.make.12.1.ptrace");
  files.write("pagetide.make.12.1.ptrace", {});
  EXPECT_EQ(new_trace_name("make", 12), "pagetide.make.12.2.ptrace");
  EXPECT_EQ(new_trace_name(std::string(999, 'x'), 1).size(), 64u + 18);
  std::filesystem::current_path(before);
}

UniqueFd opened(const std::string &path) {
  return UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

TEST(TraceOutput, ReplacesAnEarlierRunOnceThereIsATrace) {
  ScratchDirectory files;
  const Bytes before = trace_of_run(1);
  const Bytes now = trace_of_run(2);
  files.write("run", before);
  files.write("run.7", before);
  files.write("run.8", trace_of_run(3));
  TraceOutput output(files.file("run"));
  EXPECT_EQ(bytes_of_file(files.file("run")), before);
  const std::string made = files.write("run.12", now);
  std::string problem;
  EXPECT_EQ(output.take(opened(made).get(), made, problem), files.file("run"));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(bytes_of_file(files.file("run")), now);
  EXPECT_EQ(kind_of_file(files.file("run.7")), FileKind::kAbsent);
  EXPECT_EQ(kind_of_file(files.file("run.8")), FileKind::kTrace);
  EXPECT_EQ(kind_of_file(made), FileKind::kAbsent);
  // Further processes keep the name they have.
  const std::string second = files.write("run.13", now);
  EXPECT_EQ(output.take(opened(second).get(), second, problem), second);
}

TEST(TraceOutput, ReplacesNothingElse) {
  ScratchDirectory files;
  const Bytes before = trace_of_run(1);
  files.write("run", before);
  files.write("mine", before);
  files.write("run.12", before);
  for (const char *name : {"mine", "run.x", "run.13", "run"}) {
    TraceOutput output(files.file("run"));
    std::string problem;
    // A name that is not open at this descriptor, or no name of this run.
    const UniqueFd fd =
        opened(files.file(std::string(name) == "mine" ? name : "run.12"));
    EXPECT_EQ(output.take(fd.get(), files.file(name), problem),
              files.file(name));
    EXPECT_EQ(bytes_of_file(files.file("run")), before);
    EXPECT_EQ(kind_of_file(files.file("mine")), FileKind::kTrace);
  }
}

TEST(TraceOutput, LeavesWhatAnotherRunHasPutThere) {
  ScratchDirectory files;
  files.write("run", trace_of_run(1));
  TraceOutput output(files.file("run"));
  std::filesystem::rename(files.write("other", trace_of_run(2)),
                          files.file("run"));
  const std::string made = files.write("run.12", trace_of_run(3));
  std::string problem;
  EXPECT_EQ(output.take(opened(made).get(), made, problem), made);
  EXPECT_NE(problem.find("was made or replaced by another run meanwhile"),
            std::string::npos);
  EXPECT_EQ(bytes_of_file(files.file("run")), trace_of_run(2));
}

TEST(TraceOutput, RefusesWhatIsBeingWritten) {
  ScratchDirectory files;
  files.write("run", trace_of_run(1));
  files.write("run.7", trace_of_run(1));
  for (const char *name : {"run", "run.7"}) {
    const UniqueFd writer = opened(files.file(name));
    ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
    EXPECT_TRUE(is_being_written(files.file(name)));
    try {
      TraceOutput output(files.file("run"));
      FAIL();
    } catch (const Failure &failure) {
      EXPECT_NE(
          std::string(failure.what())
              .find(files.file(name) + ": another run is writing this trace"),
          std::string::npos)
          << failure.what();
    }
  }
  TraceOutput output(files.file("run"));
}

TEST(TraceOutput, RefusesWhatIsNoTrace) {
  ScratchDirectory files;
  files.write("run", bytes_of("precious"));
  EXPECT_THROW(TraceOutput(files.file("run")), Failure);
  EXPECT_EQ(bytes_of_file(files.file("run")), bytes_of("precious"));
}

TEST(TraceOutput, RefusesPlacesWhereNoTraceCanBe) {
  ScratchDirectory files;
  files.write("file", bytes_of("x"));
  EXPECT_THROW(TraceOutput(files.path()), Failure);
  EXPECT_THROW(TraceOutput(files.path() + "/"), Failure);
  EXPECT_THROW(TraceOutput(""), Failure);
  EXPECT_THROW(TraceOutput(files.file("no/run")), Failure);
  EXPECT_THROW(TraceOutput(files.file("file/run")), Failure);
}

/// An executable with one segment of notes.
Bytes elf_with(const Bytes &notes, bool dynamic = true) {
  Bytes bytes;
  const auto append = [&](const void *data, std::size_t size) {
    const auto *begin = static_cast<const std::uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  append(&header, sizeof(header));
  Elf64_Phdr segment = {};
  segment.p_type = dynamic ? PT_INTERP : PT_NULL;
  append(&segment, sizeof(segment));
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(header) + 2 * sizeof(segment);
  segment.p_filesz = notes.size();
  append(&segment, sizeof(segment));
  append(notes.data(), notes.size());
  return bytes;
}

Bytes pagetide_note(abi::Layout layout) {
  abi::ModuleNote note = {};
  note.name_bytes = 9;
  note.info_bytes = sizeof(abi::ModuleInfo);
  note.type = abi::kNoteType;
  std::memcpy(note.name, abi::kNoteName, sizeof(abi::kNoteName));
  note.info = {abi::kVersion, static_cast<std::uint32_t>(layout), 12, 12, 0};
  Bytes bytes(sizeof(note));
  std::memcpy(bytes.data(), &note, sizeof(note));
  return bytes;
}

/// Another tool's note: name "GNU", five bytes of content, padded.
Bytes other_note() {
  const std::uint32_t words[] = {4, 5, 3, 0x00554e47, 0x11111111, 0x22};
  Bytes bytes(sizeof(words));
  std::memcpy(bytes.data(), words, sizeof(words));
  return bytes;
}

TEST(ElfNote, FindsTheNoteAmongOthers) {
  ScratchDirectory files;
  Bytes notes = other_note();
  const Bytes ours = pagetide_note(abi::Layout::kAccess);
  notes.insert(notes.end(), ours.begin(), ours.end());
  const ElfFile file = examine_elf(files.write("prog", elf_with(notes)));
  EXPECT_TRUE(file.is_elf);
  EXPECT_TRUE(file.is_dynamic);
  EXPECT_FALSE(file.gains_privilege);
  ASSERT_TRUE(file.note);
  EXPECT_EQ(file.note->layout,
            static_cast<std::uint32_t>(abi::Layout::kAccess));
  EXPECT_EQ(file.note->granule_shift, 12u);
}

TEST(ElfNote, TellsWhatIsMissing) {
  ScratchDirectory files;
  EXPECT_FALSE(examine_elf(files.write("a", elf_with(other_note()))).note);
  EXPECT_FALSE(examine_elf(files.write("b", elf_with({}, false))).is_dynamic);
  EXPECT_FALSE(examine_elf(files.write("c", bytes_of("#!/bin/sh\n"))).is_elf);
  EXPECT_FALSE(examine_elf(files.file("none")).is_elf);
  EXPECT_FALSE(examine_elf(files.path()).is_elf);
  // Set-ID bits matter if the ID is another user's.
  const std::string with_id = files.write("d", elf_with({}));
  ASSERT_EQ(::chmod(with_id.c_str(), 06755), 0);
  EXPECT_FALSE(examine_elf(with_id).gains_privilege);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(with_id.c_str(), 65534, 0), 0);
    ASSERT_EQ(::chmod(with_id.c_str(), 04755), 0);
    EXPECT_TRUE(examine_elf(with_id).gains_privilege);
  }
}

TEST(ElfNote, SurvivesEveryCutAndWrongByte) {
  ScratchDirectory files;
  Bytes notes = other_note();
  const Bytes ours = pagetide_note(abi::Layout::kRw);
  notes.insert(notes.end(), ours.begin(), ours.end());
  const Bytes whole = elf_with(notes);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    examine_elf(
        files.write("cut", {whole.begin(),
                            whole.begin() + static_cast<std::ptrdiff_t>(at)}));
    for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
      Bytes wrong = whole;
      wrong[at] ^= flip;
      examine_elf(files.write("wrong", wrong));
    }
  }
  EXPECT_TRUE(examine_elf(files.write("whole", whole)).note);
}

TEST(FindCommand, LooksWhereExecLooks) {
  ScratchDirectory files;
  const std::string tool = files.write("sometool", bytes_of("#!/bin/sh\n"));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ("/nonexistent:" + files.path()).c_str(), 1);
  EXPECT_EQ(find_command("sometool"), "") << "not executable";
  ::chmod(tool.c_str(), 0755);
  EXPECT_EQ(find_command("sometool"), tool);
  EXPECT_EQ(find_command("./some/where"), "./some/where");
  EXPECT_EQ(find_command("nosuchtool"), "");
  EXPECT_EQ(find_command(""), "");
  ::setenv("PATH", path.c_str(), 1);
}

TEST(RuntimeOptions, FollowThoseOfTheUser) {
  RuntimeOptions none("");
  none.add("period", "1s");
  EXPECT_EQ(none.text(), "period=1s");
  RuntimeOptions some("verbosity=1:period=2s");
  some.add("period", "1s");
  EXPECT_EQ(some.text(), "verbosity=1:period=2s:period=1s");
  RuntimeOptions open("verbosity=1:");
  open.add("period", "1s");
  EXPECT_EQ(open.text(), "verbosity=1:period=1s");
}

TEST(RuntimeOptions, QuoteWhatWouldSeparate) {
  RuntimeOptions options("");
  options.add("a", "/tmp/with:colon");
  options.add("b", "/tmp/with space");
  options.add("c", "it's");
  options.add("d", "a\"b");
  options.add("e", "");
  EXPECT_EQ(options.text(), "a='/tmp/with:colon':b='/tmp/with space':"
                            "c=\"it's\":d='a\"b':e=''");
  EXPECT_THROW(options.add("f", "'\""), Failure);
}

TEST(RuntimeOptions, AreRead) {
  EXPECT_EQ(option_in("", "control"), "");
  EXPECT_EQ(option_in("control=/a", "control"), "/a");
  EXPECT_EQ(option_in("x=1:control=/a:control=/b,y=2", "control"), "/b");
  EXPECT_EQ(option_in("x='control=/a':control='/b c'", "control"), "/b c");
  EXPECT_EQ(option_in("control='/b", "control"), "/b");
  EXPECT_EQ(option_in("mycontrol=/a", "control"), "");
  EXPECT_EQ(option_in("control", "control"), "");
}

} // namespace
} // namespace pagetide::tools

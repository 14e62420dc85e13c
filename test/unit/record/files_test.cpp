//===- files_test.cpp - Trace files, ELF notes and the runtime's options --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/runtime_options.h"
#include "record/trace_files.h"
#include "sample_traces.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "trace_testing.h"

#include <elf.h>
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
  EXPECT_EQ(files_of_run(files.file("run")), expected);
  EXPECT_TRUE(files_of_run(scratch.file("run")).empty());
  EXPECT_THROW(files_of_run(scratch.file("no/run")), Failure);
}

TEST(TraceFiles, NamesWithoutADirectoryAreLeftSo) {
  ScratchDirectory files;
  files.write("run", {});
  files.write("run.7", {});
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(files.path());
  const std::vector<std::string> found = files_of_run("run");
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

TEST(TraceFiles, MakesRoomForARun) {
  ScratchDirectory files;
  files.write("run", sample_trace("basic"));
  files.write("run.12", sample_trace("cut"));
  files.write("run.12.1", {});
  files.write("run.txt", bytes_of("mine"));
  make_room_for_run(files.file("run"));
  EXPECT_TRUE(files_of_run(files.file("run")).empty());
  EXPECT_EQ(bytes_of_file(files.file("run.txt")), bytes_of("mine"));
}

TEST(TraceFiles, RemovesNothingWhereSomethingIsInTheWay) {
  for (const char *foreign : {"run", "run.7", "run.12.3"}) {
    ScratchDirectory files;
    files.write("run", sample_trace("basic"));
    files.write("run.12", sample_trace("basic"));
    files.write(foreign, bytes_of("precious"));
    try {
      make_room_for_run(files.file("run"));
      FAIL();
    } catch (const Failure &failure) {
      EXPECT_NE(std::string(failure.what()).find(files.file(foreign)),
                std::string::npos)
          << failure.what();
    }
    EXPECT_EQ(bytes_of_file(files.file(foreign)), bytes_of("precious"));
    EXPECT_EQ(kind_of_file(files.file("run.12")), FileKind::kTrace);
  }
}

TEST(TraceFiles, RefusesPlacesWhereNoTraceCanBe) {
  ScratchDirectory files;
  files.write("file", bytes_of("x"));
  EXPECT_THROW(make_room_for_run(files.path()), Failure);
  EXPECT_THROW(make_room_for_run(files.path() + "/"), Failure);
  EXPECT_THROW(make_room_for_run(""), Failure);
  EXPECT_THROW(make_room_for_run(files.file("no/run")), Failure);
  EXPECT_THROW(make_room_for_run(files.file("file/run")), Failure);
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
  // Set-ID bits matter where the ID is another's.
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

//===- elf_note.cpp - Is this file instrumented, and how? -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/elf_note.h"

#include "support/unique_fd.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace pagetide::tools {

namespace {

/// No linker makes a larger segment of notes.
constexpr std::uint64_t kMaxNoteBytes = 1 << 20;

bool read_at(int fd, void *buffer, std::size_t bytes, std::uint64_t offset) {
  return offset <= INT64_MAX &&
         ::pread(fd, buffer, bytes, static_cast<off_t>(offset)) ==
             static_cast<ssize_t>(bytes);
}

/// The first Pagetide note among the notes of a segment. strip clears a note
/// that it removes, so lengths do not lead from one to the next.
std::optional<abi::ModuleInfo>
find_note(const std::vector<std::uint8_t> &notes) {
  constexpr std::size_t kNeeded = offsetof(abi::ModuleNote, link);
  for (std::size_t at = 0; at + kNeeded <= notes.size(); at += 4) {
    abi::ModuleNote note = {};
    std::memcpy(&note, notes.data() + at, kNeeded);
    if (note.name_bytes == sizeof(abi::kNoteName) &&
        note.type == abi::kNoteType &&
        note.info_bytes >= sizeof(abi::ModuleInfo) &&
        std::memcmp(note.name, abi::kNoteName, sizeof(abi::kNoteName)) == 0)
      return note.info;
  }
  return std::nullopt;
}

} // namespace

ElfFile examine_elf(const std::string &path) {
  ElfFile file;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  Elf64_Ehdr header;
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !read_at(fd.get(), &header, sizeof(header), 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return file;
  file.is_elf = true;
  // The kernel decides in the same way whether the loader runs in secure mode.
  file.gains_privilege =
      ((status.st_mode & S_ISUID) && status.st_uid != ::geteuid()) ||
      ((status.st_mode & S_ISGID) && status.st_gid != ::getegid()) ||
      (::geteuid() != 0 &&
       ::fgetxattr(fd.get(), "security.capability", nullptr, 0) > 0);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(fd.get(), &segment, sizeof(segment),
                 header.e_phoff + i * sizeof(segment)))
      break;
    if (segment.p_type == PT_INTERP)
      file.is_dynamic = true;
    if (segment.p_type != PT_NOTE || file.note)
      continue;
    std::vector<std::uint8_t> notes(
        std::min<std::uint64_t>(segment.p_filesz, kMaxNoteBytes));
    if (read_at(fd.get(), notes.data(), notes.size(), segment.p_offset))
      file.note = find_note(notes);
  }
  return file;
}

std::string text_of_not_found(const std::string &command) {
  const bool here = command.find('/') == std::string::npos &&
                    ::access(("./" + command).c_str(), X_OK) == 0;
  return command + ": command not found" +
         (here ? "; the one in this directory is ./" + command : "");
}

std::string find_command(const std::string &command) {
  if (command.empty())
    return {};
  if (command.find('/') != std::string::npos)
    return command;
  const char *variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/bin:/usr/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    std::string candidate =
        directory.empty() ? command : std::string(directory) + "/" + command;
    struct stat status;
    if (::access(candidate.c_str(), X_OK) == 0 &&
        ::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      return candidate;
    if (colon == std::string_view::npos)
      return {};
    rest.remove_prefix(colon + 1);
  }
}

} // namespace pagetide::tools

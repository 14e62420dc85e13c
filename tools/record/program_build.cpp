//===- program_build.cpp - What kind of program a command is --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/program_build.h"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace pagetide::tools {

namespace {

constexpr int kMaxScripts = 5;             // as the kernel follows them
constexpr std::size_t kMaxLineBytes = 256; // BINPRM_BUF_SIZE

/// The beginning of the file; empty if it cannot be read.
std::string head_of(const std::string &path) {
  std::string head(kMaxLineBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

/// The program behind "#!"; empty if there is none.
std::string interpreter_in(const std::string &head) {
  if (head.rfind("#!", 0) != 0)
    return {};
  const std::size_t begin = head.find_first_not_of(" \t", 2);
  const std::size_t end = head.find_first_of(" \t\n", begin);
  return begin == std::string::npos ? "" : head.substr(begin, end - begin);
}

bool is_any_elf(const std::string &head) {
  return head.size() >= SELFMAG &&
         std::memcmp(head.data(), ELFMAG, SELFMAG) == 0;
}

} // namespace

ProgramFile examine_program(const std::string &path) {
  std::string file = path;
  std::string head = head_of(file);
  for (int i = 0; i < kMaxScripts; ++i) {
    const std::string interpreter = interpreter_in(head);
    if (interpreter.empty())
      break;
    file = interpreter;
    head = head_of(file);
  }
  const ElfFile elf = examine_elf(file);
  if (elf.note)
    return {Build::kMarked, elf};
  if (elf.gains_privilege)
    return {Build::kPrivileged, elf};
  if (elf.is_elf)
    return {elf.is_dynamic ? Build::kDynamic : Build::kStatic, elf};
  // A text without a first line goes to the shell. What cannot be read may be
  // anything, and most programs have a loader.
  return {is_any_elf(head) ? Build::kForeign : Build::kDynamic, elf};
}

} // namespace pagetide::tools

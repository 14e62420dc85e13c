//===- command_line.cpp - How QEMU is told to run a program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/command_line.h"

#include "support/elf_note.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace pagetide::emulation {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string first_bytes(const std::string &file) {
  constexpr std::size_t kBytes = 256; // as many as the kernel looks at
  std::string bytes(kBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

/// The words of "#! interpreter argument", as the kernel reads them.
std::vector<std::string> script_words(std::string line) {
  if (line.rfind("#!", 0) != 0)
    return {};
  line.resize(std::min(line.find('\n'), line.size()));
  std::vector<std::string> words;
  const std::size_t begin = line.find_first_not_of(kBlanks, 2);
  if (begin == std::string::npos)
    return {};
  const std::size_t end =
      std::min(line.find_first_of(kBlanks, begin), line.size());
  words.push_back(line.substr(begin, end - begin));
  const std::size_t argument = line.find_first_not_of(kBlanks, end);
  const std::size_t last = line.find_last_not_of(kBlanks);
  if (argument != std::string::npos)
    words.push_back(line.substr(argument, last + 1 - argument));
  return words;
}

bool is_for_loader(const std::string &variable) {
  return (variable.rfind("LD_", 0) == 0 ||
          variable.rfind("GLIBC_TUNABLES=", 0) == 0) &&
         variable.find('=') != std::string::npos &&
         variable.find(',') == std::string::npos; // QEMU would divide it
}

} // namespace

CanRun find_program(Program &program) {
  constexpr int kMostInterpreters = 5; // the kernel's BINPRM_MAX_RECURSION
  for (int depth = 0; depth <= kMostInterpreters; ++depth) {
    struct stat status;
    if (::stat(program.file.c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode) || ::access(program.file.c_str(), X_OK) != 0)
      return CanRun::kFails;
    const std::string begin = first_bytes(program.file);
    std::vector<std::string> words = script_words(begin);
    if (words.empty()) {
      if (!begin.empty() && begin.rfind(ELFMAG, 0) != 0)
        return CanRun::kFails;
      const tools::ElfFile elf = tools::examine_elf(program.file);
      return elf.is_elf && !elf.gains_privilege &&
                     ::access(program.file.c_str(), R_OK) == 0
                 ? CanRun::kInQemu
                 : CanRun::kNative;
    }
    std::string interpreter = words[0];
    words.push_back(program.file);
    if (!program.arguments.empty())
      words.insert(words.end(), program.arguments.begin() + 1,
                   program.arguments.end());
    program = {std::move(interpreter), std::move(words)};
  }
  return CanRun::kFails;
}

std::vector<std::string> command_line(const std::vector<std::string> &qemu,
                                      const Program &program,
                                      std::vector<std::string> &environment) {
  std::vector<std::string> words = qemu;
  words.insert(
      words.end(),
      {"-0", program.arguments.empty() ? std::string() : program.arguments[0]});
  for (const std::string &variable : environment)
    if (is_for_loader(variable))
      words.insert(words.end(), {"-E", variable});
  std::erase_if(environment, is_for_loader);
  words.push_back(program.file.rfind('-', 0) == 0 ? "./" + program.file
                                                  : program.file);
  for (std::size_t i = 1; i < program.arguments.size(); ++i)
    words.push_back(program.arguments[i]);
  return words;
}

} // namespace pagetide::emulation

//===- programs.cpp - Execve, followed into QEMU --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/programs.h"

#include "engines/emulate/command_line.h"
#include "engines/emulate/guest_memory.h"
#include "engines/emulate/link.h"
#include "engines/emulate/qemu_plugin.h"
#include "interceptors/call_memory.h"

#include <limits.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace pagetide::emulation {

namespace {

std::vector<std::string> qemu; ///< the words before "-0"
/// What QEMU runs, and the variables that only this gets.
Program own;
std::vector<std::string> own_variables;

/// Where a link of /proc leads, as the program sees it: its own executable is
/// not QEMU, and a descriptor may be closed by the exec.
std::string without_links(const std::string &path) {
  if (path == "/proc/self/exe" ||
      path == "/proc/" + std::to_string(::getpid()) + "/exe") {
    const char *own = qemu_plugin_path_to_binary();
    return own ? own : path;
  }
  if (path.rfind("/proc/self/fd/", 0) == 0 || path.rfind("/dev/fd/", 0) == 0) {
    char target[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), target, sizeof(target));
    if (n > 0 && target[0] == '/')
      return {target, static_cast<std::size_t>(n)};
  }
  return path;
}

/// The kernel reads the words of a call that it refuses, or it does not.
void mark_words(std::uint64_t vector, bool certain) {
  const auto mark = certain ? calls::MarkRead : calls::MarkMayRead;
  std::uint64_t word;
  std::uint64_t at = vector;
  for (; calls::CopyIn(&word, at, sizeof(word)) && word; at += sizeof(word))
    mark(word, calls::StringBytes(word, 1U << 20, true));
  if (vector)
    mark(vector, at + sizeof(word) - vector);
}

std::vector<char *> pointers_to(std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (std::string &string : strings)
    pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

void remember_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0') && word != "-0";)
    qemu.push_back(word);
  // The program's name for itself, -E variable, ..., its file and its words
  std::string word;
  std::getline(file, word, '\0');
  own.arguments.push_back(word);
  while (std::getline(file, word, '\0') && word == "-E") {
    std::getline(file, word, '\0');
    own_variables.push_back(word);
  }
  own.file = word;
  while (std::getline(file, word, '\0'))
    own.arguments.push_back(word);
  const std::string name = own.file.substr(own.file.rfind('/') + 1);
  ::prctl(PR_SET_NAME, name.c_str());
  char self[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", self, sizeof(self));
  if (n > 0 && !qemu.empty())
    qemu[0].assign(self, static_cast<std::size_t>(n));
}

void run_without_qemu() {
  for (std::string &variable : own_variables)
    ::putenv(variable.data());
  ::execv(own.file.c_str(), pointers_to(own.arguments).data());
}

void before_execve(std::uint64_t path, std::uint64_t arguments,
                   std::uint64_t environment) {
  const auto words = strings_at(arguments);
  auto variables = strings_at(environment);
  Program program;
  program.file = without_links(string_at(path, PATH_MAX));
  program.arguments = words.value_or(std::vector<std::string>());
  const CanRun can_run =
      words && variables ? find_program(program) : CanRun::kFails;
  calls::MarkRead(path, calls::StringBytes(path, PATH_MAX, true));
  mark_words(arguments, can_run != CanRun::kFails);
  mark_words(environment, can_run != CanRun::kFails);
  if (can_run == CanRun::kNative)
    tell(MessageKind::kNative, program.file, -1, /*answered=*/true);
  if (can_run != CanRun::kInQemu)
    return;
  if (!tell(MessageKind::kLastLook, "", -1, /*answered=*/true))
    return; // record has gone, so QEMU is of no more use
  std::vector<std::string> started = command_line(qemu, program, *variables);
  ::execve(started[0].c_str(), pointers_to(started).data(),
           pointers_to(*variables).data());
  // The words are too many, with QEMU's. The program's own may do.
  tell(MessageKind::kNative, program.file, -1, /*answered=*/true);
}

} // namespace pagetide::emulation

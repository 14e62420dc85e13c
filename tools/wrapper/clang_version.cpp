//===- clang_version.cpp - Is this the clang that the pass is for? --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "clang_version.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pagetide::wrapper {

namespace {

/// What `COMPILER --version` prints. Nothing if it cannot be started.
std::optional<std::string> version_text(const std::string &compiler) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  char *argv[] = {const_cast<char *>(compiler.c_str()),
                  const_cast<char *>("--version"), nullptr};
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, compiler.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; error == 0;) {
    got = read(ends[0], buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (error != 0)
    return std::nullopt;
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    continue;
  return text;
}

/// The number after "clang version", as in "Debian clang version 19.1.7".
std::string major_of(const std::string &version_line) {
  static const std::string kBefore = "clang version ";
  const std::size_t at = version_line.find(kBefore);
  if (at == std::string::npos)
    return {};
  const std::size_t begin = at + kBefore.size();
  const std::size_t end = version_line.find_first_not_of("0123456789", begin);
  return version_line.substr(begin, end - begin);
}

} // namespace

std::string why_not_usable(const std::string &compiler) {
  const std::optional<std::string> text = version_text(compiler);
  if (!text)
    return {};
  const std::string line = text->substr(0, text->find('\n'));
  const std::string major = major_of(line);
  if (major == PAGETIDE_LLVM_MAJOR)
    return {};
  return "PAGETIDE_CLANG=" + compiler + " is " +
         (major.empty() ? "no clang" : "clang " + major) + " (it says \"" +
         line +
         "\"), but Pagetide's pass can only be loaded into "
         "clang " PAGETIDE_LLVM_MAJOR
         "; set PAGETIDE_CLANG to a clang " PAGETIDE_LLVM_MAJOR
         ", or unset it, or add -fno-pagetide to compile without "
         "instrumentation";
}

} // namespace pagetide::wrapper

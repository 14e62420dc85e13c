//===- child_process.cpp - Programs that the wrapper waits for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "child_process.h"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pagetide::wrapper {

namespace {

/// Returns -1 and sets errno if the program cannot be started.
pid_t start(const std::vector<std::string> &command,
            const posix_spawn_file_actions_t *actions) {
  std::vector<char *> argv;
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  errno = posix_spawnp(&pid, argv[0], actions, nullptr, argv.data(), environ);
  return errno == 0 ? pid : -1;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

std::optional<std::string> output_of(const std::vector<std::string> &command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  const pid_t pid = start(command, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  while (pid >= 0) {
    const ssize_t got = read(ends[0], buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (pid < 0)
    return std::nullopt;
  wait_for(pid);
  return text;
}

int run_and_wait(const std::vector<std::string> &command) {
  const pid_t pid = start(command, nullptr);
  return pid < 0 ? -1 : wait_for(pid);
}

} // namespace pagetide::wrapper

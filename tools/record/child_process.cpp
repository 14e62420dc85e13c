//===- child_process.cpp - Runs the command of pagetide record ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/child_process.h"

#include "support/failure.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace pagetide::tools {

/// Settings of this process that it changes for the time of the run. The child
/// gets them as they were before. They are restored when the object ends.
struct ChildProcess::SavedState {
  sigset_t mask;
  struct sigaction interrupt;
  struct sigaction quit;
  struct rlimit files;

  void restore() const {
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGQUIT, &quit, nullptr);
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  }
};

namespace {

std::vector<char *> pointers_to(std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (std::string &string : strings)
    pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::string &variable,
                                          const std::string &value) {
  std::vector<std::string> environment;
  const std::string prefix = variable + "=";
  for (char **entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, prefix.c_str(), prefix.size()) != 0)
      environment.emplace_back(*entry);
  environment.push_back(prefix + value);
  return environment;
}

/// Reads a socket until its other end is closed. Empty if nobody wrote.
std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (done < 0 && errno != EINTR)
      return; // the reader has ended, and waitpid() says so
    if (done > 0)
      text.remove_prefix(static_cast<std::size_t>(done));
  }
}

} // namespace

ChildProcess::ChildProcess(const std::vector<std::string> &command,
                           const std::string &variable,
                           const std::function<std::string(pid_t)> &value_for,
                           const rlimit &file_limit)
    : saved_(std::make_unique<SavedState>()) {
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  for (const int signal : {SIGTERM, SIGHUP}) {
    // Under nohup and similar programs, an ignored signal stays ignored.
    struct sigaction inherited;
    ::sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN)
      sigaddset(&handled, signal);
  }
  ::sigprocmask(SIG_BLOCK, &handled, &saved_->mask);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &saved_->interrupt);
  ::sigaction(SIGQUIT, &ignore, &saved_->quit);
  saved_->files = file_limit;
  signals_.reset(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));

  std::vector<std::string> arguments = command;
  const std::vector<char *> argv = pointers_to(arguments);
  int failure[2];
  if (!signals_ || ::pipe2(failure, O_CLOEXEC) != 0) {
    start_error_ = errno;
    return;
  }
  UniqueFd failure_in(failure[0]);
  UniqueFd failure_out(failure[1]);
  int value[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, value) != 0) {
    start_error_ = errno;
    return;
  }
  UniqueFd value_in(value[0]);
  UniqueFd value_out(value[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_ = ::fork();
  if (pid_ == 0) {
    value_out.reset();
    // The value depends on the pid. The text is empty if the parent gave up.
    const std::string text = read_all(value_in.get());
    if (text.empty())
      ::_exit(127);
    std::vector<std::string> environment = environment_with(variable, text);
    const std::vector<char *> envp = pointers_to(environment);
    saved_->restore();
    ::execvpe(argv[0], argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told =
        ::write(failure_out.get(), &error, sizeof(error));
    ::_exit(127);
  }
  if (pid_ < 0) {
    start_error_ = errno;
    return;
  }
  failure_out.reset();
  value_in.reset();
  try {
    write_all(value_out.get(), value_for(pid_));
  } catch (...) {
    value_out.reset();
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    saved_->restore();
    throw;
  }
  value_out.reset();
  int error = 0;
  ssize_t got;
  do
    got = ::read(failure_in.get(), &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  if (got == sizeof(error)) {
    start_error_ = error;
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

ChildProcess::~ChildProcess() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  saved_->restore();
}

void ChildProcess::handle_signals() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo != SIGCHLD && !exit_status_)
      ::kill(pid_, static_cast<int>(info.ssi_signo));
  int status;
  for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended != pid_) // adopted
      continue;
    if (WIFSIGNALED(status))
      exit_status_ = ExitStatus{0, WTERMSIG(status)};
    else
      exit_status_ = ExitStatus{WEXITSTATUS(status), 0};
  }
}

} // namespace pagetide::tools

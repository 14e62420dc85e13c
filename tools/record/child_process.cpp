//===- child_process.cpp - Runs the command of pagetide record ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/child_process.h"

#include "support/failure.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

/// What the child has to find as this process found it, and what is put back
/// once it has ended.
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

} // namespace

ChildProcess::ChildProcess(const std::vector<std::string> &command,
                           const std::string &variable,
                           const std::string &value, const rlimit &file_limit)
    : saved_(std::make_unique<SavedState>()) {
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  for (const int signal : {SIGTERM, SIGHUP}) {
    // nohup and its like: what is ignored stays ignored.
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
  std::vector<std::string> environment = environment_with(variable, value);
  const std::vector<char *> argv = pointers_to(arguments);
  const std::vector<char *> envp = pointers_to(environment);
  int failure[2];
  if (!signals_ || ::pipe2(failure, O_CLOEXEC) != 0) {
    start_error_ = errno;
    return;
  }
  UniqueFd failure_in(failure[0]);
  UniqueFd failure_out(failure[1]);
  pid_ = ::fork();
  if (pid_ == 0) {
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

ChildProcess::~ChildProcess() { saved_->restore(); }

void ChildProcess::handle_signals() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo != SIGCHLD && !exit_status_)
      ::kill(pid_, static_cast<int>(info.ssi_signo));
  int status;
  if (!exit_status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    if (WIFSIGNALED(status))
      exit_status_ = ExitStatus{0, WTERMSIG(status)};
    else
      exit_status_ = ExitStatus{WEXITSTATUS(status), 0};
  }
}

} // namespace pagetide::tools

//===- child_process.cpp - Runs the command of pagetide record ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/child_process.h"

#include "support/failure.h"

#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

/// Settings of this process that it changes for the time of the run. The
/// command gets them as they were before. They are restored when the object
/// ends.
struct ChildProcess::SavedState {
  sigset_t mask;
  struct sigaction interrupt;
  struct sigaction quit;

  void restore() const {
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGQUIT, &quit, nullptr);
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
    if (variable.empty() ||
        std::strncmp(*entry, prefix.c_str(), prefix.size()) != 0)
      environment.emplace_back(*entry);
  if (!variable.empty())
    environment.push_back(prefix + value);
  return environment;
}

} // namespace

QuietPipes::QuietPipes() {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before_);
}

ChildProcess::ChildProcess(const std::vector<std::string> &command,
                           const std::string &variable,
                           const std::string &value, const QuietPipes &pipes,
                           const std::function<int()> &before_exec)
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
  signals_.reset(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) {
    start_error_ = errno;
    return;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(variable, value);
  const std::vector<char *> argv = pointers_to(arguments);
  const std::vector<char *> envp = pointers_to(environment);
  // Until it calls exec, the child has this process's memory, and this process
  // waits. That is faster than a copy of the memory. glibc's posix_spawn would
  // leave signals 32 and 33 ignored, and runs no script without "#!".
  pid_ = ::vfork();
  if (pid_ == 0) {
    saved_->restore();
    pipes.restore();
    start_error_ = before_exec ? before_exec() : 0;
    if (start_error_ == 0) {
      ::execvpe(argv[0], argv.data(), envp.data());
      start_error_ = errno;
    }
    ::_exit(127);
  }
  if (pid_ < 0) {
    start_error_ = errno;
  } else if (start_error_ != 0) {
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

namespace {

/// Returns the personality and changes nothing.
constexpr unsigned long kOnlyAsk = 0xffffffff;

} // namespace

FixedAddresses::FixedAddresses() : before_(::personality(kOnlyAsk)) {
  const unsigned long wanted =
      static_cast<unsigned>(before_) | ADDR_NO_RANDOMIZE;
  // A filter of system calls (seccomp) may also claim success.
  if (before_ == -1 || ::personality(wanted) == -1)
    throw Failure(
        "--no-aslr: personality(ADDR_NO_RANDOMIZE) failed: {}; the command was "
        "not started. In a container its seccomp profile has to allow the "
        "call, as in: docker run --security-opt seccomp=unconfined. Or record "
        "without --no-aslr, and compare with: pagetide diff --relative",
        std::strerror(errno));
  if (!(::personality(kOnlyAsk) & ADDR_NO_RANDOMIZE))
    throw Failure("--no-aslr: personality(ADDR_NO_RANDOMIZE) succeeded and had "
                  "no effect; the command was not started. Record without "
                  "--no-aslr, and compare with: pagetide diff --relative");
}

FixedAddresses::~FixedAddresses() {
  ::personality(static_cast<unsigned>(before_));
}

} // namespace pagetide::tools

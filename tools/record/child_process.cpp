//===- child_process.cpp - Runs the command of pagetide record ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/child_process.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

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

/// What the child needs. It shares this process's memory until it calls exec,
/// so it must not change any of it, nor call malloc. That is faster than a copy
/// of the memory (fork).
struct Launch {
  int go_in;  ///< a byte comes if the command is to be started
  int go_out; ///< the other end, which the child closes
  int failure_out;
  const std::function<void()> &restore;
  char *const *argv;
  char *const *envp; ///< made before the byte is sent
};

/// The child's stack, until it has called exec.
class ChildStack {
public:
  /// execvp puts the arguments on the stack if it starts a shell for a script.
  explicit ChildStack(std::size_t arguments)
      : bytes_(64 * 1024 + arguments * sizeof(char *)),
        memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
  ~ChildStack() {
    if (top())
      ::munmap(memory_, bytes_);
  }
  ChildStack(const ChildStack &) = delete;
  ChildStack &operator=(const ChildStack &) = delete;

  /// Null if there is no memory; errno says why.
  void *top() const {
    if (memory_ == MAP_FAILED)
      return nullptr;
    return static_cast<char *>(memory_) + (bytes_ & ~std::size_t{15});
  }

private:
  std::size_t bytes_;
  void *memory_;
};

/// Returns false if that fails; errno says why.
bool make_pipe(UniqueFd &in, UniqueFd &out) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  in.reset(ends[0]);
  out.reset(ends[1]);
  return true;
}

int run_child(void *argument) {
  const auto &launch = *static_cast<const Launch *>(argument);
  ::close(launch.go_out); // of the child: descriptors are not shared
  char go;
  ssize_t got;
  do
    got = ::read(launch.go_in, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1)
    ::_exit(127);
  launch.restore();
  ::execvpe(launch.argv[0], launch.argv, launch.envp);
  const int error = errno;
  [[maybe_unused]] const ssize_t told =
      ::write(launch.failure_out, &error, sizeof(error));
  ::_exit(127);
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
  UniqueFd failure_in;
  UniqueFd failure_out;
  UniqueFd go_in;
  UniqueFd go_out;
  ChildStack stack(argv.size());
  if (!signals_ || !stack.top() || !make_pipe(failure_in, failure_out) ||
      !make_pipe(go_in, go_out)) {
    start_error_ = errno;
    return;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::function<void()> restore = [this] { saved_->restore(); };
  Launch launch = {go_in.get(), go_out.get(), failure_out.get(),
                   restore,     argv.data(),  nullptr};
  pid_ = ::clone(run_child, stack.top(), CLONE_VM | SIGCHLD, &launch);
  if (pid_ < 0) {
    start_error_ = errno;
    return;
  }
  failure_out.reset();
  std::vector<std::string> environment;
  std::vector<char *> envp;
  try {
    environment = environment_with(variable, value_for(pid_));
    envp = pointers_to(environment);
  } catch (...) {
    go_out.reset();
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    saved_->restore();
    throw;
  }
  launch.envp = envp.data();
  // This end of the pipe is still open, so that no signal comes if the child
  // was killed.
  [[maybe_unused]] const ssize_t told = ::write(go_out.get(), "", 1);
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

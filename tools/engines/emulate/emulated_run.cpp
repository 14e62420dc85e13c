//===- emulated_run.cpp - Runs a command in QEMU, and records it ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/emulate/emulated_run.h"

#include "engines/emulate/command_line.h"
#include "engines/emulate/emulated_process.h"
#include "record/child_process.h"
#include "record/engine_choice.h"
#include "record/recording_run.h"
#include "record/run_socket.h"
#include "record/runtime_options.h"
#include "record/trace_texts.h"
#include "support/clock.h"
#include "support/elf_note.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <list>
#include <optional>
#include <utility>

namespace pagetide::tools {

using namespace emulation;

namespace {

constexpr char kQemu[] = "qemu-x86_64";
constexpr char kTunables[] = "GLIBC_TUNABLES";
constexpr char kPlugin[] = "libpagetide-emulate.so";
/// Processes that outlive the command may still end by themselves.
constexpr std::uint64_t kLingerNs = 250'000'000;

struct Received {
  Message message;
  UniqueFd fd;
};

/// One message, and perhaps a descriptor; nothing if it is none of ours.
std::optional<Received> receive(int connection) {
  Received received;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  iovec vector = {&received.message, sizeof(Message)};
  msghdr header = {};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got;
  do
    got = ::recvmsg(connection, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr *const part = got > 0 ? CMSG_FIRSTHDR(&header) : nullptr;
  if (part && part->cmsg_type == SCM_RIGHTS) {
    int fd;
    std::memcpy(&fd, CMSG_DATA(part), sizeof(fd));
    received.fd.reset(fd);
  }
  const Message &message = received.message;
  if (got < static_cast<ssize_t>(offsetof(Message, text)) ||
      message.magic != kMagic || message.version != kVersion)
    return std::nullopt;
  return received;
}

class EmulatedRun {
public:
  EmulatedRun(const EmulatedRunOptions &options, EmulatedRunFacts facts)
      : options_(options), facts_(std::move(facts)),
        next_boundary_(monotonic_ns() + options.period_ns) {}

  const std::string &socket() const { return socket_.path(); }

  void serve(ChildProcess &child);

  bool anyone_came() const { return anyone_came_; }
  const std::vector<ControlServer::Trace> &traces() const { return traces_; }

private:
  using Processes = std::list<EmulatedProcess>;

  void wait(const ChildProcess &child, std::optional<std::uint64_t> until);
  void end_periods();
  void accept_all();
  bool accept_one();
  void begin(pid_t pid, UniqueFd memory);
  void handle(pid_t pid, Received received);
  void finish(Processes::iterator process, bool exec);
  void finish_ended();
  void keep(const EmulatedProcess &process);
  Processes::iterator find(pid_t pid) {
    return std::ranges::find_if(
        processes_, [&](const auto &process) { return process.pid() == pid; });
  }

  const EmulatedRunOptions &options_;
  EmulatedRunFacts facts_;
  RunSocket socket_;
  Processes processes_;
  std::vector<ControlServer::Trace> traces_;
  std::uint64_t next_boundary_;
  pid_t command_ = -1;
  std::optional<std::uint64_t> command_end_;
  bool anyone_came_ = false;
};

/// Until something happens, or until a time.
void EmulatedRun::wait(const ChildProcess &child,
                       std::optional<std::uint64_t> until) {
  std::vector<pollfd> fds = {{child.signal_fd(), POLLIN, 0},
                             {socket_.listener(), POLLIN, 0}};
  for (const EmulatedProcess &process : processes_)
    if (process.pidfd() >= 0)
      fds.push_back({process.pidfd(), POLLIN, 0});
  if (options_.period_ns && (!until || next_boundary_ < *until))
    until = next_boundary_;
  timespec left = {};
  if (until) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t ns = *until > now ? *until - now : 0;
    left = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  }
  ::ppoll(fds.data(), fds.size(), until ? &left : nullptr, nullptr);
}

void EmulatedRun::end_periods() {
  const std::uint64_t now = monotonic_ns();
  if (!options_.period_ns || now < next_boundary_)
    return;
  const std::uint64_t overruns = (now - next_boundary_) / options_.period_ns;
  next_boundary_ += (overruns + 1) * options_.period_ns;
  for (EmulatedProcess &process : processes_)
    process.boundary(0, overruns);
}

void EmulatedRun::accept_all() {
  while (accept_one()) {
  }
}

bool EmulatedRun::accept_one() {
  UniqueFd connection;
  do
    connection.reset(
        ::accept4(socket_.listener(), nullptr, nullptr, SOCK_CLOEXEC));
  while (!connection && (errno == EINTR || errno == ECONNABORTED));
  if (!connection)
    return false;
  ucred peer = {};
  socklen_t size = sizeof(peer);
  ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  // Others cannot reach the directory, unless somebody changed its mode.
  if (peer.uid != ::geteuid() && peer.uid != 0)
    return true;
  // The plugin sends at once. Somebody else must not hold record up.
  const timeval limit = {1, 0};
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &limit,
               sizeof(limit));
  std::optional<Received> received = receive(connection.get());
  if (received)
    handle(peer.pid, std::move(*received));
  else
    say("process {} sent a message that is not of this pagetide's plugin; it "
        "was ignored",
        peer.pid);
  return true;
}

void EmulatedRun::begin(pid_t pid, UniqueFd memory) {
  anyone_came_ = true;
  // A process that comes again has executed another program.
  if (const auto before = find(pid); before != processes_.end())
    finish(before, !before->has_ended() || pid == command_);
  try {
    processes_.emplace_back(pid, std::move(memory), facts_, options_.output);
  } catch (const Failure &failure) {
    say("process {} is not recorded: {}", pid, failure.what());
  }
}

void EmulatedRun::handle(pid_t pid, Received received) {
  if (received.message.kind == MessageKind::kHello)
    return begin(pid, std::move(received.fd));
  const auto process = find(pid);
  if (process == processes_.end())
    return;
  switch (received.message.kind) {
  case MessageKind::kEndPeriod:
    return process->boundary(trace::kPeriodDriven);
  case MessageKind::kLastLook:
    return process->last_look();
  case MessageKind::kNative: {
    const char *const text = received.message.text;
    process->left_qemu();
    return say("process {} executes {}, which QEMU does not run as it is: not "
               "for x86-64, not readable, gaining privileges, or with too many "
               "words; it is not recorded from now on",
               pid,
               printable(std::string_view(
                   text, ::strnlen(text, sizeof(received.message.text)))));
  }
  default:
    return;
  }
}

void EmulatedRun::keep(const EmulatedProcess &process) {
  if (!process.trace())
    return;
  ControlServer::Trace trace;
  trace.pid = process.pid();
  trace.path = process.trace()->path();
  trace.bytes = process.trace()->bytes();
  trace.harvest.was_complete = !process.was_killed();
  traces_.push_back(std::move(trace));
}

void EmulatedRun::finish(Processes::iterator process, bool exec) {
  try {
    process->finish(exec,
                    process->pid() == command_ ? command_end_.value_or(0) : 0);
  } catch (const Failure &failure) {
    say("{}", failure.what());
  }
  keep(*process);
  processes_.erase(process);
}

void EmulatedRun::finish_ended() {
  for (auto next = processes_.begin(); next != processes_.end();) {
    const auto process = next++;
    if (process->pid() == command_ ? command_end_.has_value()
                                   : process->has_ended())
      finish(process, false);
  }
}

void EmulatedRun::serve(ChildProcess &child) {
  command_ = child.pid();
  raise_file_limit();
  std::optional<std::uint64_t> deadline;
  while (!deadline || (!processes_.empty() && monotonic_ns() < *deadline)) {
    wait(child, deadline);
    child.handle_signals();
    if (child.exit_status() && !deadline) {
      command_end_ = child.exit_status()->end_detail();
      deadline = monotonic_ns() + kLingerNs;
    }
    accept_all();
    finish_ended();
    end_periods();
  }
  for (EmulatedProcess &process : processes_) {
    process.stop();
    say("process {} still runs; its recording ended with the command",
        process.pid());
    keep(process);
  }
  processes_.clear();
}

/// Words and variables of a command of the run.
std::vector<std::string> start_words(const EmulatedRunOptions &options,
                                     const std::string &socket,
                                     const std::string &file,
                                     const std::vector<std::string> &command) {
  Program program{file, command};
  find_program(program);
  std::vector<std::string> qemu = {
      find_command(kQemu), "-cpu", "max", "-plugin",
      fmt::format("{},socket={},thread={}", find_library(kPlugin), socket,
                  options.per_thread ? 1 : 0)};
  if (!options.compared.empty())
    qemu.back() += ",compared=" + options.compared;
  if (!options.compared.empty())
    qemu.insert(qemu.begin() + 1, {"-U", kTunables});
  std::vector<std::string> environment;
  for (char **variable = environ; *variable; ++variable)
    environment.emplace_back(*variable);
  const std::vector<std::string> all = environment;
  std::vector<std::string> words = command_line(qemu, program, environment);
  // What has moved to the words leaves the environment.
  for (const std::string &variable : all)
    if (std::ranges::find(environment, variable) == environment.end())
      ::unsetenv(variable.substr(0, variable.find('=')).c_str());
  // QEMU has a descriptor for each page that the program maps, also of the
  // shadow. They are quicker to have in huge pages.
  if (!options.compared.empty())
    ::setenv(kTunables, "glibc.malloc.hugetlb=1", 1);
  return words;
}

} // namespace

void check_emulation(const std::string &file) {
  if (find_command(kQemu).empty())
    throw Failure(fmt::format(
        "engine emulate needs {}, which is not in PATH, so {} was not run; "
        "install the package qemu-user (apt-get install qemu-user)",
        kQemu, file));
  if (find_library(kPlugin).find(',') != std::string::npos)
    throw Failure(fmt::format("{}: QEMU takes no plugin whose path has a comma;"
                              " install Pagetide elsewhere",
                              find_library(kPlugin)));
  Program program{file, {file}};
  if (find_program(program) == CanRun::kInQemu)
    return;
  throw Failure(
      examine_elf(program.file).gains_privilege
          ? fmt::format("{} gains privileges when it starts, which it would "
                        "not in QEMU; record a copy that gains none",
                        program.file)
          : fmt::format("{} is no program for x86-64 that can be read, and "
                        "engine emulate runs no others",
                        program.file));
}

ExitStatus run_emulated(const EmulatedRunOptions &options,
                        const std::string &file,
                        const std::vector<std::string> &command,
                        const QuietPipes &pipes) {
  EmulatedRunFacts facts;
  facts.run = new_run_id();
  facts.period_ns = options.period_ns;
  facts.per_thread = options.per_thread;
  std::error_code ignored;
  facts.qemu = std::filesystem::canonical(find_command(kQemu), ignored);
  EmulatedRun run(options, facts);
  const std::vector<std::string> words =
      start_words(options, run.socket(), file, command);
  say("engine emulate: {} runs in QEMU, some {} times slower",
      printable(command[0]),
      options.compared.empty() ? "20 to 30" : "100 to 200");
  std::optional<FixedAddresses> fixed_addresses;
  if (options.no_aslr)
    fixed_addresses.emplace();
  ChildProcess child(words, kOptionsVariable, options.runtime_options, pipes);
  fixed_addresses.reset();
  if (child.pid() < 0)
    throw Failure(fmt::format("{}: cannot be executed: {}", words[0],
                              std::strerror(child.start_error())));
  run.serve(child);
  if (!run.anyone_came())
    throw Failure("QEMU did not start, or took no plugin, so the program was "
                  "not run; its message says why. The engine needs a QEMU of "
                  "version 6.0 to 8.1 that takes plugins: Debian 13's takes "
                  "none");
  if (options.output)
    say_traces(run.traces(), options.output->path());
  return *child.exit_status();
}

} // namespace pagetide::tools

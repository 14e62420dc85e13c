//===- fake_runtime.cpp - Plays a recorded process to pagetide record -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   fake_runtime ACTION...
//
// Does the actions in order, as a process with the runtime would. It makes the
// trace that PAGETIDE_OPTIONS names, or FILE.<pid> where that is taken.
//
//   hello         makes trace and shadow and sends the greeting
//   hello-no-trace, hello-version, hello-short, hello-garbage, hello-no-fds
//   period        writes a period with one page read to the trace
//   stage         stages a complete period with one page written
//   mark          marks a page in the shadow
//   torn          writes half a frame
//   end           writes an End frame
//   options       prints PAGETIDE_OPTIONS
//   sleep=MS, exit=STATUS, kill=SIGNAL
//   fork          goes on with the next actions in a child, and waits for it
//   touch=FILE    makes the file
//   exec          closes the connection and becomes `sleep 1`

#include "pagetide/abi.h"
#include "sample_traces.h"
#include "shadow_file_maker.h"
#include "support/unique_fd.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>

using namespace pagetide::tools;
namespace trace = pagetide::trace;
namespace shadow_file = pagetide::shadow_file;

namespace {

/// It counts as instrumented.
[[gnu::section(".note.pagetide"), gnu::used,
  gnu::aligned(4)]] const pagetide::abi::ModuleNote kNote = {
    sizeof(pagetide::abi::kNoteName),
    sizeof(pagetide::abi::ModuleInfo) + sizeof(std::int32_t),
    pagetide::abi::kNoteType,
    "Pagetide",
    {pagetide::abi::kVersion,
     static_cast<std::uint32_t>(pagetide::abi::Layout::kRw),
     pagetide::abi::kDefaultGranuleShift, pagetide::abi::kDefaultGranuleShift,
     0},
    0};

[[noreturn]] void fail(const std::string &what) {
  fmt::print(stderr, "fake_runtime: {}: {}\n", what, std::strerror(errno));
  std::exit(99);
}

/// The value of an option, unquoted; the last one counts.
std::string option(const std::string &name) {
  const char *variable = std::getenv("PAGETIDE_OPTIONS");
  std::string text = variable ? variable : "";
  std::string value;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      break;
    const std::string key = text.substr(0, equals);
    text.erase(0, equals + 1);
    std::string here;
    if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
      const std::size_t quote = text.find(text[0], 1);
      here = text.substr(1, quote - 1);
      text.erase(0, quote + 1);
    } else {
      here = text.substr(0, text.find(':'));
      text.erase(0, here.size());
    }
    if (!text.empty() && text[0] == ':')
      text.erase(0, 1);
    if (key == name)
      value = here;
  }
  return value;
}

class FakeProcess {
public:
  void hello(const std::string &kind);
  void act(const std::string &action);

private:
  void make_trace(std::string &path);
  PeriodPart next_period();
  void append(const Bytes &bytes) {
    FdSink(trace_.get(), "trace").write(bytes);
  }

  UniqueFd connection_;
  UniqueFd trace_;
  std::unique_ptr<ShadowFileMaker> shadow_;
  std::uint64_t periods_ = 0;
  std::uint64_t page_ = 0x1000;
};

void FakeProcess::make_trace(std::string &path) {
  const std::string base = option("trace_path");
  if (base.empty())
    return;
  path = base;
  for (int tries = 0; !trace_ && tries < 2; ++tries) {
    trace_.reset(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!trace_)
      path = fmt::format("{}.{}", base, ::getpid());
  }
  if (!trace_)
    fail(path);
  trace::FileHeader header = sample_header();
  header.pid = static_cast<std::uint32_t>(::getpid());
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  header.realtime_ns = static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
                       static_cast<std::uint64_t>(now.tv_nsec);
  ::flock(trace_.get(), LOCK_EX | LOCK_NB);
  FdSink sink(trace_.get(), path);
  TraceWriter writer(sink);
  writer.header(header);
  RunId id;
  const std::string digits = option("run_id");
  for (std::size_t i = 0; i < id.bytes.size(); ++i)
    id.bytes[i] = static_cast<std::uint8_t>(
        std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  writer.write(id);
}

void FakeProcess::hello(const std::string &kind) {
  // A forked child is another process with all of its own.
  connection_.reset();
  trace_.reset();
  periods_ = 0;
  std::string path;
  if (kind != "hello-no-trace")
    make_trace(path);
  shadow_ = std::make_unique<ShadowFileMaker>();
  shadow_->header.pid = static_cast<std::uint32_t>(::getpid());
  shadow_->set_slot(1, shadow_file::SlotState::kLive,
                    static_cast<std::uint32_t>(::getpid()));
  shadow_->set_period(0);

  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string control = option("control");
  std::strncpy(address.sun_path, control.c_str(), sizeof(address.sun_path) - 1);
  connection_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (::connect(connection_.get(), reinterpret_cast<sockaddr *>(&address),
                sizeof(address)) != 0)
    fail(control);
  shadow_file::Hello hello = {};
  hello.magic = shadow_file::kMagic;
  hello.version = shadow_file::kVersion + (kind == "hello-version" ? 1 : 0);
  hello.pid = static_cast<std::uint32_t>(::getpid());
  hello.trace_bytes = static_cast<std::uint32_t>(path.size());
  std::memcpy(hello.trace_path, path.data(), path.size());
  if (kind == "hello-garbage")
    hello.magic = 1;
  iovec piece = {&hello, kind == "hello-short" ? 17 : sizeof(hello)};
  const int fds[2] = {shadow_->fd(), trace_.get()};
  const std::size_t fd_bytes =
      kind == "hello-no-fds" ? 0 : sizeof(int) * (trace_ ? 2 : 1);
  alignas(cmsghdr) char control_bytes[CMSG_SPACE(sizeof(fds))] = {};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (fd_bytes != 0) {
    message.msg_control = control_bytes;
    message.msg_controllen = CMSG_SPACE(fd_bytes);
    cmsghdr *part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(fd_bytes);
    std::memcpy(CMSG_DATA(part), fds, fd_bytes);
  }
  if (::sendmsg(connection_.get(), &message, MSG_NOSIGNAL) < 0)
    fail("sendmsg");
}

/// The period that ends now; the one after it is open.
PeriodPart FakeProcess::next_period() {
  PeriodPart period = sample_period(periods_++);
  shadow_->header.open_period = periods_;
  shadow_->set_period(periods_ - 1);
  shadow_->set_period(periods_);
  return period;
}

void FakeProcess::act(const std::string &action) {
  const std::string value = action.find('=') == std::string::npos
                                ? ""
                                : action.substr(action.find('=') + 1);
  if (action.starts_with("hello")) {
    hello(action);
  } else if (action == "period") {
    PeriodPart period = next_period();
    period.add_section(
        0, std::vector<GranuleRun>{{page_ >> 12, 1, trace::kRunRead}});
    page_ += 0x2000;
    append(make_frame(trace::FrameType::kPeriod, encode(period)));
    shadow_->header.periods_written = periods_;
    shadow_->save();
  } else if (action == "stage") {
    next_period();
    shadow_->stage(periods_ - 1, 0, {shadow_->word({}, {page_})});
    page_ += 0x2000;
  } else if (action == "mark") {
    shadow_->mark_written(1, page_);
    page_ += 0x2000;
  } else if (action == "torn") {
    Bytes frame = make_frame(trace::FrameType::kNote, Bytes(100, 1));
    frame.resize(frame.size() - 3);
    append(frame);
  } else if (action == "end") {
    append(make_frame(trace::FrameType::kEnd, encode(End{})));
  } else if (action == "options") {
    const char *options = std::getenv("PAGETIDE_OPTIONS");
    fmt::print("PAGETIDE_OPTIONS={}\n", options ? options : "");
    std::fflush(stdout);
  } else if (action.starts_with("sleep=")) {
    ::usleep(static_cast<useconds_t>(std::stoul(value) * 1000));
  } else if (action.starts_with("exit=")) {
    ::_exit(std::stoi(value));
  } else if (action.starts_with("kill=")) {
    ::kill(::getpid(), std::stoi(value));
    ::pause();
  } else if (action.starts_with("touch=")) {
    UniqueFd(::open(value.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  } else if (action == "fork") {
    const pid_t child = ::fork();
    if (child != 0) {
      ::waitpid(child, nullptr, 0);
      // The parent's connection stays open until it exits.
      ::_exit(0);
    }
  } else if (action == "exec") {
    ::execlp("sleep", "sleep", "1", static_cast<char *>(nullptr));
    fail("sleep");
  } else {
    fail("no such action: " + action);
  }
}

} // namespace

int main(int argc, char **argv) {
  try {
    FakeProcess process;
    for (int i = 1; i < argc; ++i)
      process.act(argv[i]);
  } catch (const std::exception &problem) {
    fail(problem.what());
  }
  return 0;
}

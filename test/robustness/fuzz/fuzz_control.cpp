//===- fuzz_control.cpp - Greets a recorder in every way ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages to the control socket, and what they hand over:
//
//   { u8 what, u16 bytes, content }*
//
// What bits say: 1 the content stands behind a right beginning of a greeting; 2
// a shadow goes with it; 4 a trace; 8 a third descriptor; 16 another
// connection.
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"
#include "record/control_server.h"
#include "record/trace_texts.h"
#include "sample_traces.h"
#include "shadow_file_maker.h"
#include "shell_words.h"
#include "socket_testing.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "trace/trace_writer.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

using namespace pagetide::tools;
namespace shadow_file = pagetide::shadow_file;

namespace {

UniqueFd connection_to(const ControlServer &server) {
  UniqueFd own = connect_to(server.socket_path());
  require(bool(own), "the recorder listens");
  return own;
}

void send(int socket, const Bytes &message, const std::vector<int> &fds) {
  iovec piece = {const_cast<std::uint8_t *>(message.data()), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size() * sizeof(int));
  }
  ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Bytes beginning() {
  shadow_file::Hello hello = {};
  hello.magic = shadow_file::kMagic;
  hello.version = shadow_file::kVersion;
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(&hello);
  return Bytes(bytes, bytes + offsetof(shadow_file::Hello, trace_bytes));
}

} // namespace

PAGETIDE_FUZZER(fuzz_control) {
  static const Bytes kTrace = sample_trace("basic");
  ShadowFileMaker shadow({}, false, 8);
  const UniqueFd file(::memfd_create("trace", MFD_CLOEXEC));
  FdSink(file.get(), "trace").write(kTrace);
  ControlServer server;
  // This process does not end: it is the command, whose end is told.
  server.set_command(::getpid());
  UniqueFd connection = connection_to(server);
  for (int i = 0; i < 16 && !input.empty(); ++i) {
    const std::uint8_t what = input.byte();
    const Bytes content = input.bytes(input.number(2));
    Bytes message = what & 1 ? beginning() : Bytes();
    message.insert(message.end(), content.begin(), content.end());
    std::vector<int> fds;
    if (what & 2)
      fds.push_back(shadow.fd());
    if (what & 4)
      fds.push_back(file.get());
    if (what & 8)
      fds.push_back(connection.get());
    if (what & 16)
      connection = connection_to(server);
    send(connection.get(), message, fds);
    server.serve();
  }
  connection.reset();
  server.command_ended(256 + 9);
  server.serve();
  server.finish_hung_up();
  // A trace's path is as the process gave it; what is printed is not.
  const auto require_printable = [](const std::string &text) {
    for (const char c : text)
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f,
              "no terminal controls");
  };
  for (const ControlServer::Trace &done : server.traces()) {
    require_printable(done.failure);
    require_printable(describe_trace(done));
    const std::string command = report_command(done.path);
    require_printable(command);
    const bool looks_like_option = done.path.starts_with('-');
    require(shell_words(command) ==
                std::vector<std::string>{"pagetide", "report",
                                         (looks_like_option ? "./" : "") +
                                             done.path},
            "the command that is printed shows the trace");
  }
  for (const std::string &message : server.messages()) {
    require(!message.empty(), "messages say something");
    require_printable(message);
  }
}

//===- control_server_test.cpp - Who waits for pagetide record ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/control_server.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstring>
#include <optional>

namespace pagetide::tools {
namespace {

UniqueFd connect_to(const ControlServer &server) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, server.socket_path().c_str(),
               sizeof(address.sun_path) - 1);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr *>(&address),
                      sizeof(address)),
            0);
  return fd;
}

/// Lowers the limit of open files for its lifetime.
class FewFiles {
public:
  explicit FewFiles(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few = {most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_ = {};
};

TEST(ControlServer, TheLimitKeepsNobodyWaitingWhoHasJustCome) {
  ControlServer server;
  server.serve();
  const UniqueFd client = connect_to(server);
  EXPECT_FALSE(server.anyone_waits());
  server.serve();
  EXPECT_FALSE(server.anyone_waits());
}

TEST(ControlServer, WhoFindsNoDescriptorWaits) {
  ControlServer server;
  const UniqueFd client = connect_to(server);
  {
    const FewFiles none_free(1); // poll() takes as many as that
    server.serve();
    EXPECT_TRUE(server.anyone_waits());
  }
  server.serve();
  EXPECT_FALSE(server.anyone_waits());
}

TEST(ControlServer, MoreProcessesThanTheLimitHasRoomForWait) {
  std::optional<FewFiles> room_for_two(32);
  ControlServer server;
  room_for_two.reset();
  const UniqueFd first = connect_to(server);
  const UniqueFd second = connect_to(server);
  const UniqueFd third = connect_to(server);
  server.serve();
  EXPECT_TRUE(server.anyone_waits());
}

} // namespace
} // namespace pagetide::tools

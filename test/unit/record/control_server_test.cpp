//===- control_server_test.cpp - Who waits for pagetide record ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/control_server.h"
#include "socket_testing.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <optional>

namespace pagetide::tools {
namespace {

UniqueFd client_of(const ControlServer &server) {
  UniqueFd client = connect_to(server.socket_path());
  EXPECT_TRUE(client);
  return client;
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
  const UniqueFd client = client_of(server);
  EXPECT_FALSE(server.anyone_waits());
  server.serve();
  EXPECT_FALSE(server.anyone_waits());
}

TEST(ControlServer, WhoFindsNoDescriptorWaits) {
  ControlServer server;
  const UniqueFd client = client_of(server);
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
  const UniqueFd first = client_of(server);
  const UniqueFd second = client_of(server);
  const UniqueFd third = client_of(server);
  server.serve();
  EXPECT_TRUE(server.anyone_waits());
}

} // namespace
} // namespace pagetide::tools

//===- socket_testing.h - Connections to sockets under test ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

namespace pagetide::tools {

/// A connection to the socket at that path; none if it cannot be made.
inline UniqueFd connect_to(const std::string &path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address),
                sizeof(address)) != 0)
    fd.reset();
  return fd;
}

} // namespace pagetide::tools

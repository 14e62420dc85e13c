//===- run_socket.h - Where a run's processes reach record ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <string>

namespace pagetide::tools {

/// A listening socket in a directory that only this user may enter. A lock of
/// the directory tells that its record lives. If a record was killed, the
/// user's next one removes what it left.
class RunSocket {
public:
  /// Throws Failure if no directory will do.
  RunSocket();
  ~RunSocket();
  RunSocket(const RunSocket &) = delete;

  const std::string &path() const { return path_; }
  int listener() const { return listener_.get(); }

private:
  /// Returns why the base will not do; empty if it does.
  std::string make_in(const std::string &base);
  std::string make_directory(const std::string &base);
  void remove();

  std::string directory_;
  std::string path_;
  UniqueFd lock_;
  UniqueFd listener_;
};

} // namespace pagetide::tools

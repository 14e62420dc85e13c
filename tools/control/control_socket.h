//===- control_socket.h - Asks a process and gets its reply ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include "pagetide/control.h"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace pagetide::tools {

/// The process that is asked.
struct ControlPeer {
  pid_t pid;
  uid_t user;
  int pidfd;
  std::string text;    ///< of messages: "process 12 (prog)"
  std::string silence; ///< what it may mean if the process does not connect
  /// Sends the signal. A process that gets another one meanwhile, from another
  /// ctl, forgets the first; so this is called again and again.
  std::function<void()> knock;
};

/// The user has ended ctl by a signal.
struct ControlInterrupted {
  bool was_asked; ///< the process has the request
};

/// A socket in the directory of the process's user, while this object lives.
class ControlSocket {
public:
  /// Throws Failure if the socket cannot be made.
  ControlSocket(const std::string &directory, uid_t user, gid_t group);
  ~ControlSocket();
  ControlSocket(const ControlSocket &) = delete;

  /// What the socket's name ends with, and the signal's value.
  int number() const { return number_; }

  /// Whether the process finds this socket at the same path. It does not in a
  /// container, or if systemd gives it a /tmp of its own.
  bool is_seen_by(pid_t pid) const;

  /// Knocks, and waits for the peer's connection at most so long. Others are
  /// turned away.
  /// Throws Failure if the peer does not connect or ends, ControlInterrupted if
  /// `interrupts` becomes readable (-1: never).
  UniqueFd accept(const ControlPeer &peer, std::chrono::milliseconds patience,
                  int interrupts) const;

private:
  /// Returns false if the directory was removed meanwhile.
  bool make();
  void remove_leftovers() const;

  int number_;
  uid_t user_;
  gid_t group_;
  std::string path_; ///< of the directory
  std::string name_;
  UniqueFd directory_;
  UniqueFd socket_;
};

/// Sends the request and waits for the reply, at most so long. Throws as
/// ControlSocket::accept does, and Failure if the reply is malformed.
control::Reply ask_process(const UniqueFd &connection,
                           const control::Request &request,
                           const ControlPeer &peer,
                           std::chrono::milliseconds patience, int interrupts);

} // namespace pagetide::tools

//===- remote_calls.h - System calls made in another process --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A traced thread, stopped, makes system calls for this process: its registers
// point to a call instruction of the vdso while that runs, and no byte of the
// program changes. Its signals are blocked meanwhile.

#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// Makes the thread call again what a stop interrupted, so that no call of it
/// fails with EINTR. Returns false where there was nothing to change.
/// `elapsed_ms` is how long the same call has run since it was last made to
/// begin again, and 0 if it was not: epoll_wait would never time out otherwise.
bool begin_call_again(user_regs_struct &registers, std::uint64_t elapsed_ms);

class RemoteCalls {
public:
  enum class From {
    kUserMode, ///< the stop is none of those below
    kExec,     ///< the thread is stopped in its call of execve
  };
  /// The thread must be stopped. Throws Failure if it cannot make calls.
  explicit RemoteCalls(pid_t tid, From from = From::kUserMode);
  /// The thread is stopped as before, and its registers are as they were.
  ~RemoteCalls();
  RemoteCalls(const RemoteCalls &) = delete;

  /// Returns what the call returned: minus an errno if it failed. Throws
  /// Failure if the thread ends meanwhile.
  long call(long number, std::array<std::uint64_t, 5> arguments = {});

private:
  void run_to_stop();
  void restore();

  pid_t tid_;
  user_regs_struct saved_ = {};
  std::uint64_t saved_mask_ = 0;
  std::uint64_t instruction_ = 0;
  std::vector<int> swallowed_; ///< signals to send again
  bool saved_all_ = false;
};

} // namespace pagetide::tools

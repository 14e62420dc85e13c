//===- main.cpp - The pagetide program ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "support/say.h"
#include "support/text_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

namespace {

/// A standard stream that is closed keeps its number: no file that is opened
/// later gets what is meant for the stream. Writing and reading fail as before,
/// and a command that is started finds the stream closed.
void keep_closed_streams_closed() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0)
      ::open("/dev/null",
             (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

} // namespace

int main(int argc, char **argv) {
  using namespace pagetide::tools;
  keep_closed_streams_closed();
  try {
    return run_pagetide({argv + 1, argv + argc});
  } catch (const ReaderGone &) {
    return kStatusFailed;
  } catch (const std::exception &problem) {
    say("{}", problem.what());
    return kStatusFailed;
  }
}

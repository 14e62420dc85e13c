//===- stream_files.cpp - Streams of checkpoints as commands have them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checkpoint/stream_files.h"

#include "format/error.h"
#include "store/chain.h"
#include "store/merge.h"
#include "store/stream_writer.h"
#include "support/failure.h"
#include "support/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace pagetide::tools {

namespace {

namespace cp = checkpoint;

/// Also where a symbolic link or a device names the file.
cp::File opened(const std::string &name, int flags) {
  const int fd = ::open(name.c_str(), flags | O_CLOEXEC);
  if (fd < 0)
    throw cp::Error(cp::Problem::kIo,
                    name + ": open failed: " + cp::errno_text(errno));
  return cp::File::of(name, fd);
}

/// One that File may close.
cp::File standard_file(const char *name, int fd) {
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    throw cp::Error(cp::Problem::kIo, std::string(name) + ": fcntl failed: " +
                                          cp::errno_text(errno));
  return cp::File::of(name, own);
}

void write_round(const cp::Chain &chain, cp::StreamWriter &writer,
                 const std::string &name) {
  cp::Manifest head = chain.newest();
  Progress progress;
  cp::merge(chain, cp::Source::kStays, writer.begin_round(std::move(head)),
            [&](std::uint64_t done, std::uint64_t total) {
              progress.at(name, done, total);
            });
  writer.end_round();
  writer.end(0, cp::RoundsEnd::kNone);
}

StreamFacts write_chain(const cp::Chain &chain, const cp::File &out) {
  cp::StreamWriter writer(out, cp::compression_like(chain));
  try {
    write_round(chain, writer, out.path());
  } catch (const cp::Error &error) {
    writer.give_up(error.what());
    throw;
  }
  return {chain.newest().region_bytes(), writer.bytes()};
}

} // namespace

StreamFacts write_stream(const cp::Folder &folder, std::uint64_t number,
                         const std::string &output) {
  const cp::Chain chain = cp::Chain::load(folder, number);
  if (output == "-") {
    if (::isatty(STDOUT_FILENO))
      throw Failure("checkpoint: stream: standard output is a terminal; name a "
                    "file by --output, or use a pipe");
    return write_chain(chain, standard_file("standard output", STDOUT_FILENO));
  }
  return write_chain(chain, opened(output, O_WRONLY));
}

cp::AppliedStream read_stream(const std::string &input,
                              const std::string &folder) {
  const cp::File in = input == "-"
                          ? standard_file("standard input", STDIN_FILENO)
                          : opened(input, O_RDONLY);
  Progress progress;
  return cp::apply_stream(in, folder,
                          [&](std::uint64_t done, std::uint64_t total) {
                            progress.at(in.path(), done, total);
                          });
}

} // namespace pagetide::tools

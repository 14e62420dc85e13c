//===- make_trace.cpp - Writes sample traces for the tests of the CLI -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   make_trace --list            names and describes the samples
//   make_trace NAME FILE         writes one
//   make_trace --all DIRECTORY   writes each as DIRECTORY/NAME
//   make_trace --big BYTES FILE  writes a trace of about that size
//   make_trace --run PERIODS PAGES FILE [SCATTERED]  writes a run of four
//                                threads with so many scattered accesses each
//   make_trace --many PROCESSES FILE  writes a run of short processes
//   make_trace --markup FILE     writes a trace whose names are HTML

#include "run_traces.h"
#include "sample_traces.h"

#include "support/failure.h"
#include "support/unique_fd.h"

#include <fcntl.h>

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace pagetide::tools;

namespace {

void write_file(const std::string &path, const Bytes &bytes) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd)
    throw Failure("{}: cannot be made", path);
  FdSink(fd.get(), path).write(bytes);
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 1 && words[0] == "--list") {
      for (const SampleTrace &sample : sample_traces())
        fmt::print("{:<16} {}\n", sample.name, sample.help);
      return 0;
    }
    if (words.size() == 2 && words[0] == "--all") {
      for (const SampleTrace &sample : sample_traces())
        write_file(words[1] + "/" + sample.name, sample.make());
      return 0;
    }
    if (words.size() == 3 && words[0] == "--big") {
      write_big_trace(words[2], std::stoull(words[1]));
      return 0;
    }
    if (words.size() == 4 && words[0] == "--run") {
      write_run_trace(words[3], std::stoull(words[1]), std::stoull(words[2]));
      return 0;
    }
    if (words.size() == 5 && words[0] == "--run") {
      write_run_trace(words[3], std::stoull(words[1]), std::stoull(words[2]),
                      std::stoull(words[4]));
      return 0;
    }
    if (words.size() == 3 && words[0] == "--many") {
      write_many_traces(words[2],
                        static_cast<std::uint32_t>(std::stoul(words[1])));
      return 0;
    }
    if (words.size() == 2 && words[0] == "--markup") {
      write_markup_trace(words[1]);
      return 0;
    }
    if (words.size() == 2) {
      write_file(words[1], sample_trace(words[0]));
      return 0;
    }
  } catch (const std::exception &problem) {
    fmt::print(stderr, "make_trace: {}\n", problem.what());
    return 1;
  }
  fmt::print(stderr,
             "usage: make_trace NAME FILE | --list | --all DIRECTORY | "
             "--big BYTES FILE | --run PERIODS PAGES FILE [SCATTERED] | --many "
             "PROCESSES FILE | --markup FILE\n");
  return 1;
}

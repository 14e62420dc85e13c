//===- source_text.cpp - Finds and reads a source file --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/source_text.h"

#include "support/failure.h"
#include "support/text_format.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pagetide::tools {

bool SourceRequest::is_meant(const std::string &recorded) const {
  return !file.empty() && (recorded == file || recorded.ends_with('/' + file));
}

std::string place_of_source(const SourceRequest &request,
                            const std::string &recorded) {
  for (const auto &[before, now] : request.moved)
    if (recorded.starts_with(before))
      return now + recorded.substr(before.size());
  return recorded;
}

std::vector<std::string> read_source(const SourceRequest &request,
                                     const std::string &recorded) {
  const std::string path = place_of_source(request, recorded);
  std::error_code problem;
  const bool is_file = std::filesystem::is_regular_file(path, problem);
  std::ifstream in;
  if (is_file)
    in.open(path);
  if (!in.is_open() || !in)
    throw Failure("{}: the source cannot be read: {}; if it has moved, say "
                  "where: --source-path OLD=NEW",
                  printable(path),
                  problem    ? problem.message()
                  : !is_file ? std::string("it is no file")
                             : std::string(std::strerror(errno)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace pagetide::tools

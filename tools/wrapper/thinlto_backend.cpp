//===- thinlto_backend.cpp - The backend of a distributed ThinLTO ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "thinlto_backend.h"

#include "command_line.h"

#include <algorithm>
#include <utility>

namespace pagetide::wrapper {

namespace {

/// What clang would call the output.
std::string output_of_input(const CommandLine &line) {
  std::string name = line.inputs.front();
  name.erase(0, name.rfind('/') + 1); // npos + 1 is 0
  name.erase(std::min(name.rfind('.'), name.size()));
  const auto &rest = line.backend_rest;
  const bool is_text = std::find(rest.begin(), rest.end(), "-S") != rest.end();
  return name + (is_text ? ".s" : ".o");
}

} // namespace

bool is_thinlto_backend(const CommandLine &line) {
  return uses_pagetide(line) && line.generates && !line.links &&
         !line.thinlto_index.empty() && line.inputs.size() == 1;
}

std::vector<std::string> optimizing_arguments(const CommandLine &line,
                                              const std::string &bitcode) {
  std::vector<std::string> out = line.backend_rest;
  for (const std::string &word :
       {std::string("-emit-llvm"), "-fthinlto-index=" + line.thinlto_index,
        std::string("-o"), bitcode, std::string("-x"), std::string("ir"),
        line.inputs.front()})
    out.push_back(word);
  return out;
}

CommandLine marking_line(const CommandLine &line, const std::string &bitcode) {
  CommandLine next = line;
  next.rest = line.backend_rest;
  for (const std::string &word :
       {std::string("-o"),
        line.output.empty() ? output_of_input(line) : line.output,
        std::string("-x"), std::string("ir"), bitcode})
    next.rest.push_back(word);
  return next;
}

} // namespace pagetide::wrapper

//===- main.cpp - Writes manual pages and completions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: pagetide_manual DIRECTORY
//
// Runs during the build, and is not installed. All that it writes comes from
// the tables that the programs themselves use.
//
//===----------------------------------------------------------------------===//

#include "manual/completion.h"
#include "manual/man_page.h"
#include "support/text_output.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

using namespace pagetide::tools;

namespace {

void write_file(const std::filesystem::path &path, const std::string &text) {
  std::filesystem::create_directories(path.parent_path());
  TextOutput out(path.string());
  out.write(text);
  out.close();
}

void write_all(const std::filesystem::path &directory) {
  // A command may have been removed.
  std::filesystem::remove_all(directory);
  const std::filesystem::path pages = directory / "man1";
  write_file(pages / "pagetide.1", main_man_page());
  write_file(pages / "pagetide-clang.1", wrapper_man_page());
  for (const char *other : {"pagetide-clang++.1", "pagetide-flang.1"})
    write_file(pages / other, ".so man1/pagetide-clang.1\n");
  for (const Command *command : all_commands())
    write_file(pages / (page_name(*command) + ".1"), man_page(*command));
  write_file(directory / "bash" / "pagetide", bash_completion());
  write_file(directory / "zsh" / "_pagetide", zsh_completion());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: pagetide_manual DIRECTORY\n", stderr);
    return 2;
  }
  try {
    write_all(argv[1]);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "pagetide_manual: %s\n", problem.what());
    return 2;
  }
  return 0;
}

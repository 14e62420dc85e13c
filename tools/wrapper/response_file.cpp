//===- response_file.cpp - @FILE arguments, as clang expands them ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "response_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <optional>

namespace pagetide::wrapper {

namespace {

// A file may name itself.
constexpr int kMaxDepth = 16;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::optional<std::string> read_file(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return std::nullopt;
  std::string text;
  char buffer[4096];
  while (std::size_t got = std::fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, got);
  const bool failed = std::ferror(file) != 0; // for example, a directory
  std::fclose(file);
  if (failed)
    return std::nullopt;
  return text;
}

void expand(const std::vector<std::string> &args, int depth,
            std::vector<std::string> &out) {
  for (const std::string &arg : args) {
    if (arg.size() > 1 && arg[0] == '@' && depth < kMaxDepth) {
      if (std::optional<std::string> text = read_file(arg.c_str() + 1)) {
        expand(split_response_text(*text), depth + 1, out);
        continue;
      }
    }
    out.push_back(arg);
  }
}

} // namespace

std::vector<std::string> split_response_text(std::string_view text) {
  std::vector<std::string> args;
  std::string current;
  bool started = false; // "" is an argument too
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      current += text[++i];
      started = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        current += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      started = true;
    } else if (is_space(c)) {
      if (started)
        args.push_back(std::move(current));
      current.clear();
      started = false;
    } else {
      current += c;
      started = true;
    }
  }
  if (started)
    args.push_back(std::move(current));
  return args;
}

std::vector<std::string>
expand_response_files(const std::vector<std::string> &args) {
  std::vector<std::string> out;
  expand(args, 0, out);
  return out;
}

std::vector<std::string>
read_config_files(const std::vector<std::string> &files,
                  const std::vector<std::string> &directories) {
  llvm::BumpPtrAllocator allocator;
  llvm::cl::ExpansionContext context(allocator, llvm::cl::tokenizeConfigFile);
  const std::vector<llvm::StringRef> searched(directories.begin(),
                                              directories.end());
  context.setSearchDirs(searched);
  llvm::SmallVector<const char *> args;
  for (const std::string &file : files) {
    llvm::SmallString<128> path(file);
    if (file.find('/') != std::string::npos
            ? bool(llvm::sys::fs::make_absolute(path))
            : !context.findConfigFile(file, path))
      continue;
    llvm::consumeError(context.readConfigFile(path, args));
  }
  return {args.begin(), args.end()};
}

} // namespace pagetide::wrapper

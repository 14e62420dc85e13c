//===- response_file.cpp - @FILE arguments, as clang expands them ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "response_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace pagetide::wrapper {

std::vector<std::string>
expand_response_files(const std::vector<std::string> &args) {
  llvm::BumpPtrAllocator allocator;
  llvm::cl::ExpansionContext context(allocator,
                                     llvm::cl::TokenizeGNUCommandLine);
  llvm::SmallVector<const char *> words;
  for (const std::string &arg : args)
    words.push_back(arg.c_str());
  llvm::consumeError(context.expandResponseFiles(words));
  return {words.begin(), words.end()};
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

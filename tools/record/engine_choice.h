//===- engine_choice.h - Recording what is not instrumented ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/engines.h"
#include "record/auto_engine.h"

#include <filesystem>
#include <memory>
#include <string>

namespace pagetide::tools {

/// A library of Pagetide's beside this program. The build tree and an installed
/// prefix have the same layout. Throws Failure if it is not there.
std::string find_library(const char *name);

/// The runtime under a name that LD_PRELOAD can hold, for as long as this
/// lives: a blank or a colon would end the name. If there is one, the name is
/// that of a link in a directory for temporary files.
class PreloadableRuntime {
public:
  /// Throws Failure if the link cannot be made.
  explicit PreloadableRuntime(const std::filesystem::path &runtime);
  ~PreloadableRuntime();
  PreloadableRuntime(const PreloadableRuntime &) = delete;
  PreloadableRuntime &operator=(const PreloadableRuntime &) = delete;

  const std::filesystem::path &name() const { return name_; }

private:
  std::filesystem::path name_;
  std::filesystem::path directory_; ///< empty: none was made
};

/// Throws Failure if the file is instrumented, or gains privileges.
void check_without_marks(const engines::Capabilities &engine,
                         const std::string &file, Build build);

/// Sets LD_PRELOAD, so that the runtime is preloaded into the commands that
/// this process starts while the result lives. `engine` is one that needs no
/// marks. Throws Failure if it cannot record `file`.
std::unique_ptr<PreloadableRuntime>
prepare_engine(const engines::Capabilities &engine, const std::string &file,
               Build build);

/// If a record around this one has chosen an engine that is preloaded: takes
/// that out of LD_PRELOAD. Before that, programs ran without it.
void leave_outer_preload();

/// Tells why no process of the run may have recorded, after the command's end.
void say_nothing_preloaded(const std::string &file, const std::string &engine);

} // namespace pagetide::tools

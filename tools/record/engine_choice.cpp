//===- engine_choice.cpp - Recording what is not instrumented -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/engine_choice.h"

#include "record/kernel_probe.h"
#include "record/runtime_options.h"
#include "support/failure.h"
#include "support/option_text.h"
#include "support/say.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace pagetide::tools {

namespace {

constexpr const char kPreload[] = "LD_PRELOAD";
constexpr const char kRuntime[] = "libpagetide.so.1";

bool ends_preload_name(const std::string &text) {
  return text.find_first_of(" :") != std::string::npos;
}

std::string preload_list() {
  const char *list = std::getenv(kPreload);
  return list ? list : "";
}

/// The other names of the list.
std::string without(const std::string &name, const std::string &list) {
  std::string out;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(" :", at), list.size());
    const std::string one = list.substr(at, end - at);
    if (!one.empty() && one != name)
      out += fmt::format("{}{}", out.empty() ? "" : ":", one);
    at = end + 1;
  }
  return out;
}

} // namespace

std::string find_library(const char *name) {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Failure("cannot tell where this program is: /proc/self/exe: {}; is "
                  "/proc mounted?",
                  error.message());
  const std::filesystem::path bin = self.parent_path();
  for (const char *relative : {PAGETIDE_LIBDIR_FROM_BIN, "../lib"}) {
    const std::string path =
        (bin / relative / name).lexically_normal().string();
    if (::access(path.c_str(), R_OK) == 0)
      return path;
  }
  throw Failure("{} is not in {}/lib, beside this program's directory; build "
                "it (ninja), or install all of Pagetide (cmake --install)",
                name, bin.parent_path().string());
}

PreloadableRuntime::PreloadableRuntime(const std::filesystem::path &runtime)
    : name_(runtime) {
  if (!ends_preload_name(runtime.string()))
    return;
  const char *temporary = std::getenv("TMPDIR");
  std::string directory = fmt::format(
      "{}/pagetide-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  if (ends_preload_name(directory))
    throw Failure(
        "LD_PRELOAD cannot name {}, because of a blank or a colon in its path, "
        "nor a link to it in {}; set TMPDIR to a directory without them",
        runtime.string(), directory);
  if (!::mkdtemp(directory.data()))
    throw Failure("mkdtemp {}: {}; the runtime needs a link there, because its "
                  "own path has a blank or a colon in it; set TMPDIR to a "
                  "directory that can be written",
                  directory, std::strerror(errno));
  directory_ = directory;
  // Processes of other users may be preloaded too.
  std::filesystem::permissions(directory_,
                               std::filesystem::perms::owner_all |
                                   std::filesystem::perms::group_read |
                                   std::filesystem::perms::group_exec |
                                   std::filesystem::perms::others_read |
                                   std::filesystem::perms::others_exec);
  name_ = directory_ / runtime.filename();
  std::filesystem::create_symlink(runtime, name_);
}

PreloadableRuntime::~PreloadableRuntime() {
  std::error_code ignored;
  if (!directory_.empty())
    std::filesystem::remove_all(directory_, ignored);
}

void check_without_marks(const engines::Capabilities &engine,
                         const std::string &file, Build build) {
  if (build == Build::kMarked)
    throw Failure(
        "{} is instrumented, and its marks tell more than --engine {}; leave "
        "out --engine, or use a build that is not instrumented",
        file, engine.name);
  if (build == Build::kPrivileged)
    throw Failure("{} gains privileges when it starts, and would not if it "
                  "were recorded; record a copy that gains none",
                  file);
}

std::unique_ptr<PreloadableRuntime>
prepare_engine(const engines::Capabilities &engine, const std::string &file,
               Build build) {
  check_without_marks(engine, file, build);
  if (build == Build::kStatic)
    throw Failure("{} is statically linked, so nothing can be preloaded into "
                  "it; link it dynamically, or build it with pagetide-clang",
                  file);
  const std::string missing = why_lacking(engine.needs);
  if (!missing.empty())
    throw Failure("engine {} cannot work on this kernel, so {} was not run: {}",
                  engine.name, file, missing);
  auto runtime = std::make_unique<PreloadableRuntime>(find_library(kRuntime));
  std::string list = runtime->name().string();
  if (const std::string before = without(list, preload_list()); !before.empty())
    list += fmt::format(":{}", before);
  ::setenv(kPreload, list.c_str(), 1);
  return runtime;
}

void leave_outer_preload() {
  const std::string before = preload_list();
  if (option_in(inherited_options(), "marks_first") != "1")
    return;
  const std::string left = without(find_library(kRuntime), before);
  if (left.empty())
    ::unsetenv(kPreload);
  else
    ::setenv(kPreload, left.c_str(), 1);
}

void say_nothing_preloaded(const std::string &file, const std::string &engine) {
  say("engine {} recorded nothing: the runtime did not start in any process of "
      "this run. Perhaps {} is a 32-bit program, does not use glibc, begins "
      "without glibc's start-up code, or was started without {}",
      engine, file, kPreload);
}

} // namespace pagetide::tools

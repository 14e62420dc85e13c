//===- target_list.cpp - The user's list of programs to record ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "targets/target_list.h"

#include "support/failure.h"

#include "pagetide/targets_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace pagetide::tools {

namespace {

/// The value of a variable if it is an absolute path, else an empty text.
std::string absolute_path_in(const char *variable) {
  const char *value = std::getenv(variable);
  return value && value[0] == '/' ? value : "";
}

std::string home_for(const char *variable) {
  std::string home = absolute_path_in("HOME");
  if (home.empty())
    throw Failure("target: neither {} nor HOME is an absolute path; set HOME "
                  "to your home directory",
                  variable);
  return home;
}

[[noreturn]] void fail_at(const std::string &path, const char *call,
                          const char *consequence) {
  throw Failure("{}: {} failed: {}; {}", path, call, std::strerror(errno),
                consequence);
}

/// Only the list's own user may write to it: the runtime reads no other.
void check_owner(const std::string &path, const struct stat &status) {
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & 022))
    throw Failure("{}: is no file that you alone may write to, so programs do "
                  "not read it; remove it, or run: chmod go-w",
                  path);
}

/// Returns an empty text if there is no such file.
std::string read_list(const std::string &path) {
  const UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT)
    return {};
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0)
    fail_at(path, "open", "the list of targets cannot be read");
  check_owner(path, status);
  std::string text(targets_file::kMaxBytes, '\0');
  const ssize_t bytes = ::read(file.get(), text.data(), text.size());
  if (bytes < 0)
    fail_at(path, "read", "the list of targets cannot be read");
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

/// The next field of a line, up to a tab. Returns false if there is no tab.
bool take_field(std::string_view &line, std::string &field) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos)
    return false;
  field = line.substr(0, tab);
  line.remove_prefix(tab + 1);
  return true;
}

} // namespace

std::string target_list_path() {
  const std::string config = absolute_path_in("XDG_CONFIG_HOME");
  return config.empty() ? home_for("XDG_CONFIG_HOME") + targets_file::kBelowHome
                        : config + targets_file::kBelowConfig;
}

std::string default_target_folder(const std::string &program) {
  const std::string state = absolute_path_in("XDG_STATE_HOME");
  return (state.empty() ? home_for("XDG_STATE_HOME") + "/.local/state"
                        : state) +
         "/pagetide/" + program;
}

std::string why_no_target(const Target &target) {
  constexpr std::size_t kMaxName = 255;
  const std::string all = target.program + target.folder;
  if (target.program.empty() || target.program.size() > kMaxName ||
      target.program.find('/') != std::string::npos)
    return fmt::format("{}: is no name of a program's file", target.program);
  if ((all + target.options).find_first_of(std::string_view("\t\n\0", 3)) !=
      std::string::npos)
    return fmt::format("{}: names with tabs and line feeds cannot be in the "
                       "list; choose another name or folder",
                       target.program);
  if (target.folder.empty() || target.folder[0] != '/')
    return fmt::format("{}: is no absolute path of a folder", target.folder);
  if (all.find('\'') != std::string::npos && all.find('"') != std::string::npos)
    return fmt::format("{}: a name and a folder with both kinds of quotes "
                       "cannot be in the list; choose another folder",
                       target.program);
  return {};
}

std::vector<Target> parse_target_list(std::string_view text) {
  if (text.empty())
    return {};
  const std::string_view first = targets_file::kFirstLine;
  if (!text.starts_with(first))
    throw Failure("is not a list of targets of this version of pagetide; empty "
                  "it with: pagetide target reset");
  text.remove_prefix(first.size());
  std::vector<Target> targets;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    Target target;
    if (end == std::string_view::npos || !take_field(line, target.program) ||
        !take_field(line, target.folder))
      throw Failure(
          "entry {} is damaged; empty the list with: pagetide target reset",
          targets.size() + 1);
    target.options = line;
    targets.push_back(std::move(target));
    text.remove_prefix(end + 1);
  }
  return targets;
}

std::string target_list_text(const std::vector<Target> &targets) {
  std::string text = targets_file::kFirstLine;
  for (const Target &target : targets)
    text += fmt::format("{}\t{}\t{}\n", target.program, target.folder,
                        target.options);
  return text;
}

TargetList::TargetList(const std::string &path) : path_(path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  lock_.reset(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_ || ::flock(lock_.get(), LOCK_EX) != 0)
    fail_at(folder, "open", "the list of targets has no folder");
}

TargetList TargetList::open(const std::string &path) {
  TargetList list(path);
  try {
    list.targets_ = parse_target_list(read_list(path));
  } catch (const Failure &failure) {
    const std::string what = failure.what();
    throw Failure(what.starts_with(path) ? what : path + ": " + what);
  }
  return list;
}

TargetList TargetList::open_for_reset(const std::string &path) {
  return TargetList(path);
}

bool TargetList::put(const Target &target) {
  const bool was_there = remove(target.program);
  targets_.push_back(target);
  std::ranges::sort(targets_, {}, &Target::program);
  return was_there;
}

bool TargetList::remove(std::string_view program) {
  return std::erase_if(targets_, [&](const Target &target) {
           return target.program == program;
         }) != 0;
}

void TargetList::save() const {
  if (targets_.empty()) {
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT)
      fail_at(path_, "unlink", "the list of targets stays as it was");
    return;
  }
  const std::string text = target_list_text(targets_);
  if (text.size() >= targets_file::kMaxBytes)
    throw Failure("{}: the list would have {} bytes, and programs read at most "
                  "{}; remove targets first",
                  path_, text.size(), targets_file::kMaxBytes - 1);
  const std::string next = path_ + ".new";
  ::unlink(next.c_str());
  const UniqueFd file(
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool is_whole = file && ::write(file.get(), text.data(), text.size()) ==
                                    static_cast<ssize_t>(text.size());
  if (!is_whole || ::rename(next.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(next.c_str());
    errno = error;
    fail_at(next, is_whole ? "rename" : "write",
            "the list of targets stays as it was");
  }
}

} // namespace pagetide::tools

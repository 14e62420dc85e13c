//===- trace_files.cpp - The files of one recorded run --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"

#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/unique_fd.h"
#include "trace/trace_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

namespace pagetide::tools {

namespace {

/// The directory of the file, as system calls take it.
std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Removes a decimal number from the front.
bool take_number(std::string_view &text, unsigned long long &number) {
  std::size_t digits = 0;
  number = 0;
  while (digits < text.size() && digits < 18 && text[digits] >= '0' &&
         text[digits] <= '9')
    number = number * 10 + static_cast<unsigned>(text[digits++] - '0');
  text.remove_prefix(digits);
  return digits != 0;
}

/// Whether the text is .<pid>[.<n>], as after FILE in a sibling's name.
bool is_sibling_suffix(std::string_view suffix,
                       std::pair<unsigned long long, unsigned long long> &at) {
  at = {0, 0};
  if (suffix.empty() || suffix[0] != '.')
    return false;
  suffix.remove_prefix(1);
  if (!take_number(suffix, at.first))
    return false;
  if (suffix.empty())
    return true;
  if (suffix[0] != '.')
    return false;
  suffix.remove_prefix(1);
  return take_number(suffix, at.second) && suffix.empty();
}

/// Throws Failure if no file can be made in the directory of `path`.
void check_place(const std::string &path) {
  const std::string directory = directory_of(path);
  struct stat status;
  if (path.empty() || path.back() == '/' ||
      (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)))
    throw Failure("{}: is a directory; name a file for the trace", path);
  if (::stat(directory.c_str(), &status) != 0)
    throw Failure("{}: no trace can be made there: {}", directory,
                  std::strerror(errno));
  if (!S_ISDIR(status.st_mode))
    throw Failure("{}: is no directory, so no trace can be made there",
                  directory);
  // The only sure test is to make a file.
  std::string probe = path + ".XXXXXX";
  const UniqueFd made(::mkostemp(probe.data(), O_CLOEXEC));
  if (!made)
    throw Failure("{}: no trace can be made there: {}", directory,
                  std::strerror(errno));
  ::unlink(probe.c_str());
}

} // namespace

std::vector<std::string> files_named_after(const std::string &path) {
  const std::string directory = directory_of(path);
  const std::size_t slash = path.rfind('/');
  const std::string prefix =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string base = path.substr(prefix.size());
  std::vector<
      std::pair<std::pair<unsigned long long, unsigned long long>, std::string>>
      siblings;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::pair<unsigned long long, unsigned long long> number;
    if (name.compare(0, base.size(), base) == 0 &&
        is_sibling_suffix(std::string_view(name).substr(base.size()), number))
      siblings.emplace_back(number, prefix + name);
  }
  if (error)
    throw Failure("{}: the directory cannot be read: {}", directory,
                  error.message());
  std::sort(siblings.begin(), siblings.end());
  std::vector<std::string> files;
  if (kind_of_file(path) != FileKind::kAbsent)
    files.push_back(path);
  for (auto &[number, name] : siblings)
    files.push_back(std::move(name));
  return files;
}

FileKind kind_of_file(const std::string &path) {
  struct stat status;
  // Do not follow links: a recorder would have to make the name itself.
  if (::lstat(path.c_str(), &status) != 0)
    return errno == ENOENT ? FileKind::kAbsent : FileKind::kOther;
  if (!S_ISREG(status.st_mode))
    return FileKind::kOther;
  if (status.st_size == 0)
    return FileKind::kEmpty;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::uint8_t magic[sizeof(trace::kMagic)];
  if (!fd || ::read(fd.get(), magic, sizeof(magic)) !=
                 static_cast<ssize_t>(sizeof(magic)))
    return FileKind::kOther;
  return std::memcmp(magic, trace::kMagic, sizeof(magic)) == 0
             ? FileKind::kTrace
             : FileKind::kOther;
}

std::optional<TraceStart> start_of_trace(const std::string &path) {
  if (kind_of_file(path) != FileKind::kTrace)
    return std::nullopt;
  try {
    TraceReader reader = TraceReader::open(path);
    TraceStart start;
    start.realtime_ns = reader.header().realtime_ns;
    start.monotonic_ns = reader.header().monotonic_ns;
    start.pid = reader.header().pid;
    Frame frame;
    const bool has_frame = reader.next(frame);
    if (has_frame && frame.type == trace::FrameType::kRunId)
      start.run_id = frame.run_id;
    start.lost_run_id = !start.run_id && reader.has_damage();
    return start;
  } catch (const Failure &) {
    return std::nullopt;
  }
}

RunFiles files_of_run(const std::string &path) {
  RunFiles files;
  std::optional<TraceStart> start_of_file;
  std::optional<TraceStart> newest;
  std::vector<std::pair<std::string, std::optional<TraceStart>>> named;
  for (const std::string &file : files_named_after(path)) {
    const FileKind kind = kind_of_file(file);
    // The user asked for FILE itself, whatever it is.
    if (file != path && kind != FileKind::kTrace)
      continue;
    named.emplace_back(file, start_of_trace(file));
    const std::optional<TraceStart> &start = named.back().second;
    if (file == path && start)
      start_of_file = start;
    if (start && (!newest || start->realtime_ns > newest->realtime_ns))
      newest = start;
  }
  const std::optional<TraceStart> &leader =
      start_of_file ? start_of_file : newest;
  for (const auto &[file, start] : named) {
    // Keep a file that cannot be read: reading it tells the user why.
    if (file == path || !leader || !start || start->is_of_run(*leader))
      files.traces.push_back(file);
    else if (start->lost_run_id || leader->lost_run_id)
      files.unknown.push_back(file);
    else
      files.others.push_back(file);
  }
  return files;
}

static std::string list_of(const std::vector<std::string> &files) {
  constexpr std::size_t kMaxListed = 3;
  std::string names;
  for (std::size_t i = 0; i < files.size() && i < kMaxListed; ++i)
    names += (i == 0 ? "" : ", ") + printable(files[i]);
  if (files.size() > kMaxListed)
    names += fmt::format(" and {} more", files.size() - kMaxListed);
  return names;
}

void say_left_out(const std::string &path, const RunFiles &files) {
  if (!files.others.empty())
    say("{}: left out traces of other runs with this name: {}", printable(path),
        list_of(files.others));
  if (!files.unknown.empty())
    say("{}: left out traces with this name, because a damaged frame hides "
        "which run they belong to: {}",
        printable(path), list_of(files.unknown));
}

/// FILE, if the name is FILE.<pid> or FILE.<pid>.<n>. If both are possible, the
/// longer FILE comes first.
static std::vector<std::string> possible_leaders(const std::string &name) {
  std::vector<std::string> leaders;
  std::pair<unsigned long long, unsigned long long> number;
  for (std::size_t dot = name.rfind('.');
       dot != std::string::npos && dot != 0 && leaders.size() < 2;
       dot = name.rfind('.', dot - 1)) {
    if (!is_sibling_suffix(std::string_view(name).substr(dot), number))
      break;
    leaders.push_back(name.substr(0, dot));
  }
  return leaders;
}

std::string newest_trace(const std::string &directory) {
  const std::string prefix = directory == "." ? "" : directory + "/";
  std::vector<std::pair<std::string, TraceStart>> traces;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (const auto start = start_of_trace(prefix + name))
      traces.emplace_back(name, *start);
  }
  if (error)
    throw Failure("{}: the directory cannot be read: {}", directory,
                  error.message());
  const auto is_led = [&](const std::string &name, const TraceStart &start) {
    for (const std::string &leader : possible_leaders(name))
      for (const auto &[other, of_other] : traces)
        if (other == leader && of_other.is_of_run(start))
          return true;
    return false;
  };
  const std::pair<std::string, TraceStart> *newest = nullptr;
  for (const auto &trace : traces)
    if (!newest || std::tie(newest->second.realtime_ns, newest->first) <
                       std::tie(trace.second.realtime_ns, trace.first))
      if (!is_led(trace.first, trace.second))
        newest = &trace;
  if (!newest)
    throw Failure("{}: this directory has no trace; name a FILE, or record one "
                  "with: pagetide record -- CMD",
                  directory == "."
                      ? std::filesystem::current_path(error).string()
                      : directory);
  return prefix + newest->first;
}

std::string newest_trace_here() {
  std::string newest = newest_trace(".");
  say("{}: the newest trace in this directory", printable(newest));
  return newest;
}

bool is_being_written(const std::string &path) {
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

std::string new_trace_name(const std::string &program, pid_t pid) {
  constexpr std::size_t kMaxProgramBytes = 64;
  std::string word = program.substr(program.rfind('/') + 1);
  word.resize(std::min(word.size(), kMaxProgramBytes));
  for (char &c : word)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("._+-", c))
      c = '_';
  std::string name = fmt::format("pagetide.{}.{}.ptrace", word, pid);
  struct stat status;
  for (unsigned n = 1; ::lstat(name.c_str(), &status) == 0; ++n)
    name = fmt::format("pagetide.{}.{}.{}.ptrace", word, pid, n);
  return name;
}

void check_new_trace(const std::string &path) {
  check_place(path);
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0)
    throw Failure("{}: exists, and a running process replaces no file; move it "
                  "away, or name another file with -o",
                  path);
}

RunId new_run_id() {
  RunId id;
  if (::getrandom(id.bytes.data(), id.bytes.size(), 0) !=
      static_cast<ssize_t>(id.bytes.size()))
    throw Failure("no random number for the run's id: {}",
                  std::strerror(errno));
  return id;
}

//===----------------------------------------------------------------------===//
// Replacing an earlier trace
//===----------------------------------------------------------------------===//

bool TraceOutput::Earlier::is_still_there() const {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && status.st_dev == device &&
         status.st_ino == inode;
}

TraceOutput::TraceOutput(std::string path) : path_(std::move(path)) {
  check_place(path_);
  for (const std::string &file : files_of_name())
    if (struct stat status; ::lstat(file.c_str(), &status) == 0)
      present_.push_back({file, status.st_dev, status.st_ino});
  const FileKind kind = kind_of_file(path_);
  if (kind == FileKind::kAbsent)
    return;
  if (kind == FileKind::kOther)
    throw Failure("{}: exists and is not a Pagetide trace; move it away, or "
                  "name another file with -o",
                  path_);
  // Only a run id tells whether FILE.<pid> belongs to FILE.
  std::vector<std::string> files = {path_};
  if (const auto start = start_of_trace(path_); start && start->run_id)
    files = files_of_run(path_).traces;
  for (const std::string &file : files) {
    if (is_being_written(file)) {
      const std::optional<TraceStart> start = start_of_trace(file);
      throw Failure("{}: another run is writing this trace{}; wait until it "
                    "has ended, or name another file with -o",
                    file,
                    start ? fmt::format(" (process {})", start->pid) : "");
    }
    struct stat status;
    if (::lstat(file.c_str(), &status) == 0)
      earlier_.push_back({file, status.st_dev, status.st_ino});
  }
}

bool TraceOutput::replace(const std::string &path, std::string &problem) {
  // Another `record` may have replaced it since this one began.
  const UniqueFd directory(
      ::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory)
    ::flock(directory.get(), LOCK_EX);
  if (!earlier_.front().is_still_there() || is_being_written(path_)) {
    problem =
        fmt::format("{}: was made or replaced by another run meanwhile", path_);
    return false;
  }
  if (::rename(path.c_str(), path_.c_str()) != 0) {
    problem = fmt::format("{}: cannot be replaced: rename failed: {}", path_,
                          std::strerror(errno));
    return false;
  }
  earlier_.erase(earlier_.begin());
  for (const Earlier &file : earlier_)
    if (file.is_still_there() && !is_being_written(file.path))
      ::unlink(file.path.c_str());
  return true;
}

/// Whether the file is a trace without a period, or nothing yet.
static bool has_no_period(const std::string &path) {
  const FileKind kind = kind_of_file(path);
  if (kind != FileKind::kTrace)
    return kind == FileKind::kEmpty;
  try {
    TraceReader reader = TraceReader::open(path);
    Frame frame;
    while (reader.next(frame))
      if (frame.type == trace::FrameType::kPeriod ||
          frame.type == trace::FrameType::kPeriodSites ||
          frame.type == trace::FrameType::kEnd)
        return false;
    return !reader.open_period() && !reader.has_damage();
  } catch (const Failure &) {
    return false;
  }
}

/// The run's file and those beside it.
std::vector<std::string> TraceOutput::files_of_name() const {
  try {
    return files_named_after(std::filesystem::absolute(path_).string());
  } catch (const Failure &) {
    return {}; // what cannot be listed is left alone
  }
}

/// Those of them that were not there when the run began. The time of a file
/// does not tell: its clock is coarser than the time between two runs.
std::vector<std::string> TraceOutput::new_files() const {
  std::vector<std::string> files = files_of_name();
  std::erase_if(files, [this](const std::string &file) {
    const auto it = std::ranges::find(present_, file, &Earlier::path);
    return it != present_.end() && it->is_still_there();
  });
  return files;
}

std::vector<std::string> TraceOutput::new_traces() const {
  std::vector<std::string> files = new_files();
  std::erase_if(files, [](const std::string &file) {
    return kind_of_file(file) != FileKind::kTrace;
  });
  return files;
}

void TraceOutput::remove_unbegun(const std::vector<std::string> &known) const {
  const std::string wanted = std::filesystem::absolute(path_).string();
  for (const std::string &file : new_files()) {
    std::string_view suffix = std::string_view(file).substr(wanted.size());
    unsigned long long pid = 0;
    if (suffix.empty() || std::ranges::find(known, file) != known.end())
      continue;
    suffix.remove_prefix(1);
    // Between its creation and its lock, a living process has the file.
    if (!take_number(suffix, pid) || pid == 0 || pid > INT_MAX ||
        ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH ||
        is_being_written(file) || !has_no_period(file))
      continue;
    ::unlink(file.c_str());
  }
}

/// The process may lie. The path must be this very file, and its name must be
/// one that the runtime gives to traces of this run beside FILE.
bool TraceOutput::has_name_of_run(int fd, const std::string &path) const {
  const std::string wanted = std::filesystem::absolute(path_).string();
  struct stat of_fd;
  struct stat of_path;
  std::pair<unsigned long long, unsigned long long> number;
  return path.starts_with(wanted) &&
         is_sibling_suffix(std::string_view(path).substr(wanted.size()),
                           number) &&
         ::fstat(fd, &of_fd) == 0 && ::lstat(path.c_str(), &of_path) == 0 &&
         of_fd.st_dev == of_path.st_dev && of_fd.st_ino == of_path.st_ino;
}

std::string TraceOutput::hand_over(pid_t holder, int fd,
                                   const std::string &path) const {
  if (!has_name_of_run(fd, path))
    return {};
  std::string aside =
      fmt::format("{}.{}", std::filesystem::absolute(path_).string(), holder);
  // The holder may have executed the program whose trace this is.
  if (aside == path)
    return ::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, path_.c_str(),
                       RENAME_EXCHANGE) == 0
               ? aside
               : std::string();
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, aside.c_str(),
                  RENAME_NOREPLACE) != 0)
    return {};
  if (::rename(path.c_str(), path_.c_str()) == 0)
    return aside;
  ::rename(aside.c_str(), path_.c_str());
  return {};
}

std::string TraceOutput::take(int fd, const std::string &path,
                              std::string &problem) {
  const std::string wanted = std::filesystem::absolute(path_).string();
  if (earlier_.empty() || !has_name_of_run(fd, path))
    return path;
  const bool replaced = replace(path, problem);
  if (!replaced)
    problem += fmt::format("; the trace of this run is {}", path);
  earlier_.clear();
  return replaced ? wanted : path;
}

} // namespace pagetide::tools

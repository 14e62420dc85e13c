//===- open_traces.cpp - Which traces running processes write -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "top/open_traces.h"

#include "pagetide/trace_format.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace pagetide::tools {

namespace {

namespace fs = std::filesystem;

/// The runtime's name of the thread that writes the trace
/// (runtime/trace/trace_writer.cpp).
constexpr std::string_view kWriterName = "pagetide-write";

/// The entries of a directory; fewer if they vanish meanwhile.
std::vector<fs::path> entries_of(const fs::path &directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    entries.push_back(at->path());
  return entries;
}

bool is_writer(const fs::path &task) {
  std::ifstream file(task / "comm");
  std::string name;
  return std::getline(file, name) && name == kWriterName;
}

/// The file behind a descriptor of the writer, if it is a trace.
std::optional<OpenTrace> trace_behind(const fs::path &link) {
  std::error_code error;
  OpenTrace trace;
  trace.path = fs::read_symlink(link, error).string();
  // Others are sockets and memory files.
  if (error || !trace.path.starts_with('/') ||
      trace.path.starts_with("/memfd:"))
    return std::nullopt;
  trace.fd.reset(
      ::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!trace.fd || ::fstat(trace.fd.get(), &status) != 0 ||
      !S_ISREG(status.st_mode))
    return std::nullopt;
  char magic[sizeof(trace::kMagic)];
  if (::pread(trace.fd.get(), magic, sizeof(magic), 0) !=
          static_cast<ssize_t>(sizeof(magic)) ||
      std::memcmp(magic, trace::kMagic, sizeof(magic)) != 0)
    return std::nullopt;
  trace.device = status.st_dev;
  trace.inode = status.st_ino;
  return trace;
}

} // namespace

std::vector<pid_t> processes_of(uid_t user) {
  std::vector<pid_t> processes;
  for (const fs::path &entry : entries_of("/proc")) {
    const std::string name = entry.filename().string();
    const char *end = name.data() + name.size();
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), end, pid);
    struct stat status;
    if (error == std::errc() && stop == end &&
        ::stat(entry.c_str(), &status) == 0 && status.st_uid == user)
      processes.push_back(pid);
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

std::optional<OpenTrace> open_trace_of(pid_t pid) {
  for (const fs::path &task : entries_of(fmt::format("/proc/{}/task", pid)))
    if (is_writer(task))
      for (const fs::path &link : entries_of(task / "fd"))
        if (std::optional<OpenTrace> trace = trace_behind(link))
          return trace;
  return std::nullopt;
}

} // namespace pagetide::tools

//===- process_facts.cpp - What /proc says of a process that is watched ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/process_facts.h"

#include "support/clock.h"
#include "support/unique_fd.h"

#include <fcntl.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace pagetide::tools {

namespace {

/// Removes a number and the character behind it from the front.
std::uint64_t take_number(std::string_view &text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, base);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty())
    text.remove_prefix(1);
  return error == std::errc() ? number : 0;
}

/// start-end rwxp offset major:minor inode      name
Mapping parse_line(std::string_view line) {
  Mapping mapping;
  mapping.start = take_number(line, 16);
  mapping.bytes = take_number(line, 16) - mapping.start;
  const std::string_view rights = line.substr(0, 4);
  constexpr std::string_view kRights = "rwxs";
  for (std::size_t i = 0; i < rights.size(); ++i)
    if (rights[i] == kRights[i]) // 1, 2 and 4 as PROT_, 8 kMappingShared
      mapping.protection |= std::uint64_t{1} << i;
  line.remove_prefix(rights.size() + 1);
  mapping.offset = take_number(line, 16);
  mapping.device = take_number(line, 16) << 32;
  mapping.device |= take_number(line, 16);
  mapping.inode = take_number(line, 10);
  const std::size_t name = line.find_first_not_of(' ');
  if (name != std::string_view::npos)
    mapping.name = line.substr(name);
  return mapping;
}

constexpr std::uint64_t kRead = 1, kWrite = 2;

/// Whether the memory is what the loader put behind a file's data.
bool is_bss(const Mapping &data, const Mapping &mapping) {
  return mapping.name.empty() && data.name.starts_with('/') &&
         data.protection == (kRead | kWrite) &&
         mapping.protection == data.protection &&
         data.start + data.bytes == mapping.start;
}

} // namespace

std::optional<std::string> read_proc_file(const std::string &path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd)
    return std::nullopt;
  std::string text;
  char buffer[65536];
  ssize_t got;
  while ((got = ::read(fd.get(), buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  if (got < 0)
    return std::nullopt;
  return text;
}

Mappings parse_mappings(std::string_view text) {
  Mappings result;
  std::uint64_t end = 0;
  while (!text.empty()) {
    const std::size_t length = text.find('\n');
    Mapping mapping = parse_line(text.substr(0, length));
    text.remove_prefix(std::min(text.size(), length) +
                       (length != std::string_view::npos));
    // The kernel returns its list in pieces, which may overlap. [vsyscall] is
    // the kernel's own.
    if (mapping.start < end || mapping.bytes == 0 ||
        mapping.start >> abi::kAddressBits)
      continue;
    end = mapping.start + mapping.bytes;
    if (!result.mappings.empty() && is_bss(result.mappings.back(), mapping)) {
      const Mapping &data = result.mappings.back();
      mapping.name = data.name;
      mapping.offset = data.offset + data.bytes;
      mapping.protection |= trace::kMappingBss;
    }
    result.mappings.push_back(std::move(mapping));
  }
  return result;
}

std::optional<Mappings> mappings_of(pid_t pid) {
  const std::optional<std::string> text =
      read_proc_file(fmt::format("/proc/{}/maps", pid));
  if (!text || text->empty())
    return std::nullopt;
  Mappings mappings = parse_mappings(*text);
  mappings.time_ns = monotonic_ns();
  return mappings;
}

std::string program_of(pid_t pid) {
  std::error_code error;
  const auto path =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error);
  return path.empty() ? std::string("process") : path.filename().string();
}

pid_t parent_of(pid_t pid) {
  const std::string text =
      read_proc_file(fmt::format("/proc/{}/status", pid)).value_or("");
  const std::size_t at = text.find("PPid:");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 5);
}

Process process_of(pid_t pid) {
  Process process;
  std::error_code error;
  process.executable =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error)
          .string();
  const std::string words =
      read_proc_file(fmt::format("/proc/{}/cmdline", pid)).value_or("");
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\0', at), words.size());
    process.arguments.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return process;
}

} // namespace pagetide::tools

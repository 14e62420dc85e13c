//===- tool_versions.cpp - Which plugin can clang, lld load? --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool_versions.h"

#include "child_process.h"
#include "command_line.h"

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace pagetide::wrapper {

namespace {

constexpr std::string_view kPluginStart = "PagetidePass-";
constexpr std::string_view kPluginEnd = ".so";

/// The number after \p name, as in "Debian clang version 19.1.7".
std::string major_after(const std::string &name, const std::string &text) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos)
    return {};
  const std::size_t begin = at + name.size();
  const std::size_t end = text.find_first_not_of("0123456789", begin);
  return text.substr(begin, end - begin);
}

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

const CompilerKind kClang = {"clang", "PAGETIDE_CLANG", "clang",
                             "clang-" PAGETIDE_LLVM_MAJOR,
                             "clang-" PAGETIDE_LLVM_MAJOR};
const CompilerKind kFlang = {"flang", "PAGETIDE_FLANG", "flang-new",
                             "flang-new-" PAGETIDE_LLVM_MAJOR,
                             "flang-" PAGETIDE_LLVM_MAJOR};

std::string plugin_of(const std::string &lib, const std::string &major) {
  return lib + "/" + std::string(kPluginStart) + major +
         std::string(kPluginEnd);
}

std::string plugins_in(const std::string &lib) {
  std::set<std::string> majors;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(lib, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPluginStart) && name.ends_with(kPluginEnd))
      majors.insert(
          name.substr(kPluginStart.size(),
                      name.size() - kPluginStart.size() - kPluginEnd.size()));
  }
  if (majors.empty())
    return "there is no pass in " + lib;
  std::string list;
  for (const std::string &major : majors)
    list += (list.empty()                ? ""
             : major == *majors.rbegin() ? " and "
                                         : ", ") +
            major;
  return "there is a pass for " + list;
}

std::optional<CompilerVersion> compiler_version(const CompilerKind &kind,
                                                const std::string &compiler) {
  const std::optional<std::string> text = output_of({compiler, "--version"});
  if (!text)
    return std::nullopt;
  const std::string line = first_line(*text);
  for (const char *name : {kind.name, kind.file})
    if (std::string major = major_after(std::string(name) + " version ", line);
        !major.empty())
      return CompilerVersion{line, major};
  return CompilerVersion{line, ""};
}

std::string why_not_usable(const CompilerKind &kind,
                           const std::string &compiler,
                           const CompilerVersion &version,
                           const std::string &lib) {
  const std::string name = kind.name, variable = kind.variable;
  const std::string &major = version.major;
  std::string remedy;
  if (!major.empty())
    remedy = "build one where Pagetide is built (PAGETIDE_LLVM=" + major +
             " scripts/setup.sh packages; cmake build "
             "-DPAGETIDE_LLVM=\"" PAGETIDE_LLVM_MAJOR ";" +
             major + "\"), or ";
  return variable + "=" + compiler + " is " +
         (major.empty() ? "no " + name : name + " " + major) + " (it says \"" +
         version.line + "\"), but " + plugins_in(lib) + "; " + remedy + "set " +
         variable + " to a " + name +
         " that has one, or unset it, or add "
         "-fno-pagetide to compile without instrumentation";
}

std::string lld_major(const CommandLine &line, const std::string &clang,
                      bool is_default) {
  const std::string chosen = line.linker.substr(line.linker.find('=') + 1);
  const bool is_plain = line.linker.empty() || line.linker == "-fuse-ld=lld";
  // Clang looks in its own directory first.
  char path[PATH_MAX];
  if (is_default && is_plain && line.program_prefixes.empty() &&
      realpath(clang.c_str(), path)) {
    const std::string file = path;
    if (access((file.substr(0, file.rfind('/')) + "/ld.lld").c_str(), X_OK) ==
        0)
      return PAGETIDE_LLVM_MAJOR;
  }
  std::string linker = chosen;
  if (is_plain || chosen.find('/') == std::string::npos) {
    std::vector<std::string> question = {clang};
    for (const std::string &prefix : line.program_prefixes)
      question.push_back("-B" + prefix);
    const bool is_name = line.linker.starts_with("--ld-path=");
    question.push_back(
        "-print-prog-name=" +
        (is_name ? chosen : "ld." + (is_plain ? "lld" : chosen)));
    linker = first_line(output_of(question).value_or(""));
  }
  if (linker.empty())
    return {};
  return major_after("LLD ", output_of({linker, "--version"}).value_or(""));
}

} // namespace pagetide::wrapper

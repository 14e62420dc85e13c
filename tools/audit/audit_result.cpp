//===- audit_result.cpp - What an audit has found -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/audit_result.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace pagetide::tools {

namespace {

struct KindInfo {
  Concern concern;
  const char *key;
  const char *text;
};
constexpr std::array<KindInfo, kPageKinds> kKinds = {{
    {Concern::kProgram, "program", "data of the program"},
    {Concern::kProgram, "library", "data of an instrumented library"},
    {Concern::kProgram, "plain", "data of a file that is not instrumented"},
    {Concern::kSystem, "system", "data of the C library or the loader"},
    {Concern::kSystem, "loader", "relocations, written by the loader"},
    {Concern::kSystem, "leaving", "written while the process exits"},
    {Concern::kProgram, "heap", "heap"},
    {Concern::kProgram, "anonymous", "memory without a name"},
    {Concern::kProgram, "shared", "shared memory"},
    {Concern::kProgram, "file", "private mapping of a file"},
    {Concern::kStacks, "main-stack", "stack of the first thread"},
    {Concern::kStacks, "thread-stack",
     "thread stacks and thread-local storage"},
    {Concern::kStacks, "thread-local",
     "thread-local storage of the first thread"},
    {Concern::kNone, "runtime", "Pagetide's runtime"},
}};

const KindInfo &info_of(PageKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace

Concern concern_of(PageKind kind) { return info_of(kind).concern; }
const char *kind_key(PageKind kind) { return info_of(kind).key; }
const char *kind_text(PageKind kind) { return info_of(kind).text; }

const char *concern_key(Concern concern) {
  switch (concern) {
  case Concern::kProgram:
    return "program";
  case Concern::kStacks:
    return "stacks";
  case Concern::kSystem:
    return "system";
  case Concern::kNone:
    break;
  }
  return "none";
}

std::string advice_for(PageKind kind) {
  switch (kind) {
  case PageKind::kProgram:
  case PageKind::kLibrary:
    return "The file is instrumented. Possible writers: an object file in it "
           "that was not built with pagetide-clang, inline assembly that does "
           "not name its memory, an uninstrumented library that got this "
           "address, or the kernel.";
  case PageKind::kPlain:
    return "The file is not instrumented, so nothing that it does is marked. "
           "Build it with CC=pagetide-clang CXX=pagetide-clang++, and load the "
           "new one.";
  case PageKind::kSystem:
    return "The C library is not instrumented. The runtime marks what its "
           "functions write into the program's memory, but not what they write "
           "into its own data.";
  case PageKind::kLoader:
    return "The loader writes here when it maps or binds the file.";
  case PageKind::kExiting:
    return "Destructors of the file wrote here, probably those of the "
           "compiler's "
           "start-up files.";
  case PageKind::kHeap:
  case PageKind::kAnonymous:
    return "Possible writers: the allocator (it keeps the size beside each "
           "block), uninstrumented code (see the list of files below), or the "
           "kernel.";
  case PageKind::kShared:
  case PageKind::kFile:
    return "Uninstrumented code or the kernel wrote here.";
  case PageKind::kMainStack:
  case PageKind::kThreadStack:
  case PageKind::kThreadLocal:
  case PageKind::kRuntime:
    break;
  }
  return {};
}

bool is_system_library(const std::string &path) {
  static constexpr std::string_view kNames[] = {
      "ld-linux-x86-64.so", "libanl.so",    "libc.so",
      "libdl.so",           "libgcc_s.so",  "libm.so",
      "libmvec.so",         "libnsl.so",    "libnss_",
      "libpthread.so",      "libresolv.so", "librt.so",
      "libthread_db.so",    "libutil.so",   "ld-musl-",
  };
  const std::string_view name = base_name(path);
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view n) { return name.starts_with(n); });
}

bool is_runtime_library(const std::string &path) {
  return base_name(path).starts_with("libpagetide.so");
}

namespace {

/// How many pages of a group a sum over processes lists.
constexpr std::size_t kMaxSummedPages = 1000;

void add_group(AuditGroup &sum, const AuditGroup &other) {
  sum.written += other.written;
  sum.covered += other.covered;
  sum.periods += other.periods;
  for (const UncoveredPage &page : other.pages) {
    const auto same = [&](const UncoveredPage &p) {
      return page.linked && p.linked == page.linked;
    };
    const auto found = std::find_if(sum.pages.begin(), sum.pages.end(), same);
    if (found != sum.pages.end()) {
      found->periods += page.periods;
      continue;
    }
    ++sum.distinct;
    if (sum.pages.size() < kMaxSummedPages)
      sum.pages.push_back(page);
  }
}

} // namespace

void sort_groups(std::vector<AuditGroup> &groups) {
  std::sort(groups.begin(), groups.end(),
            [](const AuditGroup &a, const AuditGroup &b) {
              const Concern x = concern_of(a.kind), y = concern_of(b.kind);
              if (x != y)
                return x < y;
              if (a.uncovered() != b.uncovered())
                return a.uncovered() > b.uncovered();
              return a.name != b.name ? a.name < b.name : a.kind < b.kind;
            });
}

void add_audit(Audit &sum, const Audit &other) {
  sum.has_kernel_writes |= other.has_kernel_writes;
  sum.periods += other.periods;
  sum.compared += other.compared;
  sum.written += other.written;
  sum.covered += other.covered;
  for (std::size_t i = 0; i < kConcerns; ++i) {
    sum.written_by[i] += other.written_by[i];
    sum.uncovered_by[i] += other.uncovered_by[i];
  }
  sum.touched += other.touched;
  sum.marked_only += other.marked_only;
  sum.tells_writes &= other.tells_writes;
  sum.pages_left_out |= other.pages_left_out;
  for (const AuditGroup &group : other.groups) {
    const auto same = [&](const AuditGroup &g) {
      return g.kind == group.kind && g.name == group.name;
    };
    const auto found = std::find_if(sum.groups.begin(), sum.groups.end(), same);
    if (found != sum.groups.end())
      add_group(*found, group);
    else
      sum.groups.push_back(group);
  }
  sort_groups(sum.groups);
  for (const LoadedModule &module : other.modules) {
    const auto same = [&](const LoadedModule &m) {
      return m.path == module.path;
    };
    if (std::none_of(sum.modules.begin(), sum.modules.end(), same))
      sum.modules.push_back(module);
  }
  sum.unseen.insert(sum.unseen.end(), other.unseen.begin(), other.unseen.end());
  sum.lost.insert(sum.lost.end(), other.lost.begin(), other.lost.end());
}

} // namespace pagetide::tools

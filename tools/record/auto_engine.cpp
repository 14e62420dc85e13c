//===- auto_engine.cpp - The engine that fits a program and a wish --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/auto_engine.h"

#include "support/failure.h"

#include <elf.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace pagetide::tools {

namespace {

using engines::Capabilities;

constexpr const char kSee[] = "docs/using/engines.md";
constexpr const char kNeedsMarks[] = " needs marks";

bool reaches(const Capabilities &engine, Build build) {
  if (engine.by_marks)
    return build == Build::kMarked;
  return build == Build::kDynamic ||
         (build == Build::kStatic && engine.static_too);
}

bool is_slow(const Capabilities &engine, const Asked &asked) {
  return asked.period.count() > 0 &&
         asked.period < std::chrono::milliseconds(engine.costly_below_ms);
}

/// "--engine a or --engine b": engines that see what `wanted` says, and that
/// are not chosen by themselves. Empty if there is none.
template <typename Wanted> std::string on_request(Build build, Wanted wanted) {
  std::vector<std::string> names;
  for (const Capabilities &engine : engines::kTable)
    if (!engine.by_itself && reaches(engine, build) && wanted(engine))
      names.push_back(fmt::format("--engine {}{}{}{}", engine.name,
                                  *engine.cost ? " (" : "", engine.cost,
                                  *engine.cost ? ")" : ""));
  return fmt::format("{}", fmt::join(names, " or "));
}

/// What the user gets, what not, and how to get more, in a line.
std::string describe(const std::string &file, Build build, const Asked &asked,
                     const Capabilities &engine) {
  std::vector<std::string> without;
  if (!engine.reads)
    without.emplace_back("what it reads");
  if (!engine.per_thread)
    without.emplace_back("which thread did it");
  if (*engine.misses)
    without.emplace_back(engine.misses);
  const bool outside = watched_from_outside(engine, build);
  std::string out =
      fmt::format("{} has no marks: engine {} records what it writes{}", file,
                  engine.name, outside ? ", from outside" : "");
  if (!without.empty())
    out += fmt::format(", not {}", fmt::join(without, ", nor "));
  if (is_slow(engine, asked))
    out += fmt::format("; with periods below {} ms it is slow",
                       engine.costly_below_ms);
  const std::string more =
      on_request(build, [](const Capabilities &other) { return other.reads; });
  out += outside ? "; so are all programs that it starts, and instrumented "
                   "ones leave no marks (--engine marks: these alone)"
                 : "; instrumented programs that it starts use their marks "
                   "(--engine marks: these alone)";
  out += fmt::format("; for more: build with pagetide-clang{} ({})",
                     more.empty() ? "" : ", or " + more, kSee);
  return out;
}

/// `why`: what an engine that could watch it lacks; may be empty.
std::string refuse(const std::string &file, Build build, const std::string &why,
                   const std::string &more) {
  std::string out;
  switch (build) {
  case Build::kPrivileged:
    out = "gains privileges when it starts, so nothing can be preloaded into "
          "it; record a copy that gains none";
    break;
  case Build::kStatic:
    out = fmt::format("is statically linked, so nothing can be preloaded into "
                      "it{}{}; {}link it dynamically, or build it with "
                      "pagetide-clang",
                      why.empty() ? "" : ", and ", why,
                      more.empty() ? "" : "take " + more + ", ");
    break;
  default:
    out = "is no program for 64-bit x86-64, so no engine can record it; take a "
          "build for x86-64";
    break;
  }
  return fmt::format("{} {} ({}); --engine marks records the instrumented "
                     "programs that it starts",
                     file, out, kSee);
}

/// Marks, for the programs that a program without marks starts.
Choice marks_below(const std::string &file, const std::string &why) {
  return {&engines::of(engines::Kind::kMarks),
          fmt::format("{} has no marks, and {}; only instrumented programs "
                      "that it starts are recorded ({})",
                      file, why, kSee)};
}

/// What the engine cannot satisfy, and what can; empty if there is nothing.
std::string unmet(const Capabilities &engine, Build build, const Asked &asked) {
  if (!engine.per_thread && !asked.per_thread.empty())
    return asked.per_thread + kNeedsMarks;
  if (!engine.any_granule && !asked.granule.empty())
    return asked.granule + kNeedsMarks;
  if (!engine.cut && !asked.cut.empty())
    return asked.cut + kNeedsMarks;
  if (!engine.reads && !asked.reads.empty())
    return asked.reads + kNeedsMarks;
  const bool outside = watched_from_outside(engine, build);
  if ((!engine.contents || outside) && !asked.contents.empty())
    return asked.contents + kNeedsMarks;
  if (outside && !asked.driven.empty())
    return asked.driven + " needs the runtime in the program";
  return {};
}

} // namespace

Choice choose_engine(const std::string &file, Build build, const Asked &asked,
                     const Lacks &lacks) {
  if (build == Build::kMarked)
    return {&engines::of(engines::Kind::kMarks), ""};
  const Capabilities *slow = nullptr;
  std::string wanted;  // an option that no engine that could run satisfies
  std::string missing; // what the system lacks
  for (const Capabilities &engine : engines::kTable) {
    if (!engine.by_itself || !reaches(engine, build))
      continue;
    if (std::string option = unmet(engine, build, asked); !option.empty())
      wanted = option;
    else if (const std::string lack = lacks(engine.needs); !lack.empty())
      missing += fmt::format("{}engine {} cannot work here: {}",
                             missing.empty() ? "" : "; ", engine.name, lack);
    else if (slow && engine.outside)
      break; // it would watch instrumented programs of the run too
    else if (!is_slow(engine, asked))
      return {&engine, describe(file, build, asked, engine)};
    else if (!slow)
      slow = &engine;
  }
  if (slow)
    return {slow, describe(file, build, asked, *slow)};
  const std::string &why = missing.empty() ? wanted : missing;
  const std::string more = on_request(build, [&](const Capabilities &other) {
    return unmet(other, build, asked).empty();
  });
  if (build != Build::kDynamic && wanted.empty())
    return {nullptr, refuse(file, build, why, more)};
  return marks_below(file,
                     more.empty() ? why : fmt::format("{}, or {}", why, more));
}

void require_asked(const Capabilities &engine, Build build,
                   const Asked &asked) {
  const std::string option = unmet(engine, build, asked);
  if (option.empty())
    return;
  throw Failure("{}: engine {} sees {}{}; leave one of the two out, or build "
                "the program with pagetide-clang",
                option, engine.name, engine.sees,
                watched_from_outside(engine, build)
                    ? ", from outside and in periods of the clock"
                    : "");
}

namespace {

constexpr int kMaxScripts = 5;             // as the kernel follows them
constexpr std::size_t kMaxLineBytes = 256; // BINPRM_BUF_SIZE

/// The beginning of the file; empty if it cannot be read.
std::string head_of(const std::string &path) {
  std::string head(kMaxLineBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

/// The program behind "#!"; empty if there is none.
std::string interpreter_in(const std::string &head) {
  if (head.rfind("#!", 0) != 0)
    return {};
  const std::size_t begin = head.find_first_not_of(" \t", 2);
  const std::size_t end = head.find_first_of(" \t\n", begin);
  return begin == std::string::npos ? "" : head.substr(begin, end - begin);
}

bool is_any_elf(const std::string &head) {
  return head.size() >= SELFMAG &&
         std::memcmp(head.data(), ELFMAG, SELFMAG) == 0;
}

} // namespace

ProgramFile examine_program(const std::string &path) {
  std::string file = path;
  std::string head = head_of(file);
  for (int i = 0; i < kMaxScripts; ++i) {
    const std::string interpreter = interpreter_in(head);
    if (interpreter.empty())
      break;
    file = interpreter;
    head = head_of(file);
  }
  const ElfFile elf = examine_elf(file);
  if (elf.note)
    return {Build::kMarked, elf};
  if (elf.gains_privilege)
    return {Build::kPrivileged, elf};
  if (elf.is_elf)
    return {elf.is_dynamic ? Build::kDynamic : Build::kStatic, elf};
  // A text without a first line goes to the shell. What cannot be read may be
  // anything, and most programs have a loader.
  return {is_any_elf(head) ? Build::kForeign : Build::kDynamic, elf};
}

} // namespace pagetide::tools

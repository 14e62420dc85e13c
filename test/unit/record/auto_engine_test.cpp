//===- auto_engine_test.cpp - Which engine fits which situation -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/auto_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

using engines::Capabilities;
using engines::Kind;
using engines::Needs;

/// What the kernel is able to do, as a set.
enum Able : unsigned { kNone = 0, kScans = 1, kCopies = 2, kBits = 4 };
/// What the user asks for.
enum Wish : unsigned {
  kWrites = 0,
  kThreads = 1,
  kReads = 2,
  kContents = 4,
  kCut = 8,
  kGranule = 16,
  kDriven = 32,
};

struct Row {
  Build build;
  unsigned able;
  unsigned wishes;
  int period_ms;
  const char *engine;  ///< "": refused
  const char *message; ///< a part of it; "": there is none
};

constexpr Build M = Build::kMarked, D = Build::kDynamic, S = Build::kStatic,
                P = Build::kPrivileged, F = Build::kForeign;

Asked asked_of(const Row &row) {
  Asked asked;
  if (row.wishes & kThreads)
    asked.per_thread = "--per-thread";
  if (row.wishes & kReads)
    asked.reads = "--checksum accessed";
  if (row.wishes & (kContents | kReads))
    asked.contents = "--checksum";
  if (row.wishes & kCut)
    asked.cut = "--unstable cut";
  if (row.wishes & kGranule)
    asked.granule = "--granularity";
  if (row.wishes & kDriven)
    asked.driven = "--period 0";
  asked.period = std::chrono::milliseconds(row.period_ms);
  return asked;
}

void expect_rows(const std::vector<Row> &rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    const Row &row = rows[i];
    const auto lacks = [&](Needs needs) -> std::string {
      const unsigned bit = needs == Needs::kScans    ? kScans
                           : needs == Needs::kCopies ? kCopies
                           : needs == Needs::kBits   ? kBits
                                                     : kNone;
      return (row.able & bit) == bit ? "" : "no such kernel";
    };
    const Choice choice =
        choose_engine("./prog", row.build, asked_of(row), lacks);
    EXPECT_STREQ(row.engine, choice.engine ? choice.engine->name : "");
    if (*row.message)
      EXPECT_NE(choice.message.find(row.message), std::string::npos)
          << choice.message;
    else
      EXPECT_EQ(choice.message, "");
    EXPECT_EQ(choice.message.find('\n'), std::string::npos);
    if (!choice.engine) // a refusal says what to do
      EXPECT_NE(choice.message.find("; "), std::string::npos);
  }
}

TEST(AutoEngine, FitsTheSituation) {
  const unsigned all = kScans | kCopies;
  expect_rows({
      // Instrumented: whatever the kernel, whatever is asked.
      {M, all, kWrites, 500, "marks", ""},
      {M, kNone, kWrites, 1, "marks", ""},
      {M, kNone, kThreads | kReads | kCut | kGranule, 10, "marks", ""},
      {M, kScans, kContents, 1000, "marks", ""},
      // Plain, Linux 6.7.
      {D, all, kWrites, 500, "uffd", "engine uffd records what it writes"},
      {D, all, kWrites, 1000, "uffd", "not what it reads"},
      {D, all, kWrites, 100, "uffd", "nor which thread did it"},
      {D, all, kWrites, 10, "uffd", "build with pagetide-clang"},
      {D, all, kWrites, 1, "uffd", "below 10 ms it is slow"},
      {D, all, kWrites, 0, "uffd", "(docs/using/engines.md)"},
      {D, kScans, kWrites, 500, "uffd", "engine uffd"},
      {D, all, kContents, 500, "uffd", "engine uffd"},
      // Plain, Linux 6.1, or userfaultfd forbidden.
      {D, kCopies, kWrites, 1000, "fork", "nor shared memory"},
      {D, kCopies, kWrites, 500, "fork", "below 1000 ms it is slow"},
      {D, kCopies, kWrites, 1, "fork", "it is slow"},
      {D, kCopies, kWrites, 0, "fork", "engine fork"},
      {D, kCopies, kContents, 1000, "fork", "engine fork"},
      // Plain, and the kernel tells nothing.
      {D, kNone, kWrites, 500, "marks",
       "engine soft-dirty cannot work here: no such kernel, or --engine "
       "emulate (15 to 28 times the user time); only instrumented"},
      {D, kBits, kWrites, 500, "soft-dirty",
       "from outside, not what it reads, nor which thread did it; so are"},
      {D, kBits, kWrites, 1, "soft-dirty", "below 10 ms it is slow"},
      {D, kBits | kCopies, kWrites, 1000, "fork", "use their marks"},
      {D, kBits | kCopies, kWrites, 100, "fork", "use their marks"},
      {D, kBits, kContents, 500, "marks", "engine fork cannot work here"},
      {D, kNone, kContents, 500, "marks", "engine uffd cannot work here"},
      // Plain, and only marks tell.
      {D, all, kThreads, 500, "marks",
       "--per-thread needs marks, or --engine emulate"},
      {D, kCopies, kThreads, 500, "marks", "--per-thread needs marks"},
      {D, kNone, kThreads, 500, "marks", "--per-thread needs marks"},
      {D, all, kReads, 500, "marks", "--checksum accessed needs marks"},
      {D, all, kCut | kContents, 500, "marks", "--unstable cut needs"},
      {D, all, kGranule, 500, "marks", "--granularity needs marks"},
      {D, all, kThreads | kReads, 1, "marks", "only instrumented programs"},
      // Static: from outside.
      {S, all, kWrites, 500, "uffd", "records what it writes, from outside"},
      {S, kBits, kWrites, 100, "soft-dirty", "or --engine emulate"},
      {S, kScans | kBits, kWrites, 1, "uffd", "below 10 ms it is slow"},
      {S, kCopies, kWrites, 500, "",
       "engine uffd cannot work here: no such kernel; engine soft-dirty "
       "cannot work here: no such kernel; take --engine emulate (15 to 28 "
       "times the user time), link it dynamically, or build it with"},
      {S, all, kThreads, 500, "marks",
       "--per-thread needs marks, or --engine emulate"},
      {S, all, kReads | kContents, 500, "marks", "needs marks; only"},
      {S, all, kContents, 500, "marks", "--checksum needs marks; only"},
      {S, all, kDriven, 0, "marks", "--period 0 needs the runtime in"},
      {D, all, kDriven, 0, "uffd", "what it writes"},
      // No way in.
      {P, all, kWrites, 500, "", "record a copy that gains none"},
      {P, kCopies, kContents, 1000, "", "gains privileges"},
      {P, all, kThreads, 1, "", "--engine marks records"},
      {F, all, kWrites, 500, "", "take a build for x86-64"},
      {F, kNone, kThreads, 500, "", "no program for 64-bit x86-64"},
  });
}

/// The table that users read is the one that the programs ask.
TEST(AutoEngine, TheDocumentListsAllEngines) {
  std::ifstream file(PAGETIDE_SOURCE_ROOT "/docs/using/engines.md");
  std::stringstream text;
  text << file.rdbuf();
  const auto yes = [](bool does) { return does ? "yes" : "no"; };
  for (const Capabilities &engine : engines::kTable) {
    const std::string row = fmt::format(
        "| `{}` | {} | {} | {} | {} | {} | {} |\n", engine.name, engine.sees,
        yes(engine.reads), yes(engine.per_thread), yes(engine.contents),
        yes(engine.cut), engines::text_of(engine.needs));
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

} // namespace
} // namespace pagetide::tools

//===- completeness_test.cpp - What is said of what a trace lacks ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/completeness.h"

#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

End end_after(std::uint64_t periods,
              trace::EndReason reason = trace::EndReason::kExit) {
  return {0, reason, 0, periods};
}

/// A trace with period 0, then damage, then this end.
Completeness damaged_behind_period_0(const End &end) {
  Completeness account;
  account.add_period(0);
  account.add_damage(100, 40, "the frame's hash is wrong");
  account.add_end(end);
  account.finish(Integrity::kComplete, 300);
  return account;
}

TEST(Completeness, NothingIsMissingFromAProperTrace) {
  Completeness account;
  account.add_period(0);
  account.add_period(1);
  account.add_end(end_after(2));
  account.finish(Integrity::kComplete, 500);
  EXPECT_TRUE(account.is_complete());
  EXPECT_EQ(account.sentence(), "");
  EXPECT_EQ(account.verdict(), "complete");
  EXPECT_EQ(account.stop_offset(), 500u);
  EXPECT_FALSE(account.lacks(0));
  EXPECT_FALSE(account.lacks(1));
  EXPECT_FALSE(account.lacks(2));
}

TEST(Completeness, NamesPeriodsThatWereDamaged) {
  Completeness account;
  account.add_period(11);
  account.add_damage(342, 58, "the frame's hash is wrong");
  account.add_period(14);
  account.add_end(end_after(15));
  account.finish(Integrity::kComplete, 900);
  EXPECT_EQ(account.integrity(), Integrity::kDamaged);
  EXPECT_EQ(account.stop_offset(), 342u);
  EXPECT_EQ(account.verdict(),
            std::string("INCOMPLETE") + ": " + account.sentence());
  EXPECT_EQ(account.sentence(),
            "damaged at byte 342: the frame's hash is wrong (58 "
            "bytes skipped); periods 0 to 10 and 12 to 13 are missing");
  EXPECT_TRUE(account.lacks(12));
  EXPECT_TRUE(account.lacks(13));
  EXPECT_FALSE(account.lacks(14));
  EXPECT_EQ(account.missing_count(), 13u);
}

TEST(Completeness, SaysIfDamageCostNoPeriod) {
  Completeness account;
  account.add_period(0);
  account.add_damage(100, 1, "no frame begins here");
  account.add_period(1, /*knows_mappings=*/false);
  account.add_end(end_after(2));
  account.finish(Integrity::kComplete, 300);
  EXPECT_FALSE(account.is_complete());
  EXPECT_EQ(account.sentence(),
            "damaged at byte 100: no frame begins here (1 byte skipped); no "
            "period is missing; the mappings of 1 period are not known");
}

TEST(Completeness, PeriodsBeforeTheEndAreCounted) {
  const Completeness account = damaged_behind_period_0(end_after(2));
  EXPECT_TRUE(account.lacks(1));
  EXPECT_FALSE(account.lacks(2));
  EXPECT_EQ(account.sentence(),
            "damaged at byte 100: the frame's hash is wrong (40 bytes "
            "skipped); period 1 is missing");
}

TEST(Completeness, WithoutACountPeriodsBeforeTheEndMayBeMissing) {
  const Completeness account =
      damaged_behind_period_0({0, trace::EndReason::kExit, 0, std::nullopt});
  EXPECT_TRUE(account.lacks(1));
  EXPECT_EQ(account.sentence(),
            "damaged at byte 100: the frame's hash is wrong (40 bytes "
            "skipped); periods from 1 on may be missing");
}

TEST(Completeness, CountsSeveralPlaces) {
  Completeness account;
  for (std::uint64_t i = 0; i < 30; i += 3) {
    account.add_period(i);
    account.add_damage(100 * i, 500, "the frame's hash is wrong");
  }
  account.add_end(end_after(28));
  account.finish(Integrity::kComplete, 4000);
  EXPECT_EQ(account.sentence(),
            "damaged at byte 0: the frame's hash is wrong, and at 9 more "
            "places (5,000 bytes skipped); periods 1 to 2, 4 to 5, 7 to 8, 10 "
            "to 11, 13 to 14, 16 to 17 and others, 18 in all, are missing");
}

TEST(Completeness, SaysWhereTheFileEnds) {
  Completeness unfinished;
  unfinished.add_period(0);
  unfinished.finish(Integrity::kUnfinished, 400, "no End frame");
  EXPECT_EQ(unfinished.sentence(),
            "truncated after period 0, at byte 400: no End frame");
  EXPECT_TRUE(unfinished.lacks(1));
  EXPECT_EQ(unfinished.missing_rest(), 1u);

  Completeness cut;
  cut.finish(Integrity::kCut, 90, "a frame is cut off", 0);
  EXPECT_EQ(cut.sentence(),
            "truncated in period 0, at byte 90: a frame is cut off");
  EXPECT_TRUE(cut.lacks(0));
  EXPECT_EQ(cut.partial(), std::vector<std::uint64_t>{0});

  Completeness header_only;
  header_only.finish(Integrity::kUnfinished, 80, "no End frame");
  EXPECT_EQ(header_only.sentence(),
            "truncated before the first period, at byte 80: no End frame");
}

TEST(Completeness, DamageToTheEndHidesTheRest) {
  Completeness account;
  account.add_period(0);
  account.add_partial(1);
  account.add_damage(100, 200, "no frame begins here");
  account.finish(Integrity::kDamaged, 300);
  EXPECT_EQ(account.sentence(),
            "damaged at byte 100: no frame begins here (200 bytes skipped); "
            "nothing after period 0 can be read; only a part is here of "
            "period 1");
  EXPECT_TRUE(account.lacks(1));
  EXPECT_TRUE(account.lacks(77));
}

TEST(Completeness, DamageAndATruncatedEndAreBothSaid) {
  Completeness account;
  account.add_damage(100, 20, "no frame begins here");
  account.add_period(1);
  account.finish(Integrity::kCut, 300, "a frame is cut off");
  EXPECT_EQ(account.integrity(), Integrity::kDamaged);
  EXPECT_EQ(account.sentence(),
            "damaged at byte 100: no frame begins here (20 bytes skipped); "
            "truncated after period 1, at byte 300: a frame is cut off; period "
            "0 is missing");
}

TEST(Completeness, ARuntimeThatCouldNotGoOnSaysWhy) {
  Completeness account;
  account.add_period(0);
  account.add_note({0, 1, trace::NoteCode::kInfo, "something else"});
  account.add_note({0, 1, trace::NoteCode::kLost,
                    "period 1 could not be written: ENOSPC\x1b"});
  account.add_end(end_after(1, trace::EndReason::kFailed));
  account.finish(Integrity::kComplete, 300);
  EXPECT_FALSE(account.is_complete());
  EXPECT_EQ(account.integrity(), Integrity::kComplete);
  EXPECT_EQ(account.sentence(),
            "the runtime could not go on (period 1 could not be "
            "written: ENOSPC\\x1b); it recorded no period from 1 on");
  EXPECT_FALSE(account.lacks(0));
  EXPECT_TRUE(account.lacks(1));
}

TEST(Completeness, AnEndThatWasNoneIsForgotten) {
  Completeness account;
  account.add_end(end_after(1));
  account.forget_end();
  account.add_period(0);
  account.finish(Integrity::kUnfinished, 300, "no End frame");
  EXPECT_FALSE(account.is_complete());
}

TEST(Completeness, ListsAreBounded) {
  Completeness account;
  for (std::uint64_t i = 1; i < 10000; i += 2) {
    account.add_period(i);
    account.add_partial(i + 1);
    account.add_damage(i, 1, "no frame begins here");
  }
  account.finish(Integrity::kUnfinished, 10000, "no End frame");
  EXPECT_EQ(account.missing_count(), 5000u);
  EXPECT_EQ(account.damage_count(), 5000u);
  EXPECT_EQ(account.damaged_bytes(), 5000u);
  EXPECT_EQ(account.missing().size(), Completeness::kMaxListed);
  EXPECT_EQ(account.damage().size(), Completeness::kMaxListed);
  EXPECT_EQ(account.partial().size(), Completeness::kMaxListed);
}

} // namespace
} // namespace pagetide::tools

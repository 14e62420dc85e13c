//===- call_sites_test.cpp - Ids of the addresses of calls ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/call_sites.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace pagetide {
namespace {

/// The id of marks that a call makes which returns to `address`.
u32 id_of(u64 address) {
  pagetide_caller = address;
  return SiteOfCaller();
}

/// Addresses for which the table has the same entry first. They are new: no
/// test gets those of another.
std::vector<u64> addresses_of(u32 entry, std::size_t count) {
  static u64 next = 0x7f0000000000;
  std::vector<u64> found;
  for (; found.size() < count; ++next)
    if (FirstCallSiteEntry(next) == entry)
      found.push_back(next);
  return found;
}

/// Each address that was seen, and its id.
std::set<std::pair<u64, u32>> seen() {
  std::set<std::pair<u64, u32>> all;
  u64 address;
  u32 id;
  for (u32 number = 0; SeenCallSite(number, address, id); ++number)
    EXPECT_TRUE(all.emplace(address, id).second) << std::hex << address;
  return all;
}

TEST(CallSites, CallersWithOneEntryAreToldApart) {
  const std::vector<u64> callers = addresses_of(4711, 3);
  const u32 ids[] = {id_of(callers[0]), id_of(callers[1]), id_of(callers[2])};
  EXPECT_EQ(std::set<u32>(std::begin(ids), std::end(ids)).size(), 3U);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(id_of(callers[i]), ids[i]);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(seen().contains({callers[i], ids[i]}));
}

TEST(CallSites, AnIdIsKeptAndAnAddressIsLookedUp) {
  pagetide_caller = kOtherCallSite | kIsId;
  EXPECT_EQ(KnownSiteOfCaller(), kOtherCallSite);
  const u64 low = 0x401234; // in a program that is not position-independent
  EXPECT_GE(id_of(low), abi::kFirstCallSite);
  EXPECT_TRUE(seen().contains({low, id_of(low)}));
  {
    const NamedSite named(low);
    EXPECT_EQ(KnownSiteOfCaller(), low);
  }
  EXPECT_EQ(pagetide_caller, low);
}

TEST(CallSites, TheIdOfUnknownCallsBelongsToNoAddress) {
  for (const u64 address : addresses_of(kMaxCallSites - 1, 2)) {
    const u32 id = id_of(address);
    EXPECT_NE(id, kOtherCallSite);
    EXPECT_EQ(id_of(address), id);
  }
}

TEST(CallSites, ANewThreadHasNoCaller) {
  std::thread([] { EXPECT_EQ(SiteOfCaller(), kOtherCallSite); }).join();
}

TEST(CallSites, ThreadsAgreeOnIds) {
  constexpr std::size_t kAddresses = 40;
  const std::vector<u64> callers = addresses_of(1234, kAddresses);
  std::vector<std::vector<u32>> ids(4, std::vector<u32>(kAddresses));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < ids.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kAddresses; ++i) {
        const std::size_t which = (i + t * 10) % kAddresses;
        ids[t][which] = id_of(callers[which]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<u32> &of_thread : ids)
    EXPECT_EQ(of_thread, ids[0]);
  EXPECT_EQ(std::set<u32>(ids[0].begin(), ids[0].end()).size(), kAddresses);
  for (std::size_t i = 0; i < kAddresses; ++i)
    EXPECT_TRUE(seen().contains({callers[i], ids[0][i]}));
}

TEST(CallSites, AFullNeighbourhoodGivesTheIdOfUnknownCalls) {
  u32 unknown = 0;
  for (const u64 address : addresses_of(20000, 80))
    unknown += id_of(address) == kOtherCallSite;
  EXPECT_EQ(unknown, 80U - 64);
}

} // namespace
} // namespace pagetide

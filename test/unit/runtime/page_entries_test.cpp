//===- page_entries_test.cpp - What entries of pagemap mean ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/kept_page.h"
#include "engines/new_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace pagetide::tools {
namespace {

using kernel::PagemapEntry;

constexpr std::size_t kPageBytes = 4096;

constexpr std::uint64_t bit(unsigned number) {
  return std::uint64_t{1} << number;
}
constexpr std::uint64_t kPresent = bit(63), kSwapped = bit(62), kFile = bit(61),
                        kGuard = bit(58), kProtected = bit(57),
                        kExclusive = bit(56), kDirty = bit(55), kZeros = 77,
                        kFrame = 78;
constexpr unsigned kNot = 0, kIs = trace::kRunWritten,
                   kMay = trace::kRunMayWritten;

struct Row {
  std::uint64_t bits;
  KeptPage kept; ///< what it is in a keeper
  bool exists, dirty;
  /// Engine soft-dirty, in a mapping that reads as written as a whole: in new
  /// memory, in what was there before, in shared memory.
  unsigned in_new, in_known, in_shared;
};

TEST(PageEntries, AreDecoded) {
  constexpr Row kRows[] = {
      {0, KeptPage::kNone, false, false, kMay, kMay, kMay},
      {kDirty, KeptPage::kNone, false, true, kMay, kMay, kMay},
      {kPresent, KeptPage::kShared, true, false, kMay, kMay, kMay},
      {kPresent | kFrame, KeptPage::kShared, true, false, kIs, kMay, kMay},
      {kPresent | kZeros, KeptPage::kShared, true, false, kNot, kNot, kMay},
      {kPresent | kZeros | kDirty, KeptPage::kShared, true, true, kNot, kNot,
       kMay},
      {kPresent | kExclusive, KeptPage::kOwn, true, false, kIs, kMay, kMay},
      {kPresent | kExclusive | kDirty | kFrame, KeptPage::kOwn, true, true, kIs,
       kMay, kMay},
      {kPresent | kExclusive | kProtected, KeptPage::kOwn, true, false, kIs,
       kMay, kMay},
      {kPresent | kFile, KeptPage::kFile, true, false, kNot, kNot, kMay},
      {kPresent | kFile | kExclusive | kDirty, KeptPage::kFile, true, true,
       kNot, kNot, kMay},
      {kSwapped, KeptPage::kSwapped, true, false, kIs, kMay, kMay},
      // The place in the swap space is no frame.
      {kSwapped | kZeros, KeptPage::kSwapped, true, false, kIs, kMay, kMay},
      {kSwapped | kDirty | kProtected, KeptPage::kSwapped, true, true, kIs,
       kMay, kMay},
      {kSwapped | kFile, KeptPage::kSwapped, true, false, kNot, kNot, kMay},
      {kGuard, KeptPage::kNone, false, false, kMay, kMay, kMay},
      {kGuard | kSwapped, KeptPage::kNone, true, false, kIs, kMay, kMay},
  };
  for (const Row &row : kRows) {
    SCOPED_TRACE(testing::Message() << std::hex << row.bits);
    const PagemapEntry entry = {row.bits};
    EXPECT_EQ(KindOf(entry), row.kept);
    EXPECT_EQ(entry.exists(), row.exists);
    EXPECT_EQ(entry.is_dirty(), row.dirty);
    EXPECT_EQ(flags_if_new(entry, false, false, kZeros), row.in_new);
    EXPECT_EQ(flags_if_new(entry, true, false, kZeros), row.in_known);
    EXPECT_EQ(flags_if_new(entry, false, true, kZeros), row.in_shared);
  }
}

TEST(PageEntries, WithoutFrameNumbersNothingIsSureOfSharedFrames) {
  const PagemapEntry zeros = {kPresent}, other = {kPresent | kFrame};
  EXPECT_EQ(flags_if_new(zeros, false, false, 0), kMay);
  EXPECT_EQ(flags_if_new(other, false, false, 0), kMay);
  EXPECT_EQ(flags_if_new({kPresent | kExclusive}, false, false, 0), kIs);
}

/// The entry of a page of this process, as the kernel gives it.
PagemapEntry entry_of(const volatile char *page) {
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  PagemapEntry entry;
  const auto number = reinterpret_cast<std::uintptr_t>(page) / kPageBytes;
  EXPECT_EQ(::pread(pagemap, &entry, sizeof(entry),
                    static_cast<off_t>(number * sizeof(entry))),
            static_cast<ssize_t>(sizeof(entry)));
  ::close(pagemap);
  return entry;
}

volatile char *new_page(int flags, int fd = -1) {
  void *const page =
      ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  EXPECT_NE(page, MAP_FAILED);
  return static_cast<volatile char *>(page);
}

TEST(PageEntries, AreWhatThisKernelGives) {
  volatile char *const own = new_page(MAP_PRIVATE | MAP_ANONYMOUS);
  EXPECT_EQ(KindOf(entry_of(own)), KeptPage::kNone);
  EXPECT_EQ(*own, 0); // the page of zeros
  EXPECT_EQ(KindOf(entry_of(own)), KeptPage::kShared);
  *own = 1;
  EXPECT_EQ(KindOf(entry_of(own)), KeptPage::kOwn);

  const int program = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  volatile char *const file = new_page(MAP_PRIVATE, program);
  ::close(program);
  EXPECT_NE(*file, 0);
  EXPECT_EQ(KindOf(entry_of(file)), KeptPage::kFile);
  *file = 1; // a copy
  EXPECT_EQ(KindOf(entry_of(file)), KeptPage::kOwn);
  volatile char *const shared = new_page(MAP_SHARED | MAP_ANONYMOUS);
  *shared = 1;
  EXPECT_EQ(KindOf(entry_of(shared)), KeptPage::kFile);

  // A child that writes has frames of its own, for both kinds.
  const pid_t child = ::fork();
  if (child == 0) {
    const bool was_shared = KindOf(entry_of(own)) == KeptPage::kShared;
    *own = 2;
    ::_exit(was_shared && KindOf(entry_of(own)) == KeptPage::kOwn ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (volatile char *page : {own, file, shared})
    ::munmap(const_cast<char *>(page), kPageBytes);
}

} // namespace
} // namespace pagetide::tools

//===- bss_names_test.cpp - Names for memory behind a file's data ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/bss_names.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

// What lists need of the runtime.
namespace pagetide {
void *GrowPages(void *p, uptr, uptr want, uptr *new_bytes) {
  *new_bytes = want;
  return std::realloc(p, want);
}
void BailOut(const char *format, ...) {
  std::fputs(format, stderr);
  std::abort();
}
} // namespace pagetide

using namespace pagetide;

namespace {

constexpr u32 kRead = 1, kWrite = 2, kExec = 4;

/// What the memory at an address holds. Other memory cannot be read.
std::map<uptr, std::vector<u8>> memory;

bool read_memory(void *to, uptr from, uptr bytes) {
  const auto found = memory.find(from);
  if (found == memory.end() || bytes > found->second.size())
    return false;
  std::memcpy(to, found->second.data(), bytes);
  return true;
}

Elf64_Phdr segment(u32 flags, u64 offset, u64 address, u64 in_file,
                   u64 in_memory) {
  return {PT_LOAD, flags, offset, address, address, in_file, in_memory, 4096};
}
Elf64_Phdr head() { return segment(PF_R, 0, 0, 0x400, 0x400); }
Elf64_Phdr code() { return segment(PF_R | PF_X, 0x1000, 0x1000, 0x800, 0x800); }
/// .data in one page and a half, and .bss of `bss` bytes behind it.
Elf64_Phdr data(u64 bss) {
  return segment(PF_R | PF_W, 0x2000, 0x3000, 0x1800, 0x1800 + bss);
}

void put_file(uptr at, const std::vector<Elf64_Phdr> &segments) {
  std::vector<u8> &bytes = memory[at];
  bytes.assign(4096, 0);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), segments.data(),
              segments.size() * sizeof(Elf64_Phdr));
}

struct Line {
  u64 start, bytes;
  u32 protection;
  u64 offset;
  const char *name;
  bool shared = false;
};

/// The mappings of a file of head(), code() and data(...).
std::vector<Line> file_at(u64 at, const char *name) {
  return {{at, 0x1000, kRead, 0, name},
          {at + 0x1000, 0x1000, kRead | kExec, 0x1000, name},
          {at + 0x3000, 0x2000, kRead | kWrite, 0x2000, name}};
}
std::vector<Line> operator+(std::vector<Line> a, const std::vector<Line> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// "start-end name" of each mapping that has a name or had none, from `from`
/// on; with "+offset" of what is .bss.
std::string named(const std::vector<Line> &lines, u64 from) {
  MappingList list = {}, other = {}, result = {};
  for (const Line &line : lines) {
    other.entries.clear();
    other.names.clear();
    other.names.push_back(0);
    for (const char *p = line.name; *p; ++p)
      other.names.push_back(*p);
    other.names.push_back(0);
    const u32 name = *line.name ? 1 : 0;
    EXPECT_TRUE(AddMapping(list, other,
                           {line.start, line.bytes, line.offset, 0, 0,
                            line.protection, name, line.shared, false}));
  }
  EXPECT_EQ(NameBss(list, read_memory, result), 0);
  std::string text;
  for (const Mapping &m : result.entries) {
    if (m.start < from)
      continue;
    char range[96];
    std::snprintf(range, sizeof(range), "%s%llx-%llx", text.empty() ? "" : " ",
                  static_cast<unsigned long long>(m.start),
                  static_cast<unsigned long long>(m.start + m.bytes));
    text += range;
    text += *result.NameOf(m) ? std::string(":") + result.NameOf(m) : "";
    if (m.bss) {
      std::snprintf(range, sizeof(range), "+%llx",
                    static_cast<unsigned long long>(m.offset));
      text += range;
    }
  }
  return text;
}

class BssNames : public ::testing::Test {
protected:
  void SetUp() override { memory.clear(); }
};

} // namespace

TEST_F(BssNames, memory_behind_the_data_has_the_files_name) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  // .data ends in the middle of the page 0x104000, .bss in that of 0x107000.
  EXPECT_EQ(named(file_at(0x100000, "/lib") +
                      std::vector<Line>{{0x105000, 0x3000, 3, 0, ""}},
                  0x105000),
            "105000-108000:/lib+4000");
}

TEST_F(BssNames, what_the_kernel_merged_with_it_keeps_its_name) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  const std::vector<Line> file = file_at(0x100000, "/lib");
  EXPECT_EQ(
      named(file + std::vector<Line>{{0x105000, 0x9000, 3, 0, ""}}, 0x105000),
      "105000-108000:/lib+4000 108000-10e000");
  EXPECT_EQ(named(file + std::vector<Line>{{0x105000, 0x9000, 3, 0, "[heap]"}},
                  0x105000),
            "105000-108000:/lib+4000 108000-10e000:[heap]");
}

TEST_F(BssNames, rights_may_divide_it) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  EXPECT_EQ(named(file_at(0x100000, "/lib") +
                      std::vector<Line>{{0x105000, 0x1000, 3, 0, ""},
                                        {0x106000, 0x1000, 1, 0, ""},
                                        {0x107000, 0x2000, 3, 0, ""}},
                  0x105000),
            "105000-106000:/lib+4000 106000-107000:/lib+5000 "
            "107000-108000:/lib+6000 108000-109000");
}

TEST_F(BssNames, what_fits_into_the_datas_last_page_needs_no_memory) {
  put_file(0x100000, {head(), code(), data(0x800)});
  EXPECT_EQ(named(file_at(0x100000, "/lib") +
                      std::vector<Line>{{0x105000, 0x1000, 3, 0, ""}},
                  0x105000),
            "105000-106000");
}

TEST_F(BssNames, other_memory_there_is_not_the_files) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  EXPECT_EQ(named(file_at(0x100000, "/lib") +
                      std::vector<Line>{{0x105000, 0x1000, 3, 0, "/mapped"},
                                        {0x106000, 0x1000, 3, 0, "", true},
                                        {0x107000, 0x1000, 3, 0, "[stack]"}},
                  0x105000),
            "105000-106000:/mapped 106000-107000 107000-108000:[stack]");
}

TEST_F(BssNames, each_file_has_its_own) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  put_file(0x200000, {head(), code(), data(0x1800)});
  EXPECT_EQ(named(file_at(0x100000, "/a") +
                      std::vector<Line>{{0x105000, 0x3000, 3, 0, ""}} +
                      file_at(0x200000, "/b") +
                      std::vector<Line>{{0x205000, 0x3000, 3, 0, ""}},
                  0x205000),
            "205000-206000:/b+4000 206000-208000");
}

TEST_F(BssNames, a_segment_may_have_nothing_but_it) {
  put_file(0x100000,
           {head(), code(), segment(PF_R | PF_W, 0x3000, 0x5000, 0, 0x1800)});
  EXPECT_EQ(named({{0x100000, 0x1000, kRead, 0, "/lib"},
                   {0x101000, 0x1000, kRead | kExec, 0x1000, "/lib"},
                   {0x105000, 0x4000, 3, 0, ""}},
                  0x105000),
            "105000-107000:/lib+3000 107000-109000");
}

TEST_F(BssNames, the_first_page_may_be_mapped_twice) {
  // A tiny file: data lies in the page of the header.
  put_file(0x100000, {segment(PF_R | PF_X, 0, 0, 0x400, 0x400),
                      segment(PF_R | PF_W, 0x400, 0x1400, 0x100, 0x2000)});
  put_file(0x101000, {segment(PF_R | PF_X, 0, 0, 0x400, 0x400),
                      segment(PF_R | PF_W, 0x400, 0x1400, 0x100, 0x2000)});
  EXPECT_EQ(named({{0x100000, 0x1000, kRead | kExec, 0, "/tiny"},
                   {0x101000, 0x1000, 3, 0, "/tiny"},
                   {0x102000, 0x5000, 3, 0, ""}},
                  0x102000),
            "102000-104000:/tiny+1000 104000-107000");
}

TEST_F(BssNames, a_file_that_is_only_read_has_none) {
  put_file(0x100000, {head(), code(), data(0x3000)});
  // As data: the whole file, one mapping, its offsets all in order.
  EXPECT_EQ(named({{0x100000, 0x5000, kRead, 0, "/lib"},
                   {0x105000, 0x3000, 3, 0, ""}},
                  0x105000),
            "105000-108000");
  // Its code lies elsewhere.
  EXPECT_EQ(named({{0x100000, 0x1000, kRead, 0, "/lib"},
                   {0x101000, 0x1000, kRead | kExec, 0x7000, "/lib"},
                   {0x105000, 0x3000, 3, 0, ""}},
                  0x105000),
            "105000-108000");
  // Its code is another file's.
  EXPECT_EQ(named({{0x100000, 0x1000, kRead, 0, "/lib"},
                   {0x101000, 0x1000, kRead | kExec, 0x1000, "/other"},
                   {0x105000, 0x3000, 3, 0, ""}},
                  0x105000),
            "105000-108000");
}

TEST_F(BssNames, headers_that_are_gone_or_wrong_name_nothing) {
  const std::vector<Line> lines =
      file_at(0x100000, "/lib") +
      std::vector<Line>{{0x105000, 0x3000, 3, 0, ""}};
  EXPECT_EQ(named(lines, 0x105000), "105000-108000");
  put_file(0x100000, {head(), code(), data(0x3000)});
  memory[0x100000][EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(named(lines, 0x105000), "105000-108000");
  put_file(0x100000, {head(), code(), data(0x3000)});
  reinterpret_cast<Elf64_Ehdr *>(memory[0x100000].data())->e_phnum = 1000;
  EXPECT_EQ(named(lines, 0x105000), "105000-108000");
  reinterpret_cast<Elf64_Ehdr *>(memory[0x100000].data())->e_phoff = ~0ull - 7;
  EXPECT_EQ(named(lines, 0x105000), "105000-108000");
}

TEST(MappingList, same_files_whatever_else_is_mapped) {
  const auto list_of = [](const std::vector<std::pair<u64, char>> &entries) {
    MappingList list = {};
    for (const auto &[start, kind] : entries) {
      MappingList other = {};
      for (const char c : {'\0', '/', kind, '\0'})
        other.names.push_back(c);
      EXPECT_TRUE(AddMapping(
          list, other,
          {start, 0x1000, 0, 0, 0, 3, kind ? 1u : 0u, false, false}));
    }
    return list;
  };
  const MappingList a = list_of({{0x1000, 'a'}, {0x2000, 0}, {0x3000, 'b'}});
  EXPECT_TRUE(SameFiles(a, list_of({{0x1000, 'a'}, {0x3000, 'b'}})));
  EXPECT_TRUE(
      SameFiles(a, list_of({{0x1000, 'a'}, {0x3000, 'b'}, {0x4000, 0}})));
  EXPECT_FALSE(SameFiles(a, list_of({{0x1000, 'a'}})));
  EXPECT_FALSE(SameFiles(list_of({{0x1000, 'a'}}), a));
  EXPECT_FALSE(SameFiles(a, list_of({{0x1000, 'a'}, {0x4000, 'b'}})));
  EXPECT_FALSE(SameFiles(a, list_of({{0x1000, 'a'}, {0x3000, 'c'}})));
}

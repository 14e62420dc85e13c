//===- proc_maps.cpp - What is mapped where -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/proc_maps.h"

#include "pagetide/abi.h"
#include "pagetide/control.h"
#include "platform/fork_reset.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

int ReadTextFile(const char *path, PageVec<char> &text) {
  uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return ErrnoOf(fd);
  uptr n = 0;
  text.clear();
  do {
    constexpr uptr kStep = 16384;
    const uptr used = text.size();
    if (!text.TryReserve(used + kStep + 1)) { // 1: for the zero at the end
      n = (uptr)-ENOMEM;
      break;
    }
    text.resize(used + kStep);
    n = Syscall(SYS_read, fd, (uptr)&text[used], kStep);
    text.resize(used + (Failed(n) ? 0 : n));
  } while (n && (!Failed(n) || ErrnoOf(n) == EINTR));
  Syscall(SYS_close, fd);
  if (Failed(n))
    return ErrnoOf(n);
  text.push_back(0);
  return 0;
}

/// The list of the process is empty, or cannot be opened, once the first thread
/// has ended. It comes first all the same: what the kernel makes in /proc for
/// this thread, it removes with the thread, and wait() waits until it has.
static int ReadMapsFile(PageVec<char> &text) {
  if (!ReadTextFile("/proc/self/maps", text) && text[0])
    return 0;
  return ReadTextFile("/proc/thread-self/maps", text);
}

u64 ParseHex(const char *&p) {
  u64 value = 0;
  for (;; ++p) {
    if (*p >= '0' && *p <= '9')
      value = value << 4 | (u64)(*p - '0');
    else if (*p >= 'a' && *p <= 'f')
      value = value << 4 | (u64)(*p - 'a' + 10);
    else
      return value;
  }
}

/// Appends a mapping with its name. False if memory ran out.
static bool Add(MappingList &list, Mapping m, const char *name, uptr bytes) {
  if (!list.entries.TryReserve(list.entries.size() + 1) ||
      !list.names.TryReserve(list.names.size() + bytes + 2))
    return false;
  if (list.names.empty())
    list.names.push_back(0);
  m.name = 0;
  if (bytes) {
    // Neighbouring mappings usually have the same name.
    const u32 last = list.entries.empty() ? 0 : list.entries.back().name;
    if (internal_strlen(&list.names[last]) == bytes &&
        !internal_memcmp(&list.names[last], name, bytes)) {
      m.name = last;
    } else {
      m.name = (u32)list.names.size();
      list.names.resize(m.name + bytes + 1);
      internal_memcpy(&list.names[m.name], name, bytes);
      list.names[m.name + bytes] = 0;
    }
  }
  list.entries.push_back(m);
  return true;
}

bool AddMapping(MappingList &list, const MappingList &other, const Mapping &m) {
  const char *name = other.NameOf(m);
  return Add(list, m, name, internal_strlen(name));
}

/// Removes from `m` what the list has already. The kernel returns its list in
/// pieces. If mappings merge in between, its next line begins before the end of
/// the last one. False if nothing is left.
static bool CutRepeated(const MappingList &list, Mapping &m) {
  if (list.entries.empty())
    return true;
  const Mapping &last = list.entries[list.entries.size() - 1];
  const u64 end = last.start + last.bytes;
  if (m.start >= end)
    return true;
  const u64 repeated = end - m.start;
  if (m.bytes <= repeated)
    return false;
  m.start = end;
  m.bytes -= repeated;
  m.offset += m.offset ? repeated : 0; // 0 if it is anonymous
  return true;
}

static bool IsControlMarker(const Mapping &m) {
  return m.start >= control::kMarkerBase && m.start < control::kMarkerEnd &&
         m.bytes == control::kMarkerBytes && !m.protection;
}

static int ParseMaps(MappingList &list, AddressRange (*skip)(),
                     const PageVec<char> &text) {
  list.entries.clear();
  list.names.clear();
  list.beyond = 0;
  const AddressRange skipped = skip();
  // A line: start-end rwxp offset major:minor inode      name
  for (const char *p = text.data(); *p;) {
    Mapping m = {};
    m.start = ParseHex(p);
    ++p;
    m.bytes = ParseHex(p) - m.start;
    ++p;
    m.protection = (p[0] == 'r' ? PROT_READ : 0u) |
                   (p[1] == 'w' ? PROT_WRITE : 0u) |
                   (p[2] == 'x' ? PROT_EXEC : 0u);
    m.shared = p[3] == 's';
    p += 5;
    m.offset = ParseHex(p);
    ++p;
    m.device = ParseHex(p) << 32;
    ++p;
    m.device |= ParseHex(p);
    ++p;
    for (; *p >= '0' && *p <= '9'; ++p)
      m.inode = m.inode * 10 + (u64)(*p - '0');
    while (*p == ' ')
      ++p;
    const char *name = p;
    while (*p && *p != '\n')
      ++p;
    uptr bytes = (uptr)(p - name);
    static const char kOwn[] = "/memfd:pagetide-";
    if (*p)
      ++p;
    if (IsControlMarker(m))
      continue;
    if (bytes >= sizeof(kOwn) - 1 &&
        !internal_memcmp(name, kOwn, sizeof(kOwn) - 1))
      continue;
    if (m.start >= skipped.begin && m.start < skipped.end)
      continue;
    if (m.start >> abi::kAddressBits) {
      if (!(m.start >> 63)) // not [vsyscall], in the kernel's half
        list.beyond = m.start;
      continue;
    }
    if (!CutRepeated(list, m))
      continue;
    if (!Add(list, m, name, bytes))
      return ENOMEM;
  }
  return 0;
}

int ReadMappings(MappingList &list, AddressRange (*skip)(),
                 PageVec<char> &text) {
  const int error = ReadMapsFile(text);
  return error ? error : ParseMaps(list, skip, text);
}

PAGETIDE_RECORDER_STATE static PageVec<char> maps_text;

int ReadMappings(MappingList &list, AddressRange (*skip)()) {
  return ReadMappings(list, skip, maps_text);
}

int ReadMappingsOf(u32 pid, MappingList &list, AddressRange (*skip)()) {
  char path[64];
  internal_snprintf(path, sizeof(path), "/proc/%u/maps", pid);
  const int error = ReadTextFile(path, maps_text);
  return error ? error : ParseMaps(list, skip, maps_text);
}

bool SameMapping(const MappingList &a, const Mapping &x, const MappingList &b,
                 const Mapping &y) {
  return x.start == y.start && x.bytes == y.bytes && x.offset == y.offset &&
         x.protection == y.protection && x.shared == y.shared &&
         x.bss == y.bss &&
         (!x.shared || (x.inode == y.inode && x.device == y.device)) &&
         !internal_strcmp(a.NameOf(x), b.NameOf(y));
}

bool SameMappings(const MappingList &a, const MappingList &b) {
  if (a.entries.size() != b.entries.size())
    return false;
  for (uptr i = 0; i < a.entries.size(); ++i)
    if (!SameMapping(a, a.entries[i], b, b.entries[i]))
      return false;
  return true;
}

static bool IsOfFile(const MappingList &list, const Mapping &m) {
  return *list.NameOf(m) == '/';
}

bool SameFiles(const MappingList &a, const MappingList &b) {
  uptr i = 0, j = 0;
  for (;; ++i, ++j) {
    while (i < a.entries.size() && !IsOfFile(a, a.entries[i]))
      ++i;
    while (j < b.entries.size() && !IsOfFile(b, b.entries[j]))
      ++j;
    if (i == a.entries.size() || j == b.entries.size())
      return i == a.entries.size() && j == b.entries.size();
    if (!SameMapping(a, a.entries[i], b, b.entries[j]))
      return false;
  }
}

bool Contains(const MappingList &list, const MappingList &other,
              const Mapping &m) {
  for (const Mapping &mine : list.entries)
    if (SameMapping(list, mine, other, m))
      return true;
  return false;
}

} // namespace pagetide

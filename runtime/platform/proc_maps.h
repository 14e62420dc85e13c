//===- proc_maps.h - What is mapped where ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "platform/syscalls.h"

namespace pagetide {

struct Mapping {
  u64 start, bytes;
  u64 offset;
  u64 inode, device; ///< of the file; 0: there is none
  u32 protection;    ///< PROT_READ | PROT_WRITE | PROT_EXEC
  u32 name;          ///< offset into MappingList::names; 0 is ""
  bool shared;
  bool bss; ///< named by NameBss (bss_names.h): memory that is not in the file
};

/// The mappings of the process without the shadow's, sorted by start.
struct MappingList {
  PageVec<Mapping> entries;
  PageVec<char> names; ///< zero-terminated, one after the other
  u64 beyond = 0;      ///< a mapping that no shadow covers (not listed), or 0
  const char *NameOf(const Mapping &m) const { return &names[m.name]; }
};

/// Reads the process's list in /proc. Leaves out the mappings that begin in
/// skip(), which is called when the file has been read. Returns 0 or an errno:
/// of the file, or ENOMEM.
int ReadMappings(MappingList &list, AddressRange (*skip)());
/// The same on any thread; `text` is where the file goes.
int ReadMappings(MappingList &list, AddressRange (*skip)(),
                 PageVec<char> &text);

/// The same of another process, which has a copy of this one's memory.
int ReadMappingsOf(u32 pid, MappingList &list, AddressRange (*skip)());

bool SameMapping(const MappingList &a, const Mapping &x, const MappingList &b,
                 const Mapping &y);
bool SameMappings(const MappingList &a, const MappingList &b);
/// The same, of the mappings of files alone.
bool SameFiles(const MappingList &a, const MappingList &b);
/// True if the list has that mapping of list `other`.
bool Contains(const MappingList &list, const MappingList &other,
              const Mapping &m);
/// Appends a mapping of list `other`, with its name. False if memory ran out.
bool AddMapping(MappingList &list, const MappingList &other, const Mapping &m);

/// Reads a file of /proc into `text`, with a zero at its end. Returns 0 or an
/// errno. On any thread.
int ReadTextFile(const char *path, PageVec<char> &text);

/// Reads a hexadecimal number without prefix, and moves `p` behind it.
u64 ParseHex(const char *&p);

} // namespace pagetide

//===- bss_names.h - Names for memory behind a file's data ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program or library has variables that start as zeros (.bss). They are not
// in its file: the loader maps memory without a name for them, behind the pages
// of the file. The kernel merges this memory with memory without a name, or
// with the heap, that follows it. The file's headers, which are mapped too, say
// which pages are the file's.

#pragma once

#include "platform/proc_maps.h"

namespace pagetide {

/// Copies bytes of the process's memory. False if they cannot be read: another
/// thread may have unmapped them since the list was read.
using ReadMemory = bool (*)(void *to, uptr from, uptr bytes);

/// Sets `named` to `list`, but with the .bss of every loaded file as a mapping
/// of its own, which has the file's name. Returns 0 or ENOMEM.
int NameBss(const MappingList &list, ReadMemory read, MappingList &named);

} // namespace pagetide

//===- small_file.h - Reads files such as those in /proc ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_SMALL_FILE_H
#define PAGETIDE_RUNTIME_PLATFORM_SMALL_FILE_H

#include "platform/syscalls.h"

namespace pagetide {

/// Reads a small file, which must be no symbolic link. `directory` is as for
/// openat. Returns its size, or `room` if it does not fit; 0 if it cannot be
/// read. System calls only.
uptr ReadSmallFile(int directory, const char *name, char *text, uptr room);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_SMALL_FILE_H

//===- small_file.h - Reads files such as those in /proc ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

// These use system calls only.

/// Opens a file, which must be no symbolic link. `directory` is as for openat.
/// Returns its descriptor, or as system calls do if that fails.
uptr OpenSmallFile(int directory, const char *name);

/// Reads a file. Returns its size, or `room` if it does not fit; 0 if it cannot
/// be read.
uptr ReadSmallFile(uptr fd, char *text, uptr room);

/// Opens, reads and closes it.
uptr ReadSmallFile(int directory, const char *name, char *text, uptr room);

} // namespace pagetide

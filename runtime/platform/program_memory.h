//===- program_memory.h - Read the program's structures -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Learns, once, whether the program runs under a system call filter.
void InitCopies();

/// From now on a system call that the program does not make itself may end it:
/// the program has installed a filter.
void NoteSystemCallFilter();
bool UnderSystemCallFilter();

/// Whether all pages of the bytes are mapped.
bool IsMapped(uptr address, uptr bytes);

/// Copies bytes of the process's memory. False if not all of it can be read,
/// and under a system call filter, which may kill the process for
/// process_vm_readv. Async-signal-safe.
bool ReadIfMapped(void *to, uptr from, uptr bytes);

/// Copies a structure that the program hands to the kernel. Its address may be
/// invalid: returns false if it cannot be read. Under a system call filter it
/// is read directly, because the filter may kill the process for
/// process_vm_readv. An invalid address then ends the program.
/// Async-signal-safe.
bool CopyFromProgram(void *to, const void *from, uptr bytes);

/// The same in the other direction, for a result that the kernel would write.
bool CopyToProgram(void *to, const void *from, uptr bytes);

} // namespace pagetide

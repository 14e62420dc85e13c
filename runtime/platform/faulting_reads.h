//===- faulting_reads.h - Read memory that may not be there ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another thread may unmap a page while it is read. A thread of the program
// cannot survive that, because signal actions belong to the program. A process
// of raw_process.h has actions of its own, so it can.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Processes that read at a time.
constexpr u32 kMaxFaultingReaders = 4;

/// From now on none are made: the program is about to handle its own page
/// faults (userfaultfd), or a read has waited too long. A read may be an event
/// for the program, where a system call just fails.
void AvoidFaultingReads();
bool AvoidsFaultingReads();

/// Makes this process, which is a RawProcess, the reader of that number.
void BecomeFaultingReader(u32 number);

/// Calls read(argument) in that process. False if memory that it read was not
/// there: it has then ended somewhere. `read` must not lock anything.
bool ReadIfThere(u32 number, void (*read)(void *), void *argument);

} // namespace pagetide

//===- trace_file.h - The file of a trace ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are only appended. Room for the last words is always reserved, so that
// a trace says why it ends even on a full disk. No memory is allocated here.

#pragma once

#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

#include <sys/uio.h>

namespace pagetide {

struct TraceFile {
  int fd;
  u64 offset;   ///< where the next frame goes
  u64 whole;    ///< end of the last frame that leaves no period unfinished
  u64 reserved; ///< the file system has reserved room up to here
  bool no_reservation; ///< it cannot reserve room
  u64 periods;         ///< completely written
};

/// Creates the trace file. Never replaces an existing file: tries `path`, then
/// path.<pid>, then path.<pid>.<n>. The mode is 0600, and links are not
/// followed. Copies the name to `taken` (4096 bytes). Returns 0 or an errno.
int CreateTraceFile(const char *path, char *taken, int *fd);

/// Appends; changes `pieces`. Returns 0 or an errno.
int WriteAll(TraceFile &file, iovec *pieces, uptr count);

/// Gives back reserved room that was not used.
void ReleaseReserved(TraceFile &file);

/// Cuts off what is torn or belongs to an unfinished period. Then writes why
/// the trace ends there: a note and, if there is a reason, an End frame. (If
/// null, `pagetide record` may still complete the trace.) False if that fails
/// too.
bool WriteLastWords(TraceFile &file, const char *why,
                    const trace::EndReason *reason);

} // namespace pagetide

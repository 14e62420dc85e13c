//===- trace_file.h - The file of a trace ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes are only appended. Room for the last words is always reserved, so that a
// trace says why it ends even on a full disk. No memory is allocated here.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_TRACE_TRACE_FILE_H
#define PAGETIDE_RUNTIME_TRACE_TRACE_FILE_H

#include "platform/syscalls.h"

#include <sys/uio.h>

namespace pagetide {

struct TraceFile {
  int fd;
  u64 offset;   ///< where the next frame goes
  u64 whole;    ///< end of the last frame that leaves no period unfinished
  u64 reserved; ///< the file system has promised room up to here
  bool no_reservation; ///< it makes no promises
  u64 periods;         ///< written whole
};

/// Creates the trace file, never over an existing one: `path`, else path.<pid>,
/// else path.<pid>.<n>. Mode 0600, links not followed. Puts the name taken into
/// `taken` (of 4096 bytes). Returns 0 or an errno.
int CreateTraceFile(const char *path, char *taken, int *fd);

/// Appends; changes `pieces`. Returns 0 or an errno.
int WriteAll(TraceFile &file, iovec *pieces, uptr count);

/// Shortens the file. Returns 0 or an errno.
int CutTo(TraceFile &file, u64 offset);

/// Takes off what is torn or belongs to a period that is not whole, and writes
/// why the trace ends there: a note, and an End frame unless `record` may still
/// complete it. Without memory of its own. False where that fails too.
bool WriteLastWords(TraceFile &file, const char *why, bool with_end);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_TRACE_TRACE_FILE_H

//===- stream_buffers.h - Buffers of streams under engine mprotect --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H

#include "platform/syscalls.h"

namespace pagetide {

/// Gives a stream that was opened for reading a buffer that is never protected.
void GiveBuffer(void *stream, const char *mode);
/// The same for a stream that is open already.
void BufferInput(void *stream);
/// The index of its buffer, plus one; 0 if it has none of ours.
u32 BufferOf(void *stream);
void TakeBackBuffer(u32 place);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H

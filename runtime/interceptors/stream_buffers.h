//===- stream_buffers.h - Buffers of streams under engine mprotect --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H

#include "platform/syscalls.h"

namespace pagetide {

/// Gives a stream that was opened in this mode a buffer that is never protected.
void GiveBuffer(void *stream, const char *mode);
/// Gives a stream that is read a buffer that is never protected.
void BufferInput(void *stream);
/// Its place among the buffers, plus one; 0: none.
u32 BufferOf(void *stream);
void TakeBackBuffer(u32 place);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_STREAM_BUFFERS_H

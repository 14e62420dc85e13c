//===- memory_streams.cpp - Streams of open_memstream ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fflush and fclose of a stream of open_memstream write the caller's pointer
// and size. What was printed into the buffer until then is marked as may,
// because nobody knows when libc wrote it.

#include "interceptors/interceptor.h"
#include "interceptors/syscall_macros.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"

using namespace pagetide;

namespace {
struct MemoryStream {
  void *stream;
  char **buffer;
  SIZE_T *bytes;
  uptr unit; ///< bytes per character
  MemoryStream *next;
};
} // namespace
static MemoryStream *memory_streams; // changed under the lock; read without it
PAGETIDE_ZERO_IN_CHILD static Lock memory_streams_lock;

static void AddMemoryStream(void *f, char **buffer, SIZE_T *bytes, uptr unit) {
  if (!f || !ShadowReady())
    return;
  ScopedLock locked(memory_streams_lock);
  auto *s = (MemoryStream *)__sanitizer::InternalAlloc(sizeof(MemoryStream));
  *s = {f, buffer, bytes, unit, memory_streams};
  StoreRelease(&memory_streams, s);
}
/// Marks what a flush of `f` (null: of all streams) has written. Removes `f` if
/// it is closed.
static void DidFlush(void *f, bool closed) {
  if (!LoadAcquire(&memory_streams) || !ShadowReady())
    return;
  ScopedLock locked(memory_streams_lock);
  for (MemoryStream **at = &memory_streams; *at;) {
    MemoryStream *s = *at;
    if (f && s->stream != f) {
      at = &s->next;
      continue;
    }
    DidWriteAt(s->buffer);
    DidWriteAt(s->bytes);
    MayHaveWritten(*s->buffer, (*s->bytes + 1) * s->unit);
    if (!closed) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    __sanitizer::InternalFree(s);
  }
}
PAGETIDE_AFTER(void *, open_memstream, (char **buffer, SIZE_T *bytes),
               (buffer, bytes), AddMemoryStream(result, buffer, bytes, 1))
PAGETIDE_AFTER(void *, open_wmemstream, (wchar_t * *buffer, SIZE_T *characters),
               (buffer, characters),
               AddMemoryStream(result, (char **)buffer, characters, 4))
PAGETIDE_AFTER(int, fflush, (void *f), (f), DidFlush(f, false))
PAGETIDE_AFTER(int, fflush_unlocked, (void *f), (f), DidFlush(f, false))
PAGETIDE_AFTER(int, fclose, (void *f), (f), DidFlush(f, true))

//===- memory_streams.h - Streams of open_memstream -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_MEMORY_STREAMS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_MEMORY_STREAMS_H

namespace pagetide {

/// In a forked child: nobody holds the lock of the list of streams.
void RenewMemoryStreamsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_MEMORY_STREAMS_H

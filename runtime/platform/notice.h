//===- notice.h - Tells pagetide record why it hears no more --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_NOTICE_H
#define PAGETIDE_RUNTIME_PLATFORM_NOTICE_H

#include "pagetide/shadow_file.h"

namespace pagetide {

/// Sends a Notice to the `pagetide record` that started this process, if there
/// is one. Never waits. Needs no options: these may be what is wrong.
void NotifyRecord(shadow_file::NoticeKind kind);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_NOTICE_H

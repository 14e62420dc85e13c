//===- notice.h - Tells pagetide record why it hears no more --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/shadow_file.h"

#include <sys/socket.h>
#include <sys/un.h>

namespace pagetide {

/// Copies the last `control` among the options. Returns false if there is none
/// that fits.
bool FindControlSocket(const char *options, sockaddr_un &address);

/// Sends a Notice to the `pagetide record` that started this process, if there
/// is one. Never waits. Needs no options: these may be what is wrong.
void NotifyRecord(shadow_file::NoticeKind kind);

} // namespace pagetide

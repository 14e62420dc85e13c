//===- control_client.h - The connection to pagetide record ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// The process has given up rights. Its children may not reach record any more.
void NoteRightsChanged();

/// In a forked child, while the control block is still its parent's. If the
/// child will not reach record, one process says so for all of them.
void InheritReachOfRecord();
/// Whether another process has told the user what fails without these rights.
bool RightsAreToldOf();

/// Passes the memfd and the trace (-1: none) to the `pagetide record` that
/// listens on `socket_path`. Returns the connection, which stays open until the
/// process ends. Returns -1, mostly after a warning. Then record cannot save
/// the last period of a killed program.
int ConnectToRecord(const char *socket_path, int memfd, int trace_fd,
                    const char *trace_path);

} // namespace pagetide

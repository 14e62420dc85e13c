//===- sent_table.h - A table of descriptors on its way -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A raw thread has a table of descriptors of its own (raw_thread.h), which ends
// with it. What the table holds outlives it in a socket, for the thread that
// comes next.

#pragma once

namespace pagetide {

/// Sends all descriptors of the caller's table, but `socket` itself, into
/// `socket`, with their numbers. Returns 0 or an errno.
int SendTable(int socket);

/// Gives the caller's table the descriptors that were sent, with the numbers
/// that they had. Descriptor 0 is the socket and the only one; it is closed.
/// Returns 0 or an errno.
int ReceiveTable();

} // namespace pagetide

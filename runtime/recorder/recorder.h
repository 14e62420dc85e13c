//===- recorder.h - Periods: their clock, and what happens at their end ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread a process, which sleeps until a period ends or somebody asks
// something of it. It alone takes marks, hashes pages and begins or ends
// recording; other threads send it requests and wait for the answer.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_RECORDER_H
#define PAGETIDE_RUNTIME_RECORDER_RECORDER_H

namespace pagetide {

/// Fork handlers' part. Waits for a request under way, unless it is the
/// caller's own (a fork in a callback).
void LockRecorder(bool in_request);
void UnlockRecorder(bool in_request);
/// Forgets the parent's recorder and goes on with a new one, recording if the
/// parent did.
void RenewRecorderInChild();

/// Second phase, before any request.
void InitRecorder();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_RECORDER_H

//===- recorder.h - Periods: their clock, and what happens at their end ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each process has one recorder thread. It sleeps until a period ends or
// another thread makes a request (requests.h). Only this thread takes marks,
// hashes pages, and starts and stops recordings.

#pragma once

namespace pagetide {

/// For the fork handlers. Waits until no request is under way, unless it is the
/// caller's own (a fork in a callback).
void LockRecorder(bool in_request);
void UnlockRecorder(bool in_request);
/// Forgets the parent's recorder and starts a new one if the parent recorded.
void RenewRecorderInChild();

/// Second phase, before any request.
void InitRecorder();

} // namespace pagetide

//===- bailout.h - When a thread of the runtime cannot go on --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anywhere below the loops of the recorder and the writer, memory may run out
// or a system call may fail. The program must run on then. So these threads
// give up their whole step: BailOut jumps back to the loop, which ends the
// trace and says why. Code that may bail out holds no lock of the program's
// threads and relies on no destructor.

#pragma once

namespace pagetide {

/// Why an attempt ended in BailOut: a sentence without its full stop.
struct Reason {
  char text[512];
};

/// Runs step(arg). False if it ended in BailOut. Attempts nest: BailOut ends
/// the innermost one of its thread. Only on threads made by raw_thread.h.
bool Attempt(Reason &why, void (*step)(void *arg), void *arg);

template <typename Step> bool Attempt(Reason &why, Step step) {
  return Attempt(why, [](void *arg) { (*static_cast<Step *>(arg))(); }, &step);
}

/// Ends the calling thread's innermost Attempt. Without an Attempt it prints
/// the message and ends the program.
[[noreturn]] void BailOut(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

} // namespace pagetide

//===- bailout.h - When a thread of the runtime cannot go on --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory may run out, and a system call fail, anywhere below the recorder's and
// the writer's loops. The program is to run on then, so these threads give up
// what they are at as a whole: BailOut goes back to the loop, which ends the
// trace and says why. What lies between holds no lock of the program's threads,
// and runs no destructor that matters.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_BAILOUT_H
#define PAGETIDE_RUNTIME_PLATFORM_BAILOUT_H

namespace pagetide {

/// Why an attempt was left off: a sentence without its end.
struct Reason {
  char text[512];
};

/// Runs step(arg). False where it ended in BailOut. Attempts nest: BailOut
/// ends the innermost of its thread. Only on threads made by raw_thread.h.
bool Attempt(Reason &why, void (*step)(void *arg), void *arg);

template <typename Step> bool Attempt(Reason &why, Step step) {
  return Attempt(why, [](void *arg) { (*static_cast<Step *>(arg))(); }, &step);
}

/// Ends the calling thread's innermost Attempt. Without one the program ends
/// with the message.
[[noreturn]] void BailOut(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_BAILOUT_H

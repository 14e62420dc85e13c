//===- raw_calls.cpp - What system calls have read and written ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// raw_numbers.def says it. raw_not_seen.txt lists the calls that it lacks.

#include "interceptors/raw_calls.h"

#include "interceptors/call_effects.h"

#include <sys/syscall.h>

namespace pagetide::calls {

bool DidCall(long number, long done, const u64 (&arguments)[6]) {
  switch (number) {
#define RAW(name, when, effects)                                               \
  case SYS_##name: {                                                           \
    struct Call : Effects {                                                    \
      using Effects::Effects;                                                  \
      void Mark([[maybe_unused]] sptr result, [[maybe_unused]] uptr a,         \
                [[maybe_unused]] uptr b, [[maybe_unused]] uptr c,              \
                [[maybe_unused]] uptr d, [[maybe_unused]] uptr e,              \
                [[maybe_unused]] uptr f) const {                               \
        effects;                                                               \
      }                                                                        \
    };                                                                         \
    Call(Succeeded(done, When::k_##when))                                      \
        .Mark(done, arguments[0], arguments[1], arguments[2], arguments[3],    \
              arguments[4], arguments[5]);                                     \
    return true;                                                               \
  }
#define TABLED_CALL(type, name, when, effects) RAW(name, when, effects)
#include "interceptors/raw_numbers.def"
  default:
    return false;
  }
}

} // namespace pagetide::calls

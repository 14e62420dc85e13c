//===- fixed_addresses.cpp - Programs whose addresses are not random ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/fixed_addresses.h"

#include "support/failure.h"

#include <sys/personality.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

/// Returns the personality and changes nothing.
constexpr unsigned long kOnlyAsk = 0xffffffff;

} // namespace

FixedAddresses::FixedAddresses() : before_(::personality(kOnlyAsk)) {
  const unsigned long wanted =
      static_cast<unsigned>(before_) | ADDR_NO_RANDOMIZE;
  // A filter of system calls (seccomp) may also claim success.
  if (before_ == -1 || ::personality(wanted) == -1)
    throw Failure(
        "--no-aslr: personality(ADDR_NO_RANDOMIZE) failed: {}; the command was "
        "not started. In a container its seccomp profile has to allow the "
        "call, as in: docker run --security-opt seccomp=unconfined. Or record "
        "without --no-aslr, and compare with: pagetide diff --relative",
        std::strerror(errno));
  if (!(::personality(kOnlyAsk) & ADDR_NO_RANDOMIZE))
    throw Failure("--no-aslr: personality(ADDR_NO_RANDOMIZE) succeeded and had "
                  "no effect; the command was not started. Record without "
                  "--no-aslr, and compare with: pagetide diff --relative");
}

FixedAddresses::~FixedAddresses() {
  ::personality(static_cast<unsigned>(before_));
}

} // namespace pagetide::tools

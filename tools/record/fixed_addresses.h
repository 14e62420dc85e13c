//===- fixed_addresses.h - Programs whose addresses are not random --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide::tools {

/// While it lives, the kernel gives a program that a new child executes the
/// same addresses in each run. Its own children inherit that. The calling
/// process keeps its addresses.
class FixedAddresses {
public:
  /// Throws Failure if the kernel refuses.
  FixedAddresses();
  ~FixedAddresses();
  FixedAddresses(const FixedAddresses &) = delete;

private:
  int before_; ///< the personality of this process
};

} // namespace pagetide::tools

//===- clang_version.h - Is this the clang that the pass is for? ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_CLANG_VERSION_H
#define PAGETIDE_WRAPPER_CLANG_VERSION_H

#include <string>

namespace pagetide::wrapper {

/// Asks a compiler for its version, which takes as long as starting it. Returns
/// why the pass cannot be loaded into it, or an empty string. A program that
/// cannot be started gets an empty string too: running it says why.
std::string why_not_usable(const std::string &compiler);

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_CLANG_VERSION_H

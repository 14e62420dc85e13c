//===- exports.h - Functions that the library exports ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_EXPORTS_H
#define PAGETIDE_RUNTIME_PLATFORM_EXPORTS_H

/// Heads a function of exports.map.in.
#define PAGETIDE_EXPORT extern "C" __attribute__((visibility("default")))

#endif // PAGETIDE_RUNTIME_PLATFORM_EXPORTS_H

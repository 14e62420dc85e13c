//===- exports.h - Functions that the library exports ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

/// Heads a function of exports.map.in.
#define PAGETIDE_EXPORT extern "C" __attribute__((visibility("default")))

//===- processor.h - What this processor has ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Whether periods/wide_hash.cpp may run. Takes up to 0.1 ms: virtual machines
/// trap what asks the processor.
bool HasWideVectors();

} // namespace pagetide

//===- child_process.h - Programs that the wrapper waits for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pagetide::wrapper {

/// What a program prints, on either stream. Nothing if it cannot be started.
std::optional<std::string> output_of(const std::vector<std::string> &command);

/// Runs a program, and returns its status as a shell does. Sets errno and
/// returns -1 if it cannot be started.
int run_and_wait(const std::vector<std::string> &command);

} // namespace pagetide::wrapper

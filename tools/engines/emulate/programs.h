//===- programs.h - Execve, followed into QEMU ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>

namespace pagetide::emulation {

/// Reads how QEMU was started, so that it can be started again. Gives this
/// thread the name that the kernel would give it for the program.
void remember_command_line();

/// Runs the program that QEMU was started for, as it is. Returns if that fails.
void run_without_qemu();

/// The program is about to call execve. Calls it with QEMU before the program,
/// and does not return, if QEMU can run that. In all other cases the call is
/// made as it is, and fails as it does without QEMU.
void before_execve(std::uint64_t path, std::uint64_t arguments,
                   std::uint64_t environment);

} // namespace pagetide::emulation

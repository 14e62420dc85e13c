//===- comparison.h - Marks against the accesses that they stand for ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `pagetide audit --exact`. An instrumented program records itself in QEMU.
// The plugin sees its marks too: they are stores into the shadow. No code has a
// system call between a mark and the access. So what a thread does between two
// of its system calls, a stretch, must have the same pages in both, exactly.
//
//   lost      instrumented code accessed a page without a mark in the stretch
//   claimed   instrumented code marked a page that the thread did not access in
//             the stretch, or the runtime one that nobody accessed in the run

#pragma once

#include "engines/emulate/qemu_plugin.h"
#include "interceptors/call_memory.h"

#include <cstdint>

namespace pagetide::emulation {

/// Watches an instruction that is translated. `locked`: of its accesses QEMU
/// may tell the store alone.
void compare_instruction(qemu_plugin_insn *insn, bool locked);

/// The calling thread makes a system call, or has made one.
void compare_call(std::int64_t number, const calls::u64 *arguments);
void compare_return(std::int64_t number, const calls::u64 *arguments,
                    std::uint64_t result);
/// This process has just been forked.
void compare_forked();

/// Exit or exec is next: writes what was found to a file of this process, in
/// the directory that the settings name.
void write_comparison();

} // namespace pagetide::emulation

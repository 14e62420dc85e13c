//===- command_line.h - How QEMU is told to run a program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record starts the first program of a run by this, and the plugin those that
// it executes.

#pragma once

#include <string>
#include <vector>

namespace pagetide::emulation {

struct Program {
  std::string file;
  std::vector<std::string> arguments; ///< with the program's name
};

enum class CanRun {
  kInQemu,
  kNative, ///< another machine's, or one that gains privileges
  kFails,  ///< the kernel refuses it
};

/// Replaces a script by its interpreter, as the kernel does.
CanRun find_program(Program &program);

/// `qemu` are QEMU's own words, up to those that are the program's. Variables
/// that the loader and libc read move from the environment into words: they are
/// for the program, and not for QEMU.
std::vector<std::string> command_line(const std::vector<std::string> &qemu,
                                      const Program &program,
                                      std::vector<std::string> &environment);

} // namespace pagetide::emulation

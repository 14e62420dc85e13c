//===- command_line.h - What a clang command line asks for ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions from arguments to arguments: nothing here starts a program or
// looks at the file system.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_COMMAND_LINE_H
#define PAGETIDE_WRAPPER_COMMAND_LINE_H

#include <string>
#include <vector>

namespace pagetide::wrapper {

/// What the arguments say, of all that the wrapper has to know.
struct CommandLine {
  bool has_input = false;   ///< a file, `-`, or a library
  bool only_headers = true; ///< every input is one: they are precompiled
  bool raw = false;         ///< -cc1 and its like: not a driver's command line
  bool links = true;        ///< no -c, -S, -E ...: the linker runs
  std::string language;     ///< by the last -x, for the inputs after it
  bool generates = true;    ///< code may be generated: no -E, -fsyntax-only ...
  bool relocatable = false; ///< -r
  bool instrument = true;   ///< -fpagetide or -fno-pagetide, the last one
  bool rpath = true;        ///< -fpagetide-rpath or -fno-pagetide-rpath
  bool std_string = true;   ///< -fpagetide-std-string or its opposite
  bool help = false;        ///< -fpagetide-help
  bool lto = false;         ///< -flto or -fno-lto, the last one
  bool lld = false;         ///< the linker chosen is lld
  std::string linker;       ///< the option that chose one, e.g. -fuse-ld=bfd
  std::string static_link;  ///< -static or -static-pie, where given
  std::string other_target; ///< an option that asks for another processor
  std::vector<std::string> pass_options; ///< for the pass: -pagetide-...
  std::vector<std::string> rest;         ///< the arguments without ours
  std::size_t own_count = 0;             ///< how many were ours
  std::vector<std::string> errors;       ///< in our own options
};

/// Reads a command line (without the program's name, response files expanded).
CommandLine parse(const std::vector<std::string> &args);

/// Whether clang gets anything of Pagetide's for this command line. Without an
/// input (--version, -print-..., -v) an added library would make clang link.
bool uses_pagetide(const CommandLine &line);

/// Where things are.
struct Parts {
  std::string plugin;      ///< PagetidePass.so
  std::string runtime;     ///< libpagetide.so
  std::string runtime_dir; ///< for the program's run path
  std::string include_dir; ///< of <pagetide/pagetide.h>; empty: not there
};

/// The arguments for clang. Empty additions where nothing is to be added.
std::vector<std::string> clang_arguments(const CommandLine &line,
                                         const Parts &parts);

/// What is wrong with the command line as a whole, or an empty string.
std::string refusal(const CommandLine &line);

/// The text of -fpagetide-help, without the places.
std::string options_help();

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_COMMAND_LINE_H

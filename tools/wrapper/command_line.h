//===- command_line.h - What a clang command line asks for ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions from arguments to arguments. Nothing here starts a program or
// reads the file system.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_COMMAND_LINE_H
#define PAGETIDE_WRAPPER_COMMAND_LINE_H

#include <string>
#include <vector>

namespace pagetide::wrapper {

/// What the wrapper must know about its arguments.
struct CommandLine {
  bool has_input = false;   ///< a file, `-`, or a library
  bool only_headers = true; ///< every input is a header: it is precompiled
  bool raw = false;         ///< -cc1 and similar: not for clang's driver
  bool links = true;        ///< no -c, -S, -E ...: the linker runs
  std::string language;     ///< of the last -x, for the inputs after it
  bool generates = true;    ///< code may be generated: no -E, -fsyntax-only ...
  bool relocatable = false; ///< -r
  bool instrument = true;   ///< -fpagetide or -fno-pagetide, the last one
  bool rpath = true;        ///< -fpagetide-rpath or -fno-pagetide-rpath
  bool std_string = true;   ///< -fpagetide-std-string or its opposite
  bool help = false;        ///< -fpagetide-help
  bool lto = false;         ///< -flto or -fno-lto, the last one
  bool dataflow = false;    ///< -fsanitize=dataflow or its opposite
  bool lld = false;         ///< the linker chosen is lld
  std::string linker;       ///< the option that chose one, e.g. -fuse-ld=bfd
  std::string static_link;  ///< -static or -static-pie, if given
  std::string other_target; ///< an option that asks for another target
  std::vector<std::string> pass_options; ///< for the pass: -pagetide-...
  std::vector<std::string> rest;         ///< the arguments without ours
  std::size_t own_count = 0;             ///< number of our arguments
  std::vector<std::string> errors;       ///< in our own options
};

/// Reads a command line (without the program's name, response files expanded).
CommandLine parse(const std::vector<std::string> &args);

/// Whether clang gets anything of Pagetide's for this command line. Without an
/// input (--version, -print-..., -v) an added library would make clang link.
bool uses_pagetide(const CommandLine &line);

/// The places of Pagetide's parts.
struct Parts {
  std::string plugin;      ///< PagetidePass.so
  std::string runtime;     ///< libpagetide.so
  std::string runtime_dir; ///< for the program's run path
  std::string include_dir; ///< of <pagetide/pagetide.h>; empty if it is missing
};

/// The arguments for clang. If clang gets nothing of Pagetide's, these are the
/// caller's own.
std::vector<std::string> clang_arguments(const CommandLine &line,
                                         const Parts &parts);

/// Why this command line cannot be instrumented, or an empty string.
std::string refusal(const CommandLine &line);

/// A line of the help.
struct OptionHelp {
  std::string forms;   ///< how the option is written
  std::string initial; ///< the default, in words; may be empty
  std::string help;
};
std::vector<OptionHelp> option_list();

/// The text of -fpagetide-help, without the places of the parts.
std::string options_help();

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_COMMAND_LINE_H

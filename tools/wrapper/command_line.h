//===- command_line.h - What a clang command line asks for ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions from arguments to arguments. Nothing here starts a program, and
// nothing is read but response files for the linker.

#pragma once

#include "own_options.h"

#include <string>
#include <vector>

namespace pagetide::wrapper {

/// What the wrapper must know about its arguments, as clang's own table of
/// options reads them.
struct CommandLine : OwnOptions {
  bool fortran = false;     ///< flang reads it, otherwise clang
  bool has_input = false;   ///< a file, `-`, or a library
  bool only_headers = true; ///< every input is a header: it is precompiled
  bool raw = false;         ///< -cc1 and similar: not for clang's driver
  bool links = true;        ///< no -c, -S, -E ...: the linker runs
  std::string language;     ///< of the last -x, for the inputs after it
  bool generates = true;    ///< code may be generated: no -E, -fsyntax-only ...
  bool preprocesses = false;  ///< -E
  bool only_macros = false;   ///< -dM
  bool lists_headers = false; ///< -MD: also the system's, in a file for make
  bool phony_targets = false; ///< -MP
  bool relocatable = false;   ///< -r, for clang or for the linker
  bool lto = false;           ///< -flto or -fno-lto, the last one
  bool dataflow = false;      ///< -fsanitize=dataflow or its opposite
  bool lld = false;           ///< the linker chosen is lld
  std::string linker;         ///< the option that chose one, e.g. -fuse-ld=bfd
  std::string static_link;    ///< the option that asks for a static program
  std::string linker_level;   ///< the last option for lld's level of LTO
  std::string linker_static;  ///< the same, for the linker alone
  std::string thinlto_index;  ///< -fthinlto-index=, of a distributed ThinLTO
  std::string output;         ///< -o
  std::vector<std::string> inputs;           ///< files and `-`
  std::vector<std::string> program_prefixes; ///< -B
  std::vector<std::string> config_files;     ///< --config
  std::vector<std::string> config_directories;
  /// With thinlto_index: `rest` without it, inputs, languages and output.
  std::vector<std::string> backend_rest;
  std::string other_target;      ///< an option that asks for another target
  std::vector<std::string> rest; ///< the arguments without ours
  std::size_t own_count = 0;     ///< number of our arguments
};

/// Reads a command line (without the program's name, response files expanded).
/// \p configured: what configuration files (--config) put before it. \p
/// fortran: the line is for flang.
CommandLine parse(const std::vector<std::string> &args,
                  const std::vector<std::string> &configured = {},
                  bool fortran = false);

/// Whether clang gets anything of Pagetide's for this command line. Without an
/// input (--version, -print-..., -v) an added library would make clang link.
bool uses_pagetide(const CommandLine &line);

/// The places of Pagetide's parts.
struct Parts {
  std::string plugin;      ///< PagetidePass-N.so for the clang that runs
  std::string runtime;     ///< libpagetide.so
  std::string runtime_dir; ///< for the program's run path
  std::string include_dir; ///< of <pagetide/pagetide.h>; empty if it is missing
  /// PagetidePass-N.so for the lld that links; empty if there is none
  std::string linker_plugin = {};
  std::string plugin_version = {}; ///< differs for each build of the latter
};

/// The arguments for clang. If clang gets nothing of Pagetide's, these are the
/// caller's own.
std::vector<std::string> clang_arguments(const CommandLine &line,
                                         const Parts &parts);

/// Why this command line cannot be instrumented, or an empty string.
std::string refusal(const CommandLine &line);

/// Whether lld links, be it chosen or because -flto needs it.
bool links_by_lld(const CommandLine &line);

/// The same as refusal if that lld, of version \p major, has no plugin.
/// \p plugins says which there are.
std::string refusal_of_lld(const CommandLine &line, const std::string &major,
                           const std::string &plugins);

} // namespace pagetide::wrapper

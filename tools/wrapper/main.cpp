//===- main.cpp - pagetide-clang, pagetide-clang++, pagetide-flang --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler command to use instead of clang (CC=pagetide-clang), clang++
// (CXX=pagetide-clang++) or flang (FC=pagetide-flang). It runs that with the
// pass, and links the runtime. It is one program with three names: its name
// selects the compiler and clang's mode.
//
// It is not a shell script, for two reasons. Response files, odd file names and
// thousands of arguments must stay as they are. And it reads the pass's options
// from their only declaration.

#include "child_process.h"
#include "command_line.h"
#include "own_options.h"
#include "response_file.h"
#include "tool_versions.h"

#include "llvm/Support/Program.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace pagetide::wrapper;

namespace {

// With -fthinlto-index= clang runs the backend of a ThinLTO link for one file.
// That backend loads no plugins. So it writes bitcode, and a second compilation
// marks that and generates the code.

/// What clang would call the output.
std::string output_of_input(const CommandLine &line) {
  std::string name = line.inputs.front();
  name.erase(0, name.rfind('/') + 1); // npos + 1 is 0
  name.erase(std::min(name.rfind('.'), name.size()));
  const auto &rest = line.backend_rest;
  const bool is_text = std::find(rest.begin(), rest.end(), "-S") != rest.end();
  return name + (is_text ? ".s" : ".o");
}

/// Whether the command line is such a backend, which the pass must follow.
bool is_thinlto_backend(const CommandLine &line) {
  return uses_pagetide(line) && line.generates && !line.links &&
         !line.thinlto_index.empty() && line.inputs.size() == 1;
}

/// The arguments with which clang optimises the input into \p bitcode.
std::vector<std::string> optimizing_arguments(const CommandLine &line,
                                              const std::string &bitcode) {
  std::vector<std::string> out = line.backend_rest;
  for (const std::string &word :
       {std::string("-emit-llvm"), "-fthinlto-index=" + line.thinlto_index,
        std::string("-o"), bitcode, std::string("-x"), std::string("ir"),
        line.inputs.front()})
    out.push_back(word);
  return out;
}

/// \p line, to go on from there.
CommandLine marking_line(const CommandLine &line, const std::string &bitcode) {
  CommandLine next = line;
  next.rest = line.backend_rest;
  for (const std::string &word :
       {std::string("-o"),
        line.output.empty() ? output_of_input(line) : line.output,
        std::string("-x"), std::string("ir"), bitcode})
    next.rest.push_back(word);
  return next;
}

// The status of clang itself after an error.
constexpr int kFailure = 1;

std::string program_name = "pagetide-clang";

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s: error: %s\n", program_name.c_str(), what.c_str());
  std::exit(kFailure);
}

std::string base_name(const std::string &path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

std::string directory_of(const std::string &path) {
  return path.substr(0, path.rfind('/'));
}

/// The directory of this program's file, with links resolved.
std::string own_directory() {
  char path[PATH_MAX];
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path));
  if (bytes <= 0 || bytes == static_cast<ssize_t>(sizeof(path)))
    fail("cannot tell where this program is: /proc/self/exe: " +
         std::string(std::strerror(errno)) + "; is /proc mounted?");
  return directory_of(std::string(path, static_cast<std::size_t>(bytes)));
}

/// An absolute path without `..`, for programs' run paths.
std::string resolved(const std::string &path) {
  char out[PATH_MAX];
  return realpath(path.c_str(), out) ? out : path;
}

bool is_there(const std::string &file) {
  return access(file.c_str(), R_OK) == 0;
}

/// Pagetide's libraries. The build tree and an installed prefix have the same
/// layout: bin/ beside the library directory.
std::string find_lib(const std::string &bin) {
  // cmake --install puts the libraries into PAGETIDE_LIBDIR_FROM_BIN.
  for (const char *relative : {PAGETIDE_LIBDIR_FROM_BIN, "../lib"}) {
    std::string lib = resolved(bin + "/" + relative);
    if (is_there(plugin_of(lib, PAGETIDE_LLVM_MAJOR)))
      return lib;
  }
  fail("PagetidePass-" PAGETIDE_LLVM_MAJOR ".so is not in " +
       resolved(bin + "/..") +
       "/lib, beside this program's directory; build it (ninja), install all "
       "of Pagetide (cmake --install), or call plain clang");
}

/// What is loaded into clang of that version.
Parts find_parts(const std::string &bin, const std::string &lib,
                 const std::string &major) {
  Parts parts{plugin_of(lib, major), lib + "/libpagetide.so", lib, ""};
  for (const char *include : {PAGETIDE_INCLUDEDIR_FROM_BIN, "../include"}) {
    const std::string headers = resolved(bin + "/" + include);
    if (is_there(headers + "/pagetide/pagetide.h")) {
      parts.include_dir = headers;
      break;
    }
  }
  return parts;
}

/// What is loaded into lld of that version, if there is such a plugin.
void find_linker_plugin(Parts &parts, const std::string &major) {
  const std::string file = plugin_of(parts.runtime_dir, major);
  struct stat plugin;
  if (!is_there(file) || stat(file.c_str(), &plugin) != 0)
    return;
  parts.linker_plugin = file;
  parts.plugin_version = std::to_string(plugin.st_size) + "." +
                         std::to_string(plugin.st_mtim.tv_sec) + "." +
                         std::to_string(plugin.st_mtim.tv_nsec);
}

/// The compiler that the user has chosen, or an empty string.
std::string chosen_compiler(const CompilerKind &kind) {
  const char *chosen = std::getenv(kind.variable);
  return chosen ? chosen : "";
}

/// The compiler to run: the chosen one, else the one that Pagetide was built
/// with or one beside that, else one on the PATH.
std::string find_compiler(const CompilerKind &kind) {
  if (const std::string chosen = chosen_compiler(kind); !chosen.empty())
    return chosen;
  std::string file = PAGETIDE_BUILT_WITH_CLANG;
  if (&kind != &kClang)
    file = directory_of(resolved(file)) + "/" + kind.file;
  return access(file.c_str(), X_OK) == 0 ? file : kind.on_path;
}

/// Ends the program if PAGETIDE_CLANG or its like leads back to it: by another
/// name, or by a program that calls it again.
void refuse_loop(const CompilerKind &kind) {
  constexpr char kDepth[] = "PAGETIDE_WRAPPER_DEPTH";
  constexpr int kMaxDepth = 8; // a compiler may start compilers
  const std::string chosen = chosen_compiler(kind);
  if (chosen.empty())
    return;
  const char *text = std::getenv(kDepth);
  const int depth = text ? std::atoi(text) : 0;
  const auto found = llvm::sys::findProgramByName(chosen);
  struct stat theirs, ours;
  if (depth >= kMaxDepth ||
      (stat((found ? *found : chosen).c_str(), &theirs) == 0 &&
       stat("/proc/self/exe", &ours) == 0 && theirs.st_dev == ours.st_dev &&
       theirs.st_ino == ours.st_ino))
    fail(std::string(kind.variable) + "=" + chosen +
         " leads back to this program, which would run it for ever; set it to "
         "a " +
         kind.name + " " PAGETIDE_LLVM_MAJOR ", or unset it");
  setenv(kDepth, std::to_string(depth + 1).c_str(), 1);
}

/// The version of \p compiler if it can load a plugin in \p lib; otherwise
/// ends the program. The default compiler has the default version: asking it
/// would cost time. One that generates nothing loads nothing, and is not asked.
std::string checked_major(const CompilerKind &kind, const std::string &compiler,
                          const std::string &lib, bool generates) {
  if (chosen_compiler(kind).empty() || !generates)
    return PAGETIDE_LLVM_MAJOR;
  const std::optional<CompilerVersion> version =
      compiler_version(kind, compiler);
  if (!version) // running it says why it cannot be started
    return PAGETIDE_LLVM_MAJOR;
  if (version->major.empty() || !is_there(plugin_of(lib, version->major)))
    fail(why_not_usable(kind, compiler, *version, lib));
  return version->major;
}

void print_help(const CompilerKind &kind, const Parts &parts,
                const std::string &compiler) {
  std::printf("%s runs %s with Pagetide's pass and runtime. It takes %s's "
              "options, and:\n\n%s\n"
              "  %s    %s (to use another: %s=PROGRAM)\n"
              "  pass     %s\n"
              "  runtime  %s\n",
              program_name.c_str(), kind.name, kind.name,
              options_help().c_str(), kind.name, compiler.c_str(),
              kind.variable, parts.plugin.c_str(), parts.runtime.c_str());
}

[[noreturn]] void run(const CompilerKind &kind, const std::string &clang,
                      const std::vector<std::string> &args) {
  std::vector<char *> argv;
  argv.push_back(const_cast<char *>(clang.c_str()));
  for (const std::string &arg : args)
    argv.push_back(const_cast<char *>(arg.c_str()));
  argv.push_back(nullptr);
  execvp(clang.c_str(), argv.data());
  if (errno == E2BIG)
    fail("the command line is too long; put arguments into a response file "
         "(@FILE)");
  fail("cannot run '" + clang + "': " + std::strerror(errno) + "; install " +
       kind.package + ", or set " + kind.variable + " to a " + kind.name +
       " " PAGETIDE_LLVM_MAJOR);
}

/// clang's options that say how it is called, before all others.
std::vector<std::string> mode(bool cxx, const CommandLine &line) {
  if (cxx && !line.raw)
    return {"--driver-mode=g++"};
  return {};
}

void append(std::vector<std::string> &args, std::vector<std::string> more) {
  for (std::string &arg : more)
    args.push_back(std::move(arg));
}

/// Marks a file of a distributed ThinLTO, and returns clang's status.
int run_thinlto_backend(const std::string &clang, bool cxx,
                        const CommandLine &line, const Parts &parts) {
  const char *directory = std::getenv("TMPDIR");
  std::string bitcode =
      std::string(directory && *directory ? directory : "/tmp") +
      "/pagetide-XXXXXX.bc";
  const int fd = mkstemps(bitcode.data(), 3);
  if (fd < 0)
    fail("cannot create " + bitcode + ": " + std::strerror(errno) +
         "; set TMPDIR to a directory for temporary files");
  close(fd);
  const CommandLine marking = marking_line(line, bitcode);
  int status = 0;
  for (const std::vector<std::string> &args :
       {optimizing_arguments(line, bitcode), clang_arguments(marking, parts)}) {
    std::vector<std::string> command = {clang};
    append(command, mode(cxx, line));
    append(command, args);
    status = run_and_wait(command);
    if (status != 0)
      break;
  }
  const int error = errno;
  unlink(bitcode.c_str());
  if (status < 0)
    fail("cannot run '" + clang + "': " + std::strerror(error));
  return status;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 0)
    program_name = base_name(argv[0]);
  const bool cxx = program_name.find("++") != std::string::npos;
  const bool fortran = program_name.find("flang") != std::string::npos;
  const CompilerKind &kind = fortran ? kFlang : kClang;

  const std::vector<std::string> given(argv + (argc > 0), argv + argc);
  const std::vector<std::string> expanded = expand_response_files(given);
  CommandLine line = parse(expanded, {}, fortran);
  const std::string clang = find_compiler(kind);
  std::vector<std::string> configured;
  if (!line.config_files.empty()) {
    line.config_directories.push_back(directory_of(resolved(clang)));
    configured = read_config_files(line.config_files, line.config_directories);
    line = parse(expanded, configured, fortran);
  }
  // Clang gets a response file as it is, unless the file has options of ours:
  // its text may be too long for a command line.
  if (CommandLine unexpanded = parse(given, configured, fortran);
      unexpanded.own_count == line.own_count)
    line.rest = std::move(unexpanded.rest);
  for (const std::string &error : line.errors)
    std::fprintf(stderr, "%s: error: %s\n", program_name.c_str(),
                 error.c_str());
  if (!line.errors.empty())
    return kFailure;

  refuse_loop(kind);
  const std::string bin = own_directory();
  if (line.help) {
    print_help(kind,
               find_parts(bin, find_lib(bin),
                          checked_major(kind, clang, find_lib(bin), true)),
               clang);
    return 0;
  }
  if (const std::string why = refusal(line); !why.empty())
    fail(why);
  Parts parts;
  if (line.instrument && !line.raw) {
    const std::string lib = find_lib(bin);
    std::string major = PAGETIDE_LLVM_MAJOR;
    if (uses_pagetide(line))
      major = checked_major(kind, clang, lib, line.generates);
    parts = find_parts(bin, lib, major);
    if (uses_pagetide(line) && links_by_lld(line)) {
      const std::string lld =
          lld_major(line, clang, chosen_compiler(kind).empty());
      find_linker_plugin(parts, lld.empty() ? major : lld);
      if (parts.linker_plugin.empty())
        if (const std::string why = refusal_of_lld(line, lld, plugins_in(lib));
            !why.empty())
          fail(why);
    }
  }
  // With an empty index clang compiles the file as any other, with the pass.
  struct stat index;
  if (is_thinlto_backend(line) &&
      stat(line.thinlto_index.c_str(), &index) == 0 && index.st_size > 0)
    return run_thinlto_backend(clang, cxx, line, parts);

  std::vector<std::string> args = mode(cxx, line);
  append(args, clang_arguments(line, parts));
  run(kind, clang, args);
}

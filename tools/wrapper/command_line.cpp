//===- command_line.cpp - What a clang command line asks for --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "command_line.h"

#include "response_file.h"

#include "clang/Driver/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <algorithm>
#include <string_view>

namespace pagetide::wrapper {

namespace {

namespace options = clang::driver::options;

constexpr std::string_view kLinkerRelocatable[] = {"-r", "--relocatable",
                                                   "-relocatable", "-i", "-Ur"};

/// From here on the linker takes static libraries only, libc's among them.
constexpr std::string_view kLinkerStatic[] = {
    "-static", "--static", "-Bstatic", "--Bstatic", "-dn", "-non_shared"};
/// Behind these is the level at which lld optimises bitcode.
constexpr std::string_view kLinkerLevel[] = {"--lto-O", "-plugin-opt=O",
                                             "--plugin-opt=O"};
constexpr std::string_view kLinkerDynamic[] = {"-Bdynamic", "--Bdynamic", "-dy",
                                               "-call_shared"};

bool any_of(std::string_view arg, const auto &options) {
  return std::find(std::begin(options), std::end(options), arg) !=
         std::end(options);
}

// A header, by its name or by -x. Clang precompiles it, and does not link it.
bool is_header(std::string_view file, std::string_view language) {
  if (!language.empty() && language != "none")
    return language.ends_with("header") || language.ends_with("header-unit");
  for (std::string_view suffix :
       {".h", ".hh", ".hpp", ".hxx", ".hp", ".h++", ".H"})
    if (file.ends_with(suffix))
      return true;
  return false;
}

bool names_lld(std::string_view linker) {
  const std::size_t slash = linker.rfind('/');
  if (slash != std::string_view::npos)
    linker.remove_prefix(slash + 1);
  return linker.find("lld") != std::string_view::npos;
}

bool is_x86_64_linux(std::string_view triple) {
  const std::string_view processor = triple.substr(0, triple.find('-'));
  return (processor == "x86_64" || processor == "amd64") &&
         triple.find("linux") != std::string_view::npos &&
         triple.find("x32") == std::string_view::npos;
}

void add_input(std::string_view file, CommandLine &line) {
  line.has_input = true;
  line.only_headers &= is_header(file, line.language);
  line.inputs.emplace_back(file);
}

/// An argument that clang passes on to the linker, by \p option.
void note_linkers(std::string_view arg, std::string_view option,
                  CommandLine &line) {
  if (arg.size() > 1 && arg.starts_with('@')) {
    const std::vector<std::string> whole = {std::string(arg)};
    const std::vector<std::string> words = expand_response_files(whole);
    if (words != whole) // it could be read
      for (const std::string &word : words)
        note_linkers(word, std::string(option).append(arg).append(": "), line);
    return;
  }
  for (const std::string_view level : kLinkerLevel)
    if (arg.starts_with(level))
      line.linker_level = arg;
  if (any_of(arg, kLinkerRelocatable))
    line.relocatable = true;
  else if (any_of(arg, kLinkerStatic))
    line.linker_static = std::string(option).append(arg);
  else if (any_of(arg, kLinkerDynamic))
    line.linker_static.clear();
}

/// One of clang's options, by the name that clang itself uses for all its
/// spellings.
void note_clangs(const llvm::opt::Arg &arg, CommandLine &line) {
  const std::string value = arg.getNumValues() ? arg.getValue() : "";
  switch (arg.getOption().getID()) {
  case options::OPT_INPUT:
    return add_input(value, line);
  case options::OPT__DASH_DASH:
    for (const char *file : arg.getValues())
      add_input(file, line);
    return;
  case options::OPT_l:
    line.has_input = true;
    line.only_headers = false;
    return;
  case options::OPT_E:
    line.preprocesses = true;
    [[fallthrough]];
  case options::OPT_M:
  case options::OPT_MM:
  case options::OPT_fsyntax_only:
  case options::OPT__analyze:
    line.generates = false;
    line.links = false;
    return;
  case options::OPT_c:
  case options::OPT_S:
  case options::OPT_emit_ast:
  case options::OPT__precompile:
  case options::OPT_extract_api:
  case options::OPT_fmodule_header:
  case options::OPT_fmodule_header_EQ:
  case options::OPT_module_file_info:
  case options::OPT_emit_interface_stubs:
  case options::OPT_rewrite_objc:
  case options::OPT_rewrite_legacy_objc:
  case options::OPT_verify_pch:
    line.links = false;
    return;
  case options::OPT_dM:
    line.only_macros = true;
    return;
  case options::OPT_MD:
    line.lists_headers = true;
    return;
  case options::OPT_MP:
    line.phony_targets = true;
    return;
  case options::OPT_r:
    line.relocatable = true;
    return;
  case options::OPT_static:
  case options::OPT_static_pie:
    line.static_link = arg.getSpelling();
    return;
  case options::OPT_Wl_COMMA:
  case options::OPT_Xlinker:
    for (const char *linkers : arg.getValues())
      note_linkers(linkers,
                   arg.getOption().getID() == options::OPT_Xlinker ? "-Xlinker "
                                                                   : "-Wl,",
                   line);
    return;
  case options::OPT_fsanitize_EQ:
  case options::OPT_fno_sanitize_EQ:
    // Its pass renames each function that is not in its list of functions, so
    // the runtime's would have to be there.
    for (const std::string_view name : arg.getValues())
      if (name == "dataflow")
        line.dataflow = arg.getOption().getID() == options::OPT_fsanitize_EQ;
    return;
  case options::OPT_flto_EQ:
    line.lto = true;
    return;
  case options::OPT_fno_lto:
    line.lto = false;
    return;
  case options::OPT_fthinlto_index_EQ:
    line.thinlto_index = value;
    return;
  case options::OPT_fuse_ld_EQ:
  case options::OPT_ld_path_EQ:
    line.linker = std::string(arg.getSpelling()) + value;
    line.lld = names_lld(value);
    return;
  case options::OPT_B:
    line.program_prefixes.push_back(value);
    return;
  case options::OPT_m32:
  case options::OPT_mx32:
  case options::OPT_m16:
    line.other_target = arg.getSpelling();
    return;
  case options::OPT_m64:
    line.other_target.clear();
    return;
  case options::OPT_target:
    line.other_target = is_x86_64_linux(value) ? "" : "--target=" + value;
    return;
  case options::OPT_x:
    line.language = value;
    return;
  case options::OPT_o:
    line.output = value;
    return;
  case options::OPT_config:
    line.config_files.push_back(value);
    return;
  case options::OPT_config_user_dir_EQ:
  case options::OPT_config_system_dir_EQ:
    line.config_directories.push_back(value);
    return;
  default:
    return;
  }
}

llvm::opt::InputArgList read(const std::vector<std::string> &args,
                             bool fortran) {
  std::vector<const char *> pointers;
  pointers.reserve(args.size());
  for (const std::string &arg : args)
    pointers.push_back(arg.c_str());
  unsigned missing_index = 0, missing_count = 0; // clang says so
  return clang::driver::getDriverOptTable().ParseArgs(
      pointers, missing_index, missing_count,
      llvm::opt::Visibility(fortran ? options::FlangOption
                                    : options::ClangOption));
}

void add_linker_argument(const CommandLine &line, std::vector<std::string> &out,
                         const std::string &arg) {
  if (line.fortran) { // flang 19 has no -Xlinker
    out.push_back("-Wl," + arg);
    return;
  }
  // -Wl, would split a path with a comma.
  out.emplace_back("-Xlinker");
  out.push_back(arg);
}

/// Marks are made when compiling, also under -flto.
bool marks_at_once(const CommandLine &line) {
  return any_of("-pagetide-lto=mark", line.pass_options);
}

/// For the project's own headers none of these has another meaning.
void add_header_directories(const CommandLine &line, const Parts &parts,
                            std::vector<std::string> &out) {
  if (parts.include_dir.empty())
    return;
  // After the project's own directories, so that it hides none of their
  // headers.
  out.emplace_back("-idirafter");
  out.push_back(parts.include_dir);
  const bool lists_names =
      !line.generates && (!line.preprocesses || line.only_macros);
  if (!line.std_string || lists_names)
    return;
  out.emplace_back("-isystem");
  out.push_back(parts.include_dir + "/pagetide/libstdcxx");
  // The list of headers names ours. make must not stop where a later release
  // has taken its place.
  const bool may_use_it = std::any_of(
      line.inputs.begin(), line.inputs.end(),
      [](const std::string &file) { return !file.ends_with(".c"); });
  if (line.lists_headers && !line.phony_targets && may_use_it)
    out.emplace_back("-MP");
}

} // namespace

CommandLine parse(const std::vector<std::string> &args,
                  const std::vector<std::string> &configured, bool fortran) {
  CommandLine line;
  line.fortran = fortran;
  if (!args.empty() && args[0].starts_with(fortran ? "-fc1" : "-cc1")) {
    line.raw = true;
    line.rest = args;
    return line;
  }
  const llvm::opt::InputArgList from_files = read(configured, fortran);
  for (const llvm::opt::Arg *arg : from_files)
    note_clangs(*arg, line);
  std::vector<bool> is_ours(args.size());
  const llvm::opt::InputArgList list = read(args, fortran);
  llvm::opt::ArgStringList backend_rest;
  for (const llvm::opt::Arg *arg : list) {
    const std::string &text = args[arg->getIndex()];
    if (!is_own(text)) {
      note_clangs(*arg, line);
      if (!arg->getOption().matches(options::OPT_INPUT) &&
          !arg->getOption().matches(options::OPT_x) &&
          !arg->getOption().matches(options::OPT_o) &&
          !arg->getOption().matches(options::OPT_fthinlto_index_EQ))
        arg->render(list, backend_rest);
      continue;
    }
    parse_own(text, line);
    is_ours[arg->getIndex()] = true;
    ++line.own_count;
  }
  for (std::size_t i = 0; i < args.size(); ++i)
    if (!is_ours[i])
      line.rest.push_back(args[i]);
  line.links &= line.has_input && !line.only_headers;
  if (line.static_link.empty())
    line.static_link = line.linker_static;
  if (!line.thinlto_index.empty())
    line.backend_rest.assign(backend_rest.begin(), backend_rest.end());
  return line;
}

bool uses_pagetide(const CommandLine &line) {
  return line.instrument && !line.raw && line.has_input;
}

bool links_by_lld(const CommandLine &line) {
  return line.links && (line.lld || (line.lto && line.linker.empty()));
}

std::string refusal(const CommandLine &line) {
  if (!uses_pagetide(line) || !line.generates)
    return "";
  if (!line.other_target.empty())
    return line.other_target +
           ": Pagetide instruments code only for x86-64 Linux; add "
           "-fno-pagetide to compile for this target without instrumentation";
  if (line.dataflow)
    return "-fsanitize=dataflow: DataFlowSanitizer renames the functions of "
           "Pagetide's runtime, so the two cannot be combined; add "
           "-fno-pagetide to compile without instrumentation";
  if (line.links && !line.relocatable && !line.static_link.empty())
    return line.static_link +
           ": a static program cannot use Pagetide's runtime, which is a "
           "shared library. Leave " +
           line.static_link +
           " out (single libraries may be static), or add -fno-pagetide to "
           "link this program without instrumentation";
  // Without -flto the bitcode is another compiler's, which has no marks yet.
  if (links_by_lld(line) && !line.lto && line.linker_level.ends_with("O0"))
    return line.linker_level +
           ": at this level lld runs no pass, so that bitcode of rustc would "
           "have no marks. Add -Wl,--lto-O1 (cargo: rustflags \"-C "
           "link-arg=-Wl,--lto-O1\"), or -fno-pagetide to link without "
           "instrumentation";
  if (line.links && line.lto && !links_by_lld(line) && !marks_at_once(line))
    return line.linker +
           ": with -flto the linker runs the pass, and only lld can load it. "
           "Use -fuse-ld=lld. Or give -fpagetide-lto=mark to all compile and "
           "link commands: then the compiler runs the pass";
  return "";
}

std::string refusal_of_lld(const CommandLine &line, const std::string &major,
                           const std::string &plugins) {
  if (!line.lto || marks_at_once(line))
    return "";
  return (line.linker.empty() ? "-flto" : line.linker) + ": this is lld " +
         major + ", and with -flto the linker runs the pass: " + plugins +
         ". Use an lld that has one. Or give -fpagetide-lto=mark to all "
         "compile and link commands: then the compiler runs the pass";
}

std::vector<std::string> clang_arguments(const CommandLine &line,
                                         const Parts &parts) {
  if (!uses_pagetide(line))
    return line.rest;

  std::vector<std::string> out;
  // Clang must not warn if it does not use what we add: the project may use
  // -Werror.
  // Flang does not warn of the plugin, and has no such option.
  if (!line.fortran)
    out.emplace_back("--start-no-unused-arguments");
  if (line.links && !line.relocatable) {
    // First, so that the loader finds the runtime's memcpy before libc's or
    // that of another library. It is needed even if no object refers to it.
    add_linker_argument(line, out, "--push-state");
    add_linker_argument(line, out, "--no-as-needed");
    add_linker_argument(line, out, parts.runtime);
    add_linker_argument(line, out, "--pop-state");
    if (line.rpath) {
      add_linker_argument(line, out, "-rpath");
      add_linker_argument(line, out, parts.runtime_dir);
    }
    // For -lpagetide-checkpoint.
    add_linker_argument(line, out, "-L" + parts.runtime_dir);
  }
  if (links_by_lld(line)) {
    if (line.linker.empty())
      out.emplace_back("-fuse-ld=lld");
    if (!parts.linker_plugin.empty()) {
      add_linker_argument(line, out,
                          "--load-pass-plugin=" + parts.linker_plugin);
      // ThinLTO's cache does not know the pass. lld makes its keys of LLVM's
      // options too. This one changes nothing else unless LLVM prints IR.
      add_linker_argument(line, out, "-mllvm");
      add_linker_argument(
          line, out, "-filter-print-funcs=pagetide." + parts.plugin_version);
    }
  }
  if (!line.fortran)
    add_header_directories(line, parts, out);
  if (line.generates) {
    out.push_back("-fpass-plugin=" + parts.plugin);
    if (!line.pass_options.empty()) {
      // -fpass-plugin loads the plugin too late: clang would not know its
      // options. Clang passes a plain -mllvm to its assembler too, which does
      // not know them. So the plugin is loaded, and gets its options, by
      // -Xclang.
      const char *const pass_on = line.fortran ? "-Xflang" : "-Xclang";
      for (const char *word : {pass_on, "-load", pass_on})
        out.emplace_back(word);
      out.push_back(parts.plugin);
      for (const std::string &option : line.pass_options) {
        for (const char *word : {pass_on, "-mllvm", pass_on})
          out.emplace_back(word);
        out.push_back(option);
      }
    }
  }
  if (!line.fortran)
    out.emplace_back("--end-no-unused-arguments");
  out.insert(out.end(), line.rest.begin(), line.rest.end());
  return out;
}

} // namespace pagetide::wrapper

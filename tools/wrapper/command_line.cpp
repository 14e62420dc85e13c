//===- command_line.cpp - What a clang command line asks for --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"

#include "pass_options.h"
#include "support/edit_distance.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace pagetide::wrapper {

namespace {

//===----------------------------------------------------------------------===//
// Clang's options that matter here
//===----------------------------------------------------------------------===//

// Options whose value is the next argument. If one is missing here, its value
// counts as an input file. That matters only if there is no other input.
constexpr std::string_view kTakesNext[] = {
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclangas",
    "-mllvm",
    "-target",
    "-arch",
    "-u",
    "-T",
    "-z",
    "-e",
    "-B",
    "--param",
    "-include-pch",
    "-dumpdir",
    "-F",
    "-G",
    "--config",
    "-working-directory",
    "-current_version",
    "-rpath",
    "-fplugin-arg",
    "-ccc-install-dir",
};

// Options with which clang does not link.
constexpr std::string_view kStopsBeforeLinking[] = {
    "-c",
    "-S",
    "--assemble",
    "--compile",
    "-emit-ast",
    "--precompile",
    "-emit-interface-stubs",
    "-rewrite-objc",
    "-verify-pch",
};

// Options with which clang generates no code, and does not link.
constexpr std::string_view kStopsBeforeCode[] = {
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--analyze",
    "--preprocess",
    "--dependencies",
    "--user-dependencies",
};

bool any_of(std::string_view arg, const auto &options) {
  return std::find(std::begin(options), std::end(options), arg) !=
         std::end(options);
}

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() &&
         text.substr(text.size() - tail.size()) == tail;
}

// A header, by its name or by -x. Clang precompiles it, and does not link it.
bool is_header(std::string_view file, std::string_view language) {
  if (!language.empty() && language != "none")
    return ends_with(language, "-header");
  for (std::string_view suffix :
       {".h", ".hh", ".hpp", ".hxx", ".hp", ".h++", ".H"})
    if (ends_with(file, suffix))
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

//===----------------------------------------------------------------------===//
// Our options
//===----------------------------------------------------------------------===//

constexpr std::string_view kPrefix = "-fpagetide-";
constexpr std::string_view kNegativePrefix = "-fno-pagetide-";

struct Switch {
  const char *name; ///< as on the command line
  const char *help;
  void (*apply)(CommandLine &line);
};

constexpr Switch kSwitches[] = {
    {"-fno-pagetide",
     "compile without marks, link without the runtime: plain clang",
     [](CommandLine &line) { line.instrument = false; }},
    {"-fpagetide", "the opposite, and the default; the last one counts",
     [](CommandLine &line) { line.instrument = true; }},
    {"-fno-pagetide-rpath",
     "do not put the runtime's directory into the program's run path",
     [](CommandLine &line) { line.rpath = false; }},
    {"-fpagetide-rpath", "the opposite, and the default",
     [](CommandLine &line) { line.rpath = true; }},
    {"-fno-pagetide-std-string",
     "before C++20, use the members of std::string that are in libstdc++; "
     "their accesses have no marks",
     [](CommandLine &line) { line.std_string = false; }},
    {"-fpagetide-std-string",
     "compile these members into the program, with marks; the default",
     [](CommandLine &line) { line.std_string = true; }},
    {"-fpagetide-help",
     "print these options, and the places of clang, pass and runtime",
     [](CommandLine &line) { line.help = true; }},
};

std::string suggestion(std::string_view given) {
  std::string best;
  std::size_t best_distance = given.size();
  auto consider = [&](std::string candidate) {
    const std::size_t distance = tools::edit_distance(given, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::move(candidate);
    }
  };
  for (const Switch &s : kSwitches)
    consider(s.name);
  for (const PassOption &option : pass_options()) {
    consider(std::string(kPrefix) + option.name);
    if (option.is_switch())
      consider(std::string(kNegativePrefix) + option.name);
  }
  return best;
}

/// Returns whether the option is one of Pagetide's.
bool parse_ours(const std::string &arg, CommandLine &line) {
  if (!starts_with(arg, "-fpagetide") && !starts_with(arg, "-fno-pagetide"))
    return false;
  for (const Switch &s : kSwitches) {
    if (arg == s.name) {
      s.apply(line);
      return true;
    }
  }
  const std::size_t equals = arg.find('=');
  const std::string name = arg.substr(0, equals);
  for (const PassOption &option : pass_options()) {
    const bool is_negative =
        option.is_switch() && arg == std::string(kNegativePrefix) + option.name;
    if (!is_negative && name != std::string(kPrefix) + option.name)
      continue;
    if (equals == std::string::npos && !option.is_switch())
      line.errors.push_back(name + " needs a value: " + name + option.values +
                            ", " + option.help);
    // Keep only the last one: the pass accepts each of its options once.
    const std::string pass_name = "-pagetide-" + option.name;
    std::erase_if(line.pass_options, [&](const std::string &earlier) {
      return earlier.substr(0, earlier.find('=')) == pass_name;
    });
    line.pass_options.push_back(
        is_negative ? pass_name + "=0" : "-" + arg.substr(std::strlen("-f")));
    return true;
  }
  line.errors.push_back("unknown option '" + name + "'; did you mean '" +
                        suggestion(name) + "'? -fpagetide-help lists all");
  return true;
}

void add_input(std::string_view file, CommandLine &line) {
  line.has_input = true;
  line.only_headers &= is_header(file, line.language);
}

void parse_clangs(std::string_view arg, std::string_view next,
                  CommandLine &line) {
  if (any_of(arg, kStopsBeforeCode)) {
    line.generates = false;
    line.links = false;
  } else if (any_of(arg, kStopsBeforeLinking)) {
    line.links = false;
  } else if (arg == "-r" || arg == "--relocatable") {
    line.relocatable = true;
  } else if (arg == "-static" || arg == "--static" || arg == "-static-pie") {
    line.static_link = arg;
  } else if (starts_with(arg, "-fsanitize=") ||
             starts_with(arg, "-fno-sanitize=")) {
    // Its pass renames each function that is not in its list of functions, so
    // the runtime's would have to be there.
    const std::string list =
        "," + std::string(arg.substr(arg.find('=') + 1)) + ",";
    if (list.find(",dataflow,") != std::string::npos)
      line.dataflow = starts_with(arg, "-fsanitize=");
  } else if (arg == "-flto" || starts_with(arg, "-flto=")) {
    line.lto = true;
  } else if (arg == "-fno-lto") {
    line.lto = false;
  } else if (starts_with(arg, "-fuse-ld=") || starts_with(arg, "--ld-path=")) {
    line.linker = arg;
    line.lld = names_lld(arg.substr(arg.find('=') + 1));
  } else if (arg == "-m32" || arg == "-mx32" || arg == "-m16") {
    line.other_target = arg;
  } else if (arg == "-m64") {
    line.other_target.clear();
  } else if (starts_with(arg, "--target=") || arg == "-target") {
    const std::string_view triple =
        arg == "-target" ? next : arg.substr(arg.find('=') + 1);
    line.other_target =
        is_x86_64_linux(triple) ? "" : "--target=" + std::string(triple);
  } else if (starts_with(arg, "-x")) {
    line.language = arg == "-x" ? next : arg.substr(2);
  } else if (starts_with(arg, "-l")) {
    line.has_input = true;
    line.only_headers = false;
  } else if (arg == "-" || !starts_with(arg, "-")) {
    add_input(arg, line);
  }
}

void add_linker_argument(std::vector<std::string> &out, std::string arg) {
  // -Wl, would split a path with a comma.
  out.emplace_back("-Xlinker");
  out.push_back(std::move(arg));
}

} // namespace

CommandLine parse(const std::vector<std::string> &args) {
  CommandLine line;
  if (!args.empty() && starts_with(args[0], "-cc1")) {
    line.raw = true;
    line.rest = args;
    return line;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string &arg = args[i];
    if (arg == "--") { // only inputs follow
      line.rest.insert(line.rest.end(), args.begin() + i, args.end());
      while (++i < args.size())
        add_input(args[i], line);
      break;
    }
    if (parse_ours(arg, line)) {
      ++line.own_count;
      continue;
    }
    const bool takes_next = any_of(arg, kTakesNext) && i + 1 < args.size();
    parse_clangs(arg, takes_next ? std::string_view(args[i + 1]) : "", line);
    line.rest.push_back(arg);
    if (takes_next)
      line.rest.push_back(args[++i]);
  }
  line.links &= line.has_input && !line.only_headers;
  return line;
}

bool uses_pagetide(const CommandLine &line) {
  return line.instrument && !line.raw && line.has_input && line.generates;
}

std::string refusal(const CommandLine &line) {
  if (!uses_pagetide(line))
    return "";
  if (!line.other_target.empty())
    return line.other_target +
           ": Pagetide instruments code only for x86-64 Linux; add "
           "-fno-pagetide to compile for this target without instrumentation";
  if (line.dataflow)
    return "-fsanitize=dataflow: DataFlowSanitizer renames the functions of "
           "Pagetide's runtime, so the two cannot be combined; add "
           "-fno-pagetide to compile without instrumentation";
  if (line.links && !line.static_link.empty())
    return line.static_link +
           ": a static program cannot use Pagetide's runtime, which is a "
           "shared library. Leave " +
           line.static_link +
           " out (single libraries may be static), or add -fno-pagetide to "
           "link this program without instrumentation";
  if (line.links && line.lto && !line.linker.empty() && !line.lld &&
      std::find(line.pass_options.begin(), line.pass_options.end(),
                "-pagetide-lto=mark") == line.pass_options.end())
    return line.linker +
           ": with -flto the linker runs the pass, and only lld can load it. "
           "Use -fuse-ld=lld. Or give -fpagetide-lto=mark to all compile and "
           "link commands: then the compiler runs the pass";
  return "";
}

std::vector<std::string> clang_arguments(const CommandLine &line,
                                         const Parts &parts) {
  if (!uses_pagetide(line))
    return line.rest;

  std::vector<std::string> out;
  // Clang must not warn if it does not use what we add: the project may use
  // -Werror.
  out.emplace_back("--start-no-unused-arguments");
  if (line.links && !line.relocatable) {
    // First, so that the loader finds the runtime's memcpy before libc's or
    // that of another library. It is needed even if no object refers to it.
    add_linker_argument(out, "--push-state");
    add_linker_argument(out, "--no-as-needed");
    add_linker_argument(out, parts.runtime);
    add_linker_argument(out, "--pop-state");
    if (line.rpath) {
      add_linker_argument(out, "-rpath");
      add_linker_argument(out, parts.runtime_dir);
    }
    // For -lpagetide-checkpoint.
    add_linker_argument(out, "-L" + parts.runtime_dir);
  }
  if (line.links && (line.lto || line.lld)) {
    if (line.linker.empty())
      out.emplace_back("-fuse-ld=lld");
    add_linker_argument(out, "--load-pass-plugin=" + parts.plugin);
  }
  if (!parts.include_dir.empty()) {
    // After the project's own directories, so that it hides none of their
    // headers.
    out.emplace_back("-idirafter");
    out.push_back(parts.include_dir);
    if (line.std_string) {
      out.emplace_back("-isystem");
      out.push_back(parts.include_dir + "/pagetide/libstdcxx");
    }
  }
  out.push_back("-fpass-plugin=" + parts.plugin);
  if (!line.pass_options.empty()) {
    // -fpass-plugin loads the plugin too late: clang would not know its
    // options. Clang passes a plain -mllvm to its assembler too, which does not
    // know them. So the plugin is loaded, and gets its options, by -Xclang.
    for (const char *word : {"-Xclang", "-load", "-Xclang"})
      out.emplace_back(word);
    out.push_back(parts.plugin);
    for (const std::string &option : line.pass_options) {
      for (const char *word : {"-Xclang", "-mllvm", "-Xclang"})
        out.emplace_back(word);
      out.push_back(option);
    }
  }
  out.emplace_back("--end-no-unused-arguments");
  out.insert(out.end(), line.rest.begin(), line.rest.end());
  return out;
}

std::vector<OptionHelp> option_list() {
  std::vector<OptionHelp> list;
  for (const PassOption &option : pass_options()) {
    std::string forms = std::string(kPrefix) + option.name + option.values;
    if (option.is_switch())
      forms += "[=1], " + std::string(kNegativePrefix) + option.name + " (=0)";
    list.push_back({forms, option.initial, option.help});
  }
  for (const Switch &s : kSwitches)
    list.push_back({s.name, "", s.help});
  return list;
}

std::string options_help() {
  std::string text;
  for (const OptionHelp &option : option_list())
    text +=
        "  " + option.forms +
        (option.initial.empty() ? "" : "  (default: " + option.initial + ")") +
        "\n      " + option.help + "\n";
  return text;
}

} // namespace pagetide::wrapper

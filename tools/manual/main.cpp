//===- main.cpp - Writes manual pages -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: pagetide_manual DIRECTORY
//
// Runs during the build, and is not installed. All that it writes comes from
// the tables that the programs themselves use.

#include "commands/command.h"
#include "support/text_output.h"
#include "wrapper/own_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

using namespace pagetide::tools;

namespace {

/// Text as roff prints it. A hyphen of an option is a minus sign to roff, so
/// that it can be searched and copied.
std::string escaped(std::string_view text) {
  constexpr std::string_view kSigns = "\\-'`^~";
  constexpr std::string_view kNames[] = {"\\e",   "\\-",   "\\(aq",
                                         "\\(ga", "\\(ha", "\\(ti"};
  std::string out;
  for (const char c : text) {
    const std::size_t at = kSigns.find(c);
    out += at == std::string_view::npos ? std::string(1, c) : kNames[at];
  }
  // A line that begins with a dot would be a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

/// A line of a help. The names of an option are bold: they begin behind two
/// blanks, and end before two.
std::string help_line(const std::string &line) {
  if (!line.starts_with("  -"))
    return escaped(line);
  const std::size_t end = std::min(line.find("  ", 2), line.size());
  return "  \\fB" + escaped(line.substr(2, end - 2)) + "\\fR" +
         escaped(line.substr(end));
}

std::string page(const std::string &name, std::string summary,
                 const std::string &help, const std::string &see_also) {
  const auto in_case = [](int (*convert)(int)) {
    return [convert](unsigned char c) { return static_cast<char>(convert(c)); };
  };
  std::string title = name;
  std::ranges::transform(title, title.begin(), in_case(std::toupper));
  summary[0] = in_case(std::tolower)(static_cast<unsigned char>(summary[0]));
  std::string out = fmt::format(
      ".TH \"{}\" 1 \"\" \"Pagetide {}\" \"Pagetide\"\n"
      ".SH NAME\n{} \\- {}\n.SH DESCRIPTION\n.nf\n",
      escaped(title), PAGETIDE_VERSION, escaped(name), escaped(summary));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);)
    out += help_line(line) + "\n";
  return out + ".fi\n.SH SEE ALSO\n" + escaped(see_also) + "\n";
}

/// "pagetide-report-wss" of the command "report wss".
std::string page_name(const Command &command) {
  std::string name = fmt::format("pagetide-{}", command.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// The pages in the language of man(7).
std::string man_page(const Command &command) {
  std::string others = "pagetide(1)";
  if (command.kinds)
    for (const Command *kind : command.kinds())
      others += fmt::format(", {}(1)", page_name(*kind));
  return page(page_name(command), command.help,
              command_help(command, *declared(command).app), others);
}

std::string main_man_page() {
  std::string others = "pagetide-clang(1)";
  for (const Command *command : first_commands())
    others += fmt::format(", {}(1)", page_name(*command));
  return page("pagetide", "Record which pages a program reads and writes",
              general_help(), others);
}

std::string wrapper_man_page() {
  return page(
      "pagetide-clang",
      "Compile a program so that pagetide can record its pages",
      "pagetide-clang, pagetide-clang++ and pagetide-flang run clang, clang++ "
      "and flang\nwith Pagetide's pass and runtime. They take that compiler's "
      "options and these:\n\n" +
          pagetide::wrapper::options_help() +
          "\nPAGETIDE_CLANG in the environment is the clang to run, "
          "PAGETIDE_FLANG the flang.\nThe exit status is that of the compiler, "
          "or 1 if it cannot be run."
          "\n\nExample:\n  pagetide-clang -O2 -g prog.c -o prog\n",
      "pagetide(1), pagetide-record(1)");
}

void write_file(const std::filesystem::path &path, const std::string &text) {
  std::filesystem::create_directories(path.parent_path());
  TextOutput out(path.string());
  out.write(text);
  out.close();
}

void write_all(const std::filesystem::path &directory) {
  const std::filesystem::path pages = directory / "man1";
  // A command may have been removed.
  std::filesystem::remove_all(pages);
  write_file(pages / "pagetide.1", main_man_page());
  write_file(pages / "pagetide-clang.1", wrapper_man_page());
  for (const char *other : {"pagetide-clang++.1", "pagetide-flang.1"})
    write_file(pages / other, ".so man1/pagetide-clang.1\n");
  for (const Command *command : all_commands())
    write_file(pages / (page_name(*command) + ".1"), man_page(*command));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: pagetide_manual DIRECTORY\n", stderr);
    return 2;
  }
  try {
    write_all(argv[1]);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "pagetide_manual: %s\n", problem.what());
    return 2;
  }
  return 0;
}

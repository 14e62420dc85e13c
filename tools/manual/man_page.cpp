//===- man_page.cpp - Manual pages from the tables of options -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "manual/man_page.h"

#include "wrapper/own_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace pagetide::tools {

namespace {

/// Text as roff prints it. A hyphen of an option is a minus sign to roff, so
/// that it can be searched and copied.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  // A line that begins with a dot would be a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

class Page {
public:
  Page(std::string_view name, std::string_view summary) {
    std::string title(name);
    std::transform(title.begin(), title.end(), title.begin(), [](char c) {
      return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    line(".TH \"{}\" 1 \"\" \"Pagetide {}\" \"Pagetide\"", escaped(title),
         PAGETIDE_VERSION);
    // Options must not be divided.
    line(".nh");
    line(".ad l");
    section("NAME");
    std::string words(summary);
    words[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
    line("{} \\- {}", escaped(name), escaped(words));
  }

  void section(std::string_view heading) { line(".SH \"{}\"", heading); }
  void text(std::string_view words) { line("{}", escaped(words)); }
  void paragraph(std::string_view words) {
    line(".PP");
    text(words);
  }
  /// A heading of an entry, already escaped, and what it means.
  void entry(std::string_view heading, std::string_view words) {
    line(".TP");
    line("{}", heading);
    text(words);
  }
  void example(std::string_view command) {
    line(".PP");
    line(".nf");
    line(".RS 4");
    text(command);
    line(".RE");
    line(".fi");
  }
  void see_also(const std::vector<std::string> &pages) {
    section("SEE ALSO");
    for (std::size_t i = 0; i < pages.size(); ++i)
      line(".BR {} (1){}", escaped(pages[i]), i + 1 < pages.size() ? " ," : "");
  }

  std::string take() { return std::move(text_); }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::string text_;
};

std::string bold(std::string_view word) {
  return fmt::format("\\fB{}\\fR", escaped(word));
}

std::string italic(std::string_view word) {
  return fmt::format("\\fI{}\\fR", escaped(word));
}

std::string heading_of(const OptionFacts &option) {
  if (option.is_operand)
    return italic(option.names.front());
  std::string heading;
  for (const std::string &name : option.names)
    heading += (heading.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty())
    heading += " " + italic(option.value);
  return heading;
}

/// The table has "Exit status 0: done; 1: no." as one sentence.
void add_statuses(Page &page, std::string_view sentence) {
  page.section("EXIT STATUS");
  constexpr std::string_view kBefore = "Exit status ";
  if (!sentence.starts_with(kBefore)) {
    page.text(sentence);
    return;
  }
  sentence.remove_prefix(kBefore.size());
  while (!sentence.empty()) {
    // The next entry begins behind "; ", with a number and a colon.
    std::size_t end = sentence.find("; ");
    while (end != std::string_view::npos) {
      const std::size_t colon = sentence.find(':', end);
      const std::string_view number = sentence.substr(end + 2, colon - end - 2);
      if (!number.empty() && colon != std::string_view::npos &&
          number.find_first_not_of("0123456789") == std::string_view::npos)
        break;
      end = sentence.find("; ", end + 1);
    }
    const std::string_view entry = sentence.substr(0, end);
    const std::size_t colon = entry.find(": ");
    page.entry(bold(entry.substr(0, colon)), entry.substr(colon + 2));
    sentence.remove_prefix(end == std::string_view::npos ? sentence.size()
                                                         : end + 2);
  }
}

std::string sentence(std::string_view words) {
  return std::string(words) + ".";
}

} // namespace

std::string page_name(const Command &command) {
  std::string name = fmt::format("pagetide-{}", command.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const Command &command) {
  const CommandLine line = declared(command);
  Page page(page_name(command), command.help);
  page.section("SYNOPSIS");
  page.text(fmt::format("pagetide {} {}", command.name, command.usage));
  page.section("DESCRIPTION");
  page.text(sentence(command.help));
  if (command.kinds) {
    page.paragraph("There are these kinds. Each has its own options and page.");
    for (const Command *kind : command.kinds())
      page.entry(bold(kind->last_word()), sentence(kind->help));
  }
  page.section("OPTIONS");
  for (const OptionFacts &option : option_facts(*line.app))
    page.entry(heading_of(option), option.help);
  if (command.note) {
    page.section("NOTES");
    page.text(command.note);
    page.example(command.note_example);
  }
  add_statuses(page, command.statuses);
  page.section("EXAMPLES");
  page.example(command.example);
  std::vector<std::string> others = {"pagetide"};
  if (command.kinds)
    for (const Command *kind : command.kinds())
      others.push_back(page_name(*kind));
  page.see_also(others);
  return page.take();
}

std::string main_man_page() {
  Page page("pagetide", "Record which pages a program reads and writes");
  page.section("SYNOPSIS");
  page.text("pagetide COMMAND ...");
  page.section("DESCRIPTION");
  page.text("Tells which pages of memory a program read and wrote in each "
            "period of its run.");
  page.section("COMMANDS");
  std::vector<std::string> pages;
  for (const Command *command : first_commands()) {
    page.entry(bold(command->name), sentence(command->help));
    pages.push_back(page_name(*command));
  }
  page.section("OPTIONS");
  page.entry(bold("-h") + ", " + bold("--help"),
             "Print a help. Each command has its own.");
  page.entry(bold("-V") + ", " + bold("--version"), "Print the version.");
  page.section("EXAMPLES");
  for (const Command *command : first_commands())
    page.example(command->example);
  pages.emplace_back("pagetide-clang");
  page.see_also(pages);
  return page.take();
}

std::string wrapper_man_page() {
  Page page("pagetide-clang",
            "Compile a program so that pagetide can record its pages");
  page.section("SYNOPSIS");
  page.text("pagetide-clang [OPTIONS] ARG...");
  page.paragraph("pagetide-clang++ [OPTIONS] ARG...");
  page.section("DESCRIPTION");
  page.text(
      "These run clang and clang++ with Pagetide's pass and runtime. They "
      "take clang's options and those below.");
  page.section("OPTIONS");
  for (const wrapper::OptionHelp &option : wrapper::option_list())
    page.entry(
        bold(option.forms),
        sentence(option.help +
                 (option.initial.empty() ? "" : " [" + option.initial + "]")));
  page.section("ENVIRONMENT");
  page.entry(bold("PAGETIDE_CLANG"), "The clang to run.");
  page.section("EXIT STATUS");
  page.text("That of clang; 1 if clang cannot be run.");
  page.section("EXAMPLES");
  page.example("pagetide-clang -O2 -g prog.c -o prog");
  page.see_also({"pagetide", "pagetide-record"});
  return page.take();
}

} // namespace pagetide::tools

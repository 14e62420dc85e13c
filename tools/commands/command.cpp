//===- command.cpp - Chooses and runs a command ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"

#include "support/edit_distance.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "support/text_wrap.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace pagetide::tools {

namespace {

/// The command table. To add a command, declare it in command.h and name it
/// here.
const Command *const kCommands[] = {
    &kRecordCommand, &kReportCommand, &kExportCommand,
    &kInfoCommand,   &kAuditCommand,  &kCtlCommand,
};

constexpr std::size_t kHelpColumn = 26;
/// A word with more typing errors than this is not taken for a command's name.
constexpr std::size_t kMaxSlips = 2;

/// An option and its help, in two columns.
std::string help_entry(const std::string &left, const std::string &right) {
  std::string out = "  " + left;
  if (out.size() + 2 > kHelpColumn)
    out += "\n" + std::string(kHelpColumn, ' ');
  else
    out.resize(kHelpColumn, ' ');
  return out + wrapped(right, kHelpColumn);
}

std::string command_help(const Command &command, const CLI::App &app) {
  std::string out = fmt::format("{}.\n\nUsage: pagetide {} {}\n\n",
                                command.help, command.name, command.usage);
  for (const CLI::Option *option : app.get_options()) {
    const std::string names = option->get_positional()
                                  ? option->get_name(true)
                                  : option->get_name(false, true);
    std::string left;
    for (const char c : names)
      left += c == ',' ? std::string(", ") : std::string(1, c);
    if (!option->get_positional() && option->get_items_expected_min() > 0)
      left += " " + option->get_type_name();
    out += help_entry(left, option->get_description());
  }
  if (command.note)
    out += fmt::format("\n{}  {}\n", wrapped(command.note, 0),
                       command.note_example);
  return out + fmt::format("\n{}\nExample:\n  {}\n",
                           wrapped(command.statuses, 0), command.example);
}

std::string general_help() {
  std::string out = "pagetide records which pages a program reads and writes, "
                    "period by period.\n\nUsage: pagetide COMMAND ...\n\n";
  for (const Command *command : kCommands)
    out += fmt::format("  {:<8} {}\n", command->name, command->help);
  out += "\n  -h, --help     Print this help.\n"
         "  -V, --version  Print the version.\n\n"
         "Each command has its own --help. Examples:\n";
  for (const Command *command : kCommands)
    out += fmt::format("  {}\n", command->example);
  return out;
}

void print(std::string_view text) {
  TextOutput out;
  out.write(text);
  out.close();
}

/// Whether the word is an option whose value is the next word: -o FILE and
/// --output FILE are, -oFILE and --output=FILE are not.
bool takes_next(const CLI::App &app, const std::string &word) {
  const bool is_long = word[1] == '-';
  const bool has_value =
      is_long ? word.find('=') != std::string::npos : word.size() > 2;
  const CLI::Option *option = app.get_option_no_throw(word);
  return option && !has_value && option->get_items_expected_min() > 0;
}

/// The words as CLI11 needs them. For CLI11, the value of "--output=" is the
/// next word, and "[a,b]" or "{}" are several FILEs or none. Empty words come
/// from empty variables of scripts, and mean nothing to any command.
std::vector<std::string> prepared(const CLI::App &app,
                                  std::vector<std::string> words) {
  bool all_files = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string &word = words[at];
    if (all_files || word.size() < 2 || word[0] != '-') {
      if (word.empty())
        throw Failure("an empty word is not a FILE");
      if (word.starts_with('[') || word == "{}")
        word.insert(0, "./");
    } else if (word == "--") {
      all_files = true;
    } else if (takes_next(app, word)) {
      ++at;
      if (at < words.size() && words[at].empty())
        throw Failure(fmt::format("{}: its value is empty", word));
    } else if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw Failure(fmt::format("{}: its value is empty", word));
    }
  }
  return words;
}

int run_command(const Command &command, const std::vector<std::string> &words) {
  const CommandLine line = parse_command(command, words);
  if (line.run)
    return line.run(line.rest);
  print(command_help(command, *line.app));
  return kStatusDone;
}

int run_named(const std::vector<std::string> &words) {
  const std::string &name = words.front();
  for (const Command *command : kCommands) {
    if (name != command->name)
      continue;
    int status = command->failure_status;
    std::string problem;
    try {
      return run_command(*command, {words.begin() + 1, words.end()});
    } catch (const ReaderGone &) {
      return status;
    } catch (const Failure &failure) {
      problem = failure.what();
    } catch (const std::bad_alloc &) {
      problem = fmt::format("{}: memory ran out", name);
    } catch (const std::exception &unforeseen) {
      problem = fmt::format("{}: {}", name, unforeseen.what());
    }
    fmt::print(stderr, "pagetide: {}\n", problem);
    return status;
  }
  std::string advice;
  std::size_t least = kMaxSlips + 1;
  for (const Command *command : kCommands)
    if (const std::size_t slips = edit_distance(name, command->name);
        slips < least) {
      least = slips;
      advice = fmt::format("; did you mean {}?", command->name);
    }
  fmt::print(stderr,
             "pagetide: {}: there is no such command{}\nSee: pagetide --help\n",
             name, advice);
  return kStatusFailed;
}

} // namespace

static std::string why_no_number(const std::string &text) {
  if (!text.empty() &&
      text.find_first_not_of("0123456789") == std::string::npos)
    return fmt::format("{}: is too large; the largest number is {}", text,
                       UINT64_MAX);
  return fmt::format("{}: is not a number; write decimal digits, or 0x and "
                     "hexadecimal digits",
                     text);
}

std::size_t find_rest(const CLI::App &app,
                      const std::vector<std::string> &words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string &word = words[at];
    if (word == "--")
      return at + 1;
    if (word.size() < 2 || word[0] != '-')
      return at;
    at += takes_next(app, word);
  }
  return words.size();
}

std::span<const Command *const> all_commands() { return kCommands; }

void add_number(CLI::App &app, const char *name, const char *type,
                const char *help,
                std::function<void(std::uint64_t number)> take) {
  app.add_option_function<std::string>(
         name,
         [take = std::move(take)](const std::string &text) {
           take(*parse_number(text));
         },
         help)
      ->type_name(type)
      ->check(CLI::Validator(
          [](std::string &text) {
            return parse_number(text) ? std::string() : why_no_number(text);
          },
          ""));
}

CommandLine parse_command(const Command &command,
                          const std::vector<std::string> &words) {
  CommandLine line;
  line.app =
      std::make_shared<CLI::App>(fmt::format("{}.", command.help),
                                 fmt::format("pagetide {}", command.name));
  CLI::App &app = *line.app;
  app.set_help_flag("-h,--help", "Print this help.");
  line.run = command.set_up(app);
  // The last one counts: a script may append its option to those of a variable.
  for (CLI::Option *option : app.get_options())
    if (!option->get_positional())
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);

  const std::size_t rest =
      command.runs_another ? find_rest(app, words) : words.size();
  std::vector<std::string> options(
      words.begin(), words.begin() + static_cast<std::ptrdiff_t>(rest));
  line.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(rest),
                   words.end());
  if (!options.empty() && command.runs_another && options.back() == "--")
    options.pop_back();
  try {
    options = prepared(app, std::move(options));
    // CLI11 reads the words from the last to the first.
    std::reverse(options.begin(), options.end());
    app.parse(std::move(options));
  } catch (const CLI::CallForHelp &) {
    line.run = nullptr;
  } catch (const std::exception &error) {
    throw Failure(fmt::format("{}: {}\nSee: pagetide {} --help", command.name,
                              error.what(), command.name));
  }
  return line;
}

int run_pagetide(const std::vector<std::string> &words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" ||
      words[0] == "help") {
    if (words.size() > 1 && words[0] == "help")
      return run_named({words[1], "--help"});
    print(general_help());
    return kStatusDone;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    print(fmt::format("pagetide {}\n", PAGETIDE_VERSION));
    return kStatusDone;
  }
  return run_named(words);
}

} // namespace pagetide::tools

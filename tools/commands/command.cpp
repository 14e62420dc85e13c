//===- command.cpp - Chooses and runs a command ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"

#include "support/edit_distance.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"
#include "support/text_wrap.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace pagetide::tools {

namespace {

/// The command table. To add a command, declare it in command.h and name it
/// here.
const Command *const kCommands[] = {
    &kRecordCommand, &kReportCommand, &kHtmlCommand,       &kDiffCommand,
    &kTopCommand,    &kExportCommand, &kInfoCommand,       &kAuditCommand,
    &kCtlCommand,    &kTargetCommand, &kCheckpointCommand,
};

constexpr std::size_t kHelpColumn = 26;

/// An option and its help, in two columns.
std::string help_entry(const std::string &left, const std::string &right) {
  std::string out = "  " + left;
  if (out.size() + 2 > kHelpColumn)
    out += "\n" + std::string(kHelpColumn, ' ');
  else
    out.resize(kHelpColumn, ' ');
  return out + wrapped(right, kHelpColumn);
}

void print(std::string_view text) {
  TextOutput out;
  out.write(text);
  out.close();
}

/// Throws if flags that share one word, such as "-bx", have one that does not
/// exist. CLI11 would name it "-x", which the user has not written.
void check_flags(const CLI::App &app, const std::string &word) {
  if (word[1] == '-')
    return;
  for (std::size_t at = 1; at < word.size(); ++at) {
    const std::string name = {'-', word[at]};
    const CLI::Option *option = app.get_option_no_throw(name);
    if (!option && at > 1)
      throw Failure("{}: there is no option {}", word, name);
    if (!option || option->get_items_expected_max() > 0)
      return; // an unknown word, or the rest is the option's value
  }
}

/// What the help calls the operand at that place; the last one may be several.
std::string operand_name(const CLI::App &app, std::size_t place) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional())
      names.push_back(option->get_name());
  return names.empty() ? "word of the command"
                       : names[std::min(place, names.size() - 1)];
}

/// The words as CLI11 needs them. For CLI11, the value of "--output=" is the
/// next word, and "[a,b]" or "{}" are several FILEs or none. Empty words come
/// from empty variables of scripts, and mean nothing to any command.
std::vector<std::string> prepared(const CLI::App &app,
                                  std::vector<std::string> words) {
  bool all_files = false;
  std::size_t operands = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string &word = words[at];
    if (all_files || word.size() < 2 || word[0] != '-') {
      if (word.empty())
        throw Failure(operand_name(app, operands) +
                      " must not be an empty word");
      ++operands;
      if (word.starts_with('[') || word == "{}")
        word.insert(0, "./");
    } else if (word == "--") {
      all_files = true;
    } else if (takes_next(app, word)) {
      ++at;
      if (at < words.size() && words[at].empty())
        throw Failure("{}: its value is empty", word);
    } else if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw Failure("{}: its value is empty", word);
    } else {
      check_flags(app, word);
    }
  }
  return words;
}

std::vector<std::string> option_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const OptionFacts &facts : option_facts(app))
    if (!facts.is_operand)
      names.insert(names.end(), facts.names.begin(), facts.names.end());
  return names;
}

/// What is wrong with a word that the command does not take.
std::string why_unexpected(const Command &command, const CLI::App &app) {
  const std::vector<std::string> rest = app.remaining();
  const auto option = std::ranges::find_if(rest, [](const std::string &word) {
    return word.size() > 1 && word[0] == '-';
  });
  const std::string see =
      fmt::format("\nSee: pagetide {} --help", command.name);
  if (option == rest.end())
    return fmt::format("{}: {}: is a word too many{}", command.name,
                       printable(rest.empty() ? std::string() : rest.front()),
                       see);
  // "-=x" has no name before the sign.
  const std::size_t begin = option->find_first_not_of('-');
  const std::string name = option->substr(
      0, begin == std::string::npos ? begin : option->find('=', begin + 1));
  for (const Command *kind :
       command.kinds ? command.kinds() : std::span<const Command *const>())
    if (const auto names = option_names(*declared(*kind).app);
        std::ranges::find(names, name) != names.end())
      return fmt::format(
          "{0}: {1}: only a kind of {0} takes this option, as in: "
          "pagetide {2} {3} ...{4}",
          command.name, printable(*option), kind->name, printable(name), see);
  const std::vector<std::string> names = option_names(app);
  const std::string_view meant =
      closest_word(name, {names.begin(), names.end()});
  return fmt::format(
      "{}: {}: there is no such option{}{}", command.name, printable(*option),
      meant.empty() ? "" : fmt::format("; did you mean {}?", meant), see);
}

int run_command(const Command &command, const std::vector<std::string> &words) {
  const CommandLine line = parse_command(command, words);
  if (line.run)
    return line.run(line.rest);
  print(command_help(command, *line.app));
  return kStatusDone;
}

/// The command of this name; null if there is none.
const Command *find_in(std::span<const Command *const> commands,
                       const std::string &name) {
  const auto found = std::ranges::find(commands, name, &Command::last_word);
  return found == commands.end() ? nullptr : *found;
}

int run_named(const std::vector<std::string> &words) {
  std::size_t used = 0;
  if (const Command *command = find_named(words, used)) {
    std::string problem;
    try {
      return run_command(
          *command,
          {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()});
    } catch (const ReaderGone &) {
      return command->failure_status;
    } catch (const Failure &failure) {
      problem = failure.what();
    } catch (const std::bad_alloc &) {
      problem = fmt::format("{}: memory ran out", command->name);
    } catch (const std::exception &unforeseen) {
      problem = fmt::format("{}: {}", command->name, unforeseen.what());
    }
    say("{}", problem);
    return command->failure_status;
  }
  std::vector<std::string_view> names;
  for (const Command *command : kCommands)
    names.emplace_back(command->name);
  const std::string_view meant = closest_word(words.front(), names);
  say("{}: there is no such command{}\nSee: pagetide --help", words.front(),
      meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  return kStatusFailed;
}

} // namespace

bool takes_next(const CLI::App &app, const std::string &word) {
  const bool is_long = word[1] == '-';
  const bool has_value =
      is_long ? word.find('=') != std::string::npos : word.size() > 2;
  const CLI::Option *option = app.get_option_no_throw(word);
  return option && !has_value && option->get_items_expected_min() > 0;
}

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

std::vector<const Command *> all_commands() {
  std::vector<const Command *> all(std::begin(kCommands), std::end(kCommands));
  for (const Command *command : kCommands)
    if (command->kinds)
      all.insert(all.end(), command->kinds().begin(), command->kinds().end());
  return all;
}

const Command *find_named(const std::vector<std::string> &words,
                          std::size_t &used) {
  used = 1;
  const Command *command = find_in(kCommands, words.front());
  if (!command || !command->kinds || words.size() < 2)
    return command;
  const Command *kind = find_in(command->kinds(), words[1]);
  used += kind != nullptr;
  return kind ? kind : command;
}

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

static std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// "list, verify or show".
static std::string listed(std::string_view text, const char *last) {
  const std::vector<std::string_view> words = words_in(text);
  std::string out(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    out += fmt::format("{}{}",
                       i + 1 < words.size() ? std::string(", ")
                                            : fmt::format(" {} ", last),
                       words[i]);
  return out;
}

void check_operation(const CLI::App &app, std::string_view operations,
                     const std::string &operation,
                     std::initializer_list<OptionUse> uses) {
  const std::string command =
      app.get_name().substr(app.get_name().rfind(' ') + 1);
  const auto has = [&](std::string_view list) {
    const auto words = words_in(list);
    return list == "*" || std::ranges::find(words, operation) != words.end();
  };
  if (!has(operations))
    throw Failure("{}: {}: there is no such operation; it is {}", command,
                  printable(operation), listed(operations, "or"));
  for (const CLI::Option *option : app.get_options()) {
    const bool is_word = option->get_positional();
    const std::string name = option->get_name(is_word);
    const auto *use = std::ranges::find_if(uses, [&](const OptionUse &each) {
      return each.option == name || each.option == "*";
    });
    if (option->count() == 0 || use == uses.end() || has(use->operations))
      continue;
    const bool several = use->operations.find(' ') != std::string_view::npos;
    throw Failure("{}: {}: {}: only {} take{} this {}", command, operation,
                  is_word ? printable(option->as<std::string>()) : name,
                  listed(use->operations, "and"), several ? "" : "s",
                  is_word ? "word" : "option");
  }
}

std::span<const Command *const> first_commands() { return kCommands; }

std::string command_help(const Command &command, const CLI::App &app) {
  std::string out = fmt::format("{}.\n\nUsage: pagetide {} {}\n\n",
                                command.help, command.name, command.usage);
  for (const OptionFacts &option : option_facts(app)) {
    std::string left = fmt::format("{}", fmt::join(option.names, ", "));
    if (!option.is_operand && !option.value.empty())
      left += " " + option.value;
    out += help_entry(left, option.help);
  }
  if (command.kinds) {
    out += fmt::format("\nKinds of reports. Each has its own options: pagetide "
                       "{} KIND --help\n",
                       command.name);
    for (const Command *kind : command.kinds())
      out += help_entry(std::string(kind->last_word()), kind->help);
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
    out += fmt::format("  {:<10} {}\n", command->name, command->help);
  out += "\n  -h, --help     Print this help.\n"
         "  -V, --version  Print the version.\n\n"
         "Each command has its own --help. Examples:\n";
  for (const Command *command : kCommands)
    out += fmt::format("  {}\n", command->example);
  return out;
}

std::vector<std::string> OptionFacts::choices() const {
  std::vector<std::string> all;
  if (value.find('|') == std::string::npos)
    return all;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    all.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::vector<OptionFacts> option_facts(const CLI::App &app) {
  std::vector<OptionFacts> all;
  for (const CLI::Option *option : app.get_options()) {
    OptionFacts facts;
    facts.is_operand = option->get_positional();
    facts.help = option->get_description();
    if (facts.is_operand) {
      facts.names = {option->get_name(true)};
      facts.may_repeat = option->get_items_expected_max() > 1;
    } else {
      for (const std::string &name : option->get_snames())
        facts.names.push_back("-" + name);
      for (const std::string &name : option->get_lnames())
        facts.names.push_back("--" + name);
    }
    if (facts.is_operand || option->get_items_expected_min() > 0)
      facts.value = option->get_type_name();
    all.push_back(std::move(facts));
  }
  return all;
}

CommandLine declared(const Command &command) {
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
  return line;
}

/// Which of the given options exclude each other.
static std::optional<std::string> why_excluded(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    for (const CLI::Option *other : option->get_excludes())
      if (option->count() != 0 && other->count() != 0)
        return fmt::format("{0} and {1} were both given; give {0} or {1}, not "
                           "both",
                           option->get_name(), other->get_name());
  return std::nullopt;
}

CommandLine parse_command(const Command &command,
                          const std::vector<std::string> &words) {
  CommandLine line = declared(command);
  CLI::App &app = *line.app;
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
  } catch (const CLI::ExtrasError &) {
    throw Failure(why_unexpected(command, app));
  } catch (const CLI::ExcludesError &error) {
    throw Failure("{}: {}\nSee: pagetide {} --help", command.name,
                  why_excluded(app).value_or(error.what()), command.name);
  } catch (const std::exception &error) {
    throw Failure("{}: {}\nSee: pagetide {} --help", command.name, error.what(),
                  command.name);
  }
  return line;
}

int run_pagetide(const std::vector<std::string> &words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" ||
      words[0] == "help") {
    if (words.size() < 2 || words[0] != "help") {
      print(general_help());
      return kStatusDone;
    }
    std::vector<std::string> named(words.begin() + 1, words.end());
    std::size_t used = 0;
    find_named(named, used);
    named.resize(used);
    named.emplace_back("--help");
    return run_named(named);
  }
  if (words[0] == "--version" || words[0] == "-V") {
    print(fmt::format("pagetide {}\n", PAGETIDE_VERSION));
    return kStatusDone;
  }
  if (words[0] == kCompletionCommand)
    return run_completion({words.begin() + 1, words.end()});
  return run_named(words);
}

} // namespace pagetide::tools

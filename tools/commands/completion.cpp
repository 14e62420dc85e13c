//===- completion.cpp - What a shell can offer for a word -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"
#include "support/text_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

/// The first sentence: a list of words has one line for each.
std::string_view first_sentence(std::string_view help) {
  return help.substr(0, std::min(help.find(". "), help.size()));
}

std::string word_line(std::string_view name, std::string_view help) {
  return fmt::format("word\t{}\t{}\n", name, first_sentence(help));
}

std::string command_lines(std::span<const Command *const> all) {
  std::string out;
  for (const Command *command : all)
    out += word_line(command->last_word(), command->help);
  return out;
}

std::string option_lines(const std::vector<OptionFacts> &all) {
  std::string out;
  for (const OptionFacts &option : all)
    for (const std::string &name : option.names) {
      const bool has_sign = !option.value.empty() && name.starts_with("--");
      if (!option.is_operand)
        out += word_line(name + (has_sign ? "=" : ""), option.help);
    }
  return out;
}

/// What the value of an option, or an operand, can be: its name tells.
std::string value_lines(const OptionFacts &option) {
  std::string out;
  for (const std::string &choice : option.choices())
    out += word_line(choice, "");
  const std::string &name =
      option.is_operand ? option.names.front() : option.value;
  if (name == "FILE" || name == "OUT" || name == "DIR")
    return "file\n";
  return name == "PID" ? "process\n" : out;
}

std::string operand_lines(const std::vector<OptionFacts> &all,
                          std::size_t place) {
  for (const OptionFacts &option : all)
    if (option.is_operand && (option.may_repeat || place-- == 0))
      return value_lines(option);
  return {};
}

/// The words before the one that is completed.
class UnfinishedLine {
public:
  explicit UnfinishedLine(std::vector<std::string> words)
      : current_(words.back()), words_(words.begin(), words.end() - 1) {}

  std::string offered() {
    if (words_.empty())
      return command_lines(first_commands()) +
             word_line("--help", "Print the help") +
             word_line("--version", "Print the version");
    std::size_t used = 0;
    const Command *command = find_named(words_, used);
    if (!command)
      return {};
    const CommandLine line = declared(*command);
    const std::vector<OptionFacts> facts = option_facts(*line.app);
    std::string option; // that the current word is the value of
    std::size_t operands = 0;
    for (std::size_t at = used; at < words_.size(); ++at) {
      const std::string &before = words_[at];
      if (before == "=")
        continue; // a word of its own in bash
      if (!option.empty()) {
        option.clear();
      } else if (before == "--" || !before.starts_with('-')) {
        if (command->runs_another)
          return rest(at + (before == "--"));
        operands += before != "--";
      } else if (takes_next(*line.app, before)) {
        option = before;
      }
    }
    if (const std::size_t sign = current_.find('=');
        current_.starts_with("--") && sign != std::string::npos)
      option = current_.substr(0, sign);
    if (!option.empty())
      for (const OptionFacts &known : facts)
        if (std::ranges::find(known.names, option) != known.names.end())
          return value_lines(known);
    if (current_.starts_with('-'))
      return option_lines(facts);
    if (command->runs_another)
      return rest(words_.size());
    return (command->kinds && words_.size() == used
                ? command_lines(command->kinds())
                : std::string()) +
           operand_lines(facts, operands);
  }

private:
  /// The rest of the words, from this one on, is another program's.
  std::string rest(std::size_t from) const {
    return fmt::format("rest\t{}\n", words_.size() + 1 - from);
  }

  std::string current_;
  std::vector<std::string> words_;
};

} // namespace

int run_completion(const std::vector<std::string> &words) {
  TextOutput out;
  if (!words.empty())
    out.write(UnfinishedLine(words).offered());
  out.close();
  return kStatusDone;
}

} // namespace pagetide::tools

//===- completion.cpp - Completions for shells, from the command table ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manual/completion.h"

#include "commands/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace pagetide::tools {

namespace {

/// What a value or an operand can be.
enum class Meaning { kOther, kFile, kProcess, kChoice };

Meaning meaning_of(const OptionFacts &option) {
  const std::string &name =
      option.is_operand ? option.names.front() : option.value;
  if (!option.choices().empty())
    return Meaning::kChoice;
  if (name == "FILE" || name == "OUT" || name == "DIR")
    return Meaning::kFile;
  return name == "PID" ? Meaning::kProcess : Meaning::kOther;
}

std::string spaced(const std::vector<std::string> &words) {
  return fmt::format("{}", fmt::join(words, " "));
}

//===- bash ---------------------------------------------------------------===//

constexpr std::string_view kBashHead = R"(# bash completion for pagetide
# Generated from the command table (tools/manual/completion.cpp).

)";

/// The part that is the same for all commands. `cur` is the word to complete.
constexpr std::string_view kBashTail = R"bash(
_pagetide_reply() {
  local word
  case $1 in
  file)
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done \
      < <(compgen -f -- "$cur")
    ;;
  process)
    for word in /proc/[0-9]*; do
      word=${word#/proc/}
      [[ -O /proc/$word && $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
    ;;
  *)
    while IFS= read -r word; do COMPREPLY+=("$word"); done \
      < <(compgen -W "${1#words}" -- "$cur")
    ;;
  esac
}

_pagetide() {
  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} at=2
  local kind value option= operand=0 word
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _pagetide_reply "words $(_pagetide_facts '' commands) --help --version"
    return
  fi
  for kind in $(_pagetide_facts "$command" kinds); do
    if ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} == "$kind" ]]; then
      command="$command $kind"
      at=3
    fi
  done
  # Which option or operand the cursor is at. For bash "=" is a word.
  for (( ; at < COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option && -n $(_pagetide_value "$command" "$option") ]]; then
      option=
    elif [[ $word == -- || $word != -* ]]; then
      if [[ -n $(_pagetide_facts "$command" rest) ]]; then
        [[ $word == -- ]] && ((at++))
        _pagetide_rest "$at"
        return
      fi
      [[ $word == -- ]] || ((operand++))
      option=
    else
      option=$word
    fi
  done
  [[ $cur == '=' ]] && cur=
  value=
  [[ -n $option ]] && value=$(_pagetide_value "$command" "$option")
  if [[ -n $value ]]; then
    _pagetide_reply "$value"
  elif [[ $cur == -* ]]; then
    _pagetide_reply "words $(_pagetide_facts "$command" options)"
  elif [[ -n $(_pagetide_facts "$command" rest) ]]; then
    _pagetide_rest "$COMP_CWORD"
  else
    if ((COMP_CWORD == 2)); then
      _pagetide_reply "words $(_pagetide_facts "$command" kinds)"
    fi
    value=$(_pagetide_operand "$command" "$operand")
    [[ -n $value ]] || value=$(_pagetide_operand "$command" '*')
    [[ -n $value ]] && _pagetide_reply "$value"
  fi
}

# The words of another program, from this one on.
_pagetide_rest() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    local word
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done \
      < <(compgen -c -- "$cur"; compgen -f -- "$cur")
  else
    _pagetide_reply file
  fi
}

complete -F _pagetide pagetide
)bash";

std::string bash_action(const OptionFacts &option) {
  switch (meaning_of(option)) {
  case Meaning::kFile:
    return "file";
  case Meaning::kProcess:
    return "process";
  case Meaning::kChoice:
    return "words " + spaced(option.choices());
  case Meaning::kOther:
    break;
  }
  return "words";
}

/// Functions that print what the table says.
class BashTables {
public:
  void add(const Command &command) {
    const CommandLine line = declared(command);
    std::vector<std::string> names;
    std::size_t place = 0;
    for (const OptionFacts &option : option_facts(*line.app)) {
      if (option.is_operand) {
        const std::string number =
            option.may_repeat ? "*" : fmt::format("{}", place++);
        operands_ += entry(fmt::format("'{} '{}", command.name, number),
                           bash_action(option));
        continue;
      }
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value.empty())
        continue;
      std::string pattern;
      for (const std::string &name : option.names)
        pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ",
                               command.name, name);
      values_ += entry(pattern, bash_action(option));
    }
    facts_ += entry(fmt::format("'{} options'", command.name), spaced(names));
    if (command.runs_another)
      facts_ += entry(fmt::format("'{} rest'", command.name), "yes");
    if (command.kinds)
      facts_ += entry(fmt::format("'{} kinds'", command.name),
                      words_of(command.kinds()));
  }

  static std::string words_of(std::span<const Command *const> commands) {
    std::vector<std::string> words;
    for (const Command *command : commands)
      words.emplace_back(command->last_word());
    return spaced(words);
  }

  std::string text() const {
    return function("_pagetide_facts",
                    entry("' commands'", words_of(first_commands())) + facts_) +
           function("_pagetide_value", values_) +
           function("_pagetide_operand", operands_);
  }

private:
  static std::string entry(const std::string &pattern,
                           const std::string &output) {
    return fmt::format("  {}) echo '{}' ;;\n", pattern, output);
  }
  static std::string function(const char *name, const std::string &entries) {
    return fmt::format("{}() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n", name,
                       entries);
  }

  std::string facts_;
  std::string values_;
  std::string operands_;
};

//===- zsh ----------------------------------------------------------------===//

constexpr std::string_view kZshHead = R"(#compdef pagetide
# Generated from the command table (tools/manual/completion.cpp).

_pagetide() {
  local curcontext=$curcontext command
  local -a commands kinds
)";

/// The text within single quotes, with a backslash before each sign of `signs`.
std::string quoted(std::string_view text, std::string_view signs) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\'";
    else if (c == '\\' || signs.find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out + "'";
}

std::string zsh_action(const OptionFacts &option) {
  switch (meaning_of(option)) {
  case Meaning::kFile:
    return "_files";
  case Meaning::kProcess:
    return "_pids";
  case Meaning::kChoice:
    return fmt::format("({})", spaced(option.choices()));
  case Meaning::kOther:
    break;
  }
  return " ";
}

/// The first sentence: a list of words has one line for each.
std::string_view first_sentence(std::string_view help) {
  return help.substr(0, std::min(help.find(". "), help.size()));
}

std::string zsh_specs(const Command &command) {
  const CommandLine line = declared(command);
  std::string out;
  const auto add = [&](const std::string &spec) {
    out += " \\\n      " + spec;
  };
  for (const OptionFacts &option : option_facts(*line.app)) {
    const std::string action = zsh_action(option);
    if (option.is_operand) {
      add(quoted(fmt::format("{}:{}:{}", option.may_repeat ? "*" : "",
                             option.names.front(),
                             command.kinds ? "_pagetide_kinds" : action),
                 ""));
      continue;
    }
    std::string escaped = quoted(first_sentence(option.help), "[]:");
    escaped = "'[" + escaped.substr(1, escaped.size() - 2) + "]";
    if (!option.value.empty())
      escaped += fmt::format(":{}:{}", option.value, action);
    escaped += "'";
    for (const std::string &name : option.names) {
      const bool is_long = name.starts_with("--");
      const char *suffix = option.value.empty() ? "" : is_long ? "=" : "+";
      add(fmt::format("'({})'{}{}{}", spaced(option.names), name, suffix,
                      escaped));
    }
  }
  if (command.runs_another)
    add("'*::command:_normal'");
  return out;
}

std::string zsh_names(std::span<const Command *const> commands) {
  std::string out;
  for (const Command *command : commands)
    out +=
        "\n    " +
        quoted(fmt::format("{}:{}", command->last_word(), command->help), "");
  return out;
}

} // namespace

std::string bash_completion() {
  BashTables tables;
  for (const Command *command : all_commands())
    tables.add(*command);
  return std::string(kBashHead) + tables.text() + std::string(kBashTail);
}

std::string zsh_completion() {
  std::string out(kZshHead);
  out += fmt::format("  commands=({}\n  )\n", zsh_names(first_commands()));
  out += R"(  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  command=$words[1]
)";
  for (const Command *command : first_commands())
    if (command->kinds)
      out += fmt::format(
          "  if [[ $command == {0} ]]; then\n"
          "    kinds=({1}\n    )\n"
          "    if ((CURRENT > 2)) && (($kinds[(I)$words[2]:*])); then\n"
          "      shift words\n"
          "      ((CURRENT--))\n"
          "      command=\"{0} $words[1]\"\n"
          "    fi\n"
          "  fi\n",
          command->name, zsh_names(command->kinds()));
  out += "  case $command in\n";
  for (const Command *command : all_commands())
    out += fmt::format("  '{}')\n    _arguments -s -S{}\n    ;;\n",
                       command->name, zsh_specs(*command));
  out += R"(  esac
}

_pagetide_kinds() {
  ((CURRENT == 2)) && _describe kind kinds
  _files
}

_pagetide "$@"
)";
  return out;
}

} // namespace pagetide::tools

//===- command.h - A command of the pagetide program ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_COMMANDS_COMMAND_H
#define PAGETIDE_TOOLS_COMMANDS_COMMAND_H

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pagetide::tools {

/// Exit statuses of all commands but record, which passes on its command's.
enum CommandStatus : int {
  kStatusDone = 0,
  kStatusNegative = 1, ///< the answer to the question asked is no
  kStatusFailed = 2,
};

/// Does the command's work once its options are parsed; returns the exit
/// status. `rest` is what came after the options of a command that runs
/// another.
using CommandRun = std::function<int(const std::vector<std::string> &rest)>;

struct Command {
  const char *name;
  const char *help;     ///< one line
  const char *usage;    ///< what follows "pagetide NAME "
  const char *example;  ///< one invocation
  const char *statuses; ///< what its exit statuses mean
  /// Declares the options; what it returns owns them.
  CommandRun (*set_up)(CLI::App &app);
  int failure_status;
  bool runs_another; ///< the first word that is no option begins `rest`
};

extern const Command kRecordCommand;
extern const Command kReportCommand;
extern const Command kExportCommand;
extern const Command kInfoCommand;
extern const Command kAuditCommand;

/// All commands, in the order of the help.
std::span<const Command *const> all_commands();

/// Declares an option that takes a number (text_format.h), as all do: CLI11
/// would take "-1" for the largest one and "010" for eight.
void add_number(CLI::App &app, const char *name, const char *type,
                const char *help,
                std::function<void(std::uint64_t number)> take);

/// The words behind a command's name, once understood.
struct CommandLine {
  std::shared_ptr<CLI::App> app; ///< what the options were read into
  CommandRun run;                ///< empty where help is asked for
  std::vector<std::string> rest; ///< for `run`
};

/// Throws Failure where the words are wrong: it names the option or the word.
CommandLine parse_command(const Command &command,
                          const std::vector<std::string> &words);

/// Where, in the words after the command's name, the command to run begins:
/// after "--", or at the first word that is neither an option nor its value.
std::size_t find_rest(const CLI::App &app,
                      const std::vector<std::string> &words);

/// Runs the pagetide program. `words` are its arguments without argv[0].
int run_pagetide(const std::vector<std::string> &words);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_COMMANDS_COMMAND_H

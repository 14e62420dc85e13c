//===- command.h - A command of the pagetide program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace pagetide::tools {

/// Exit statuses of all commands except record, which exits as its command did.
enum CommandStatus : int {
  kStatusDone = 0,
  kStatusNegative = 1, ///< the answer to the user's question is no
  kStatusFailed = 2,
};

/// Does the command's work after its options have been parsed. Returns the exit
/// status. `rest` is the command to run, for commands that run another.
using CommandRun = std::function<int(const std::vector<std::string> &rest)>;

struct Command {
  const char *name;     ///< of a kind of report: "report KIND"
  const char *help;     ///< one line
  const char *usage;    ///< the text after "pagetide NAME "
  const char *example;  ///< one invocation
  const char *statuses; ///< the meaning of its exit statuses
  /// Declares the options. The result owns them.
  CommandRun (*set_up)(CLI::App &app);
  /// The text after the options in its help, and an example of it.
  const char *note = nullptr;
  const char *note_example = nullptr;
  /// Commands of their own whose last word may follow this one's name.
  std::span<const Command *const> (*kinds)() = nullptr;
  /// `rest` begins with the first word that is no option.
  bool runs_another = false;
  int failure_status = kStatusFailed;

  /// "wss" of "report wss".
  std::string_view last_word() const {
    const std::string_view words = name;
    return words.substr(words.rfind(' ') + 1);
  }
};

extern const Command kRecordCommand;
extern const Command kReportCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kHtmlCommand;
extern const Command kInfoCommand;
extern const Command kAuditCommand;
extern const Command kCtlCommand;
extern const Command kTargetCommand;
extern const Command kTopCommand;
extern const Command kCheckpointCommand;

extern const Command kReportHeatmapCommand;

/// The kinds of reports.
std::span<const Command *const> report_kinds();

/// All commands, in the order of the help, then all kinds of them.
std::vector<const Command *> all_commands();

/// Which operations of a command take an option or a further word. Names with
/// blanks between; "*": all.
struct OptionUse {
  std::string_view option; ///< as in the help; "*": those not named before
  std::string_view operations;
};

/// Throws Failure unless `operation` is one of `operations`, which have blanks
/// between, and takes all that was given.
void check_operation(const CLI::App &app, std::string_view operations,
                     const std::string &operation,
                     std::initializer_list<OptionUse> uses);

/// Declares an option that takes a number (text_format.h). CLI11's own numbers
/// do not serve: "-1" would be the largest number, and "010" would be eight.
void add_number(CLI::App &app, const char *name, const char *type,
                const char *help,
                std::function<void(std::uint64_t number)> take);

/// The parsed words after a command's name.
struct CommandLine {
  std::shared_ptr<CLI::App> app; ///< holds the options
  CommandRun run;                ///< empty if the user asks for help
  std::vector<std::string> rest; ///< for `run`
};

/// A command with its options, before any word is parsed.
CommandLine declared(const Command &command);

/// What its help says of an option or an operand.
struct OptionFacts {
  std::vector<std::string> names; ///< "-o", "--output"; of an operand "FILE"
  std::string value;              ///< "FILE"; empty if it takes none
  std::string help;
  bool is_operand = false;
  bool may_repeat = false; ///< an operand of which there may be several

  /// The values that there are, if `value` names them all: "none|written".
  std::vector<std::string> choices() const;
};
/// In the order of the help.
std::vector<OptionFacts> option_facts(const CLI::App &app);

/// Those that are no kinds of others, in the order of the help.
std::span<const Command *const> first_commands();

/// What --help prints: of a command whose options are declared, and of
/// pagetide.
std::string command_help(const Command &command, const CLI::App &app);
std::string general_help();

/// Throws Failure if the words are wrong. It names the option or the word.
CommandLine parse_command(const Command &command,
                          const std::vector<std::string> &words);

/// The command that the first words name, a kind of it if the second word is
/// the name of one. Null if there is none. `used` becomes the count of words.
const Command *find_named(const std::vector<std::string> &words,
                          std::size_t &used);

/// Whether the word is an option whose value is the next word: -o FILE and
/// --output FILE are, -oFILE and --output=FILE are not.
bool takes_next(const CLI::App &app, const std::string &word);

/// The index at which the command to run begins in the words after the name of
/// pagetide's command: after "--", or at the first word that is neither an
/// option nor its value.
std::size_t find_rest(const CLI::App &app,
                      const std::vector<std::string> &words);

/// The command by which the completions of shells (manual/) ask what to offer.
inline constexpr const char kCompletionCommand[] = "__complete";

/// `words` are those behind that command's name: of the user's line, up to the
/// one that is completed. Prints a line for each thing to offer: "word", a word
/// and its help, with tabs between; "file"; "process"; or "rest" and how many
/// of the last words are another program's.
int run_completion(const std::vector<std::string> &words);

/// Runs the pagetide program. `words` are its arguments without argv[0].
int run_pagetide(const std::vector<std::string> &words);

} // namespace pagetide::tools

//===- fuzz_commands.cpp - Command lines of every command -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses the command; the words behind its name follow, each
// with a zero behind it. They are understood, not obeyed: fuzzers run no
// programs and write no files. Only a command that lacks its FILE is run, in an
// empty directory: it must say that there is no trace.
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "export/export.h"
#include "fuzz_input.h"
#include "record/recording_run.h"
#include "support/failure.h"
#include "support/text_format.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace pagetide::tools;

namespace {

using Words = std::vector<std::string>;

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// An error that names neither an option nor a word helps nobody.
void check_error(const Command &command, const Words &words,
                 const std::string &error) {
  require(error.starts_with(std::string(command.name) + ": "),
          "errors name the command");
  const std::string what = error.substr(0, error.find("\nSee: "));
  require(what != error, "errors say where to look");
  CLI::App app;
  command.set_up(app);
  const bool names_option =
      std::ranges::any_of(app.get_options(), [&](const CLI::Option *option) {
        return contains(what, option->get_name());
      });
  const bool names_word =
      std::ranges::any_of(words, [&](const std::string &word) {
        return !word.empty() &&
               (contains(what, word) || contains(what, printable(word)));
      });
  require(names_option || names_word, "errors name an option or a word");
}

/// What was given to an option is the end of a word: "x" of "x", "-ox" and
/// "--output=x".
bool is_given(const std::string &value, std::span<const std::string> words) {
  return std::ranges::any_of(words, [&](const std::string &word) {
    return word.ends_with(value) || "./" + word == value;
  });
}

void check_value(const CLI::Option &option, const std::string &value) {
  const std::string &name = option.get_name();
  if (name == "--period")
    require(check_period(value).empty(), "periods are possible");
  else if (option.get_type_name() == "TIME")
    require(parse_duration(value).has_value(), "times are durations");
  else if (name == "--periods" || name == "--address-range")
    require(parse_range(value).has_value(), "ranges can be read");
  else if (name == "--top" || name == "--pages" || name == "--tid" ||
           name == "--thread" || name == "--rows")
    require(parse_number(value).has_value(), "numbers can be read");
  else if (name == "--timeout")
    require(parse_duration(value).has_value(), "durations can be read");
  else if (name == "--format")
    require(find_format(value) != nullptr, "formats are known");
  else if (name == "--checksum")
    require(value == "none" || value == "written" || value == "accessed",
            "what is summed is known");
}

/// An empty directory, removed at the end of the process.
class EmptyDirectory {
public:
  EmptyDirectory()
      : path_(std::filesystem::temp_directory_path() / "fuzz_commands.XXXXXX") {
    require(::mkdtemp(path_.data()), "a directory can be made");
  }
  ~EmptyDirectory() {
    // This fails if a command has made a file in it.
    require(::rmdir(path_.c_str()) == 0, "commands without a trace write none");
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// The message of a command that finds no trace in its directory.
void check_without_trace(const CommandLine &line) {
  static const EmptyDirectory kEmpty;
  // libFuzzer's own paths are relative.
  static const int kBefore = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(::chdir(kEmpty.path().c_str()) == 0, "the directory is there");
  std::string message;
  try {
    line.run(line.rest);
  } catch (const Failure &failure) {
    message = failure.what();
  }
  require(::fchdir(kBefore) == 0, "the former directory is there");
  const bool names_option = message.starts_with('-');
  require(names_option ||
              message ==
                  kEmpty.path() +
                      ": this directory has no trace; name a FILE, or record "
                      "one with: pagetide record -- CMD",
          "a command without FILE looks for a trace in its directory");
}

void check_line(const CommandLine &line, const Words &words) {
  require(line.rest.size() <= words.size() &&
              std::equal(line.rest.rbegin(), line.rest.rend(), words.rbegin()),
          "the command is the last words, unchanged");
  const std::span own(words.data(), words.size() - line.rest.size());
  std::size_t values = 0;
  for (const CLI::Option *option : line.app->get_options()) {
    if (option->get_items_expected_max() == 0)
      continue; // a flag
    values += option->results().size();
    for (const std::string &value : option->results()) {
      require(is_given(value, own), "values are the words' own");
      check_value(*option, value);
    }
    if (option->get_required())
      require(!option->results().empty(), "what must be given was given");
  }
  require(values <= own.size(), "no word is given twice");
  if (const CLI::Option *files = line.app->get_option_no_throw("FILE")) {
    if (files->results().empty())
      check_without_trace(line);
    else
      require(files->as<Words>() == files->results(), "a FILE is one file");
  }
}

} // namespace

PAGETIDE_FUZZER(fuzz_commands) {
  const std::vector<const Command *> commands = all_commands();
  const Command &command = *commands[input.byte() % commands.size()];
  Words words;
  while (!input.empty()) {
    std::string word;
    while (const std::uint8_t byte = input.byte())
      word += static_cast<char>(byte);
    words.push_back(word);
  }
  try {
    const CommandLine line = parse_command(command, words);
    if (line.run)
      check_line(line, words);
  } catch (const Failure &failure) {
    check_error(command, words, failure.what());
  }
}

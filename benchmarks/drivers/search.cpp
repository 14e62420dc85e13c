//===- search.cpp - Patterns over a text, by RE2 --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: search ROUNDS <TEXT
//
// What programs ask of a library of regular expressions: which lines match,
// what lies in the parts of a match, all matches of a text, replacing them, and
// which of many patterns a line matches. Prints a count and a checksum each.

#include "../kernels/kernel.h"

#include "re2/re2.h"
#include "re2/set.h"

#include <string>
#include <vector>

namespace {

using re2::StringPiece;

struct Tally {
  uint64_t count = 0;
  uint64_t sum = 0;

  void add(StringPiece piece) {
    ++count;
    sum = mix(sum, piece.size());
    for (std::size_t i = 0; i < piece.size(); i += 5)
      sum = mix(sum, static_cast<unsigned char>(piece[i]));
  }
};

std::string read_text() {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t got = fread(buffer, 1, sizeof(buffer), stdin))
    text.append(buffer, got);
  return text;
}

std::vector<StringPiece> split_lines(const std::string &text) {
  std::vector<StringPiece> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.data() + at, end - at);
    at = end + 1;
  }
  return lines;
}

/// Lines that match, with an automaton that is made as it goes.
Tally matching_lines(const std::vector<StringPiece> &lines) {
  static const char *const kPatterns[] = {
      "ba(do|ge|ti)+\\b",
      "(?i)ZU[^ ]*ra .*\\bmo",
      "^.{10,40}[kst]e{1}l?a\\.$",
      "(fa|fe|fi)[a-z]{5,8} (ba|da|ga)",
  };
  Tally tally;
  for (const char *pattern : kPatterns) {
    const RE2 expression(pattern);
    for (StringPiece line : lines)
      if (RE2::PartialMatch(line, expression))
        tally.add(line);
  }
  return tally;
}

/// What lies in the parts of each line's match: the slower engines.
Tally parts_of_lines(const std::vector<StringPiece> &lines) {
  const RE2 once("^(\\w+) (\\w+) (.*?) ?(\\w+)\\.$");
  const RE2 backtracking("(\\w*a)(\\w*o)? (\\w+?e) (.*) (\\w+)");
  Tally tally;
  StringPiece part[5];
  for (StringPiece line : lines) {
    if (RE2::FullMatch(line, once, &part[0], &part[1], &part[2], &part[3]))
      for (int i = 0; i < 4; ++i)
        tally.add(part[i]);
    if (RE2::PartialMatch(line, backtracking, &part[0], &part[1], &part[2],
                          &part[3], &part[4]))
      tally.add(part[3]);
  }
  return tally;
}

/// Every match in the text, one after the other.
Tally all_matches(const std::string &text) {
  const RE2 expression("\\b([bdg]\\w+)\\s+(\\w+[aeo])\\b");
  Tally tally;
  StringPiece rest(text);
  StringPiece first;
  StringPiece second;
  while (RE2::FindAndConsume(&rest, expression, &first, &second)) {
    tally.add(first);
    tally.add(second);
  }
  return tally;
}

/// The text with words turned around and others masked.
Tally replaced(std::string text) {
  const RE2 swap("(\\w+)a (\\w+)o\\b");
  const RE2 mask("[kprt]u[a-z]{3,}");
  Tally tally;
  tally.count =
      static_cast<uint64_t>(RE2::GlobalReplace(&text, swap, "\\2 \\1"));
  tally.count += static_cast<uint64_t>(RE2::GlobalReplace(&text, mask, "*"));
  tally.add(text);
  return tally;
}

/// Which of many patterns each line matches.
Tally classified(const std::vector<StringPiece> &lines) {
  RE2::Set set(RE2::DefaultOptions, RE2::UNANCHORED);
  for (const char *first : {"ba", "de", "fi", "go", "ku", "la", "me"})
    for (const char *last : {"na", "po", "ri", "se", "tu", "vo"})
      set.Add(std::string("\\b") + first + "\\w{2,4}" + last + "\\b", nullptr);
  Tally tally;
  if (!set.Compile())
    return tally;
  std::vector<int> matches;
  for (StringPiece line : lines)
    if (set.Match(line, &matches))
      for (const int match : matches) {
        ++tally.count;
        tally.sum += mix(line.size(), static_cast<uint64_t>(match));
      }
  return tally;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s ROUNDS <TEXT\n", argc > 0 ? argv[0] : "search");
    return 2;
  }
  const uint64_t rounds = kernel_number(argv[1]);
  const std::string text = read_text();
  const std::vector<StringPiece> lines = split_lines(text);
  for (uint64_t round = 0; round < rounds; ++round) {
    const struct {
      const char *name;
      Tally tally;
    } results[] = {
        {"lines", matching_lines(lines)},  {"parts", parts_of_lines(lines)},
        {"matches", all_matches(text)},    {"replaced", replaced(text)},
        {"classified", classified(lines)},
    };
    for (const auto &result : results) {
      printf("%" PRIu64 " ", result.tally.count);
      print_checksum(result.name, result.tally.sum);
    }
  }
  return 0;
}

//===- fuzz_options.cpp - Options of the runtime and of the tools ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses: 0 the input is PAGETIDE_OPTIONS; 1 it is the value of
// an option that record writes and the runtime reads back; 2 a duration; 3 a
// list of targets. The runtime's parsers are compiled in, with the few
// functions that they call defined here.
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"
#include "record/runtime_options.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "targets/target_list.h"

// By path: both directories have a trace_writer.h.
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/target_options.h"

#include "pagetide/targets_file.h"

#include <cstdarg>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

using namespace pagetide::tools;

namespace {

/// What record passes on; the runtime takes no more than a quarter of 64 bits.
constexpr std::uint64_t kMaxNs = 1000ull * 3600 * 1000000000;

struct Refused {};
std::vector<std::unique_ptr<char[]>> copies;

} // namespace

//===- What the parser stands on; sanitizer_common's part is in ASan ------===//

namespace pagetide {
void Fatal(const char *format, ...) {
  require(*format != '\0', "refusals are explained");
  throw Refused();
}
void Say(const char *, ...) {}
u32 GetPidRaw() { return 1; }
void SetMessageOptions(const MessageOptions &options) {
  require(options.log_path, "a log path");
}
void *MapAnonymous(uptr bytes, bool) {
  copies.push_back(std::make_unique<char[]>(bytes));
  return copies.back().get();
}
} // namespace pagetide

namespace {

bool parses(const std::string &options) {
  copies.clear();
  std::string variable = "PAGETIDE_OPTIONS=" + options;
  char *entries[] = {variable.data(), nullptr};
  char **before = environ;
  environ = entries;
  bool accepted = true;
  try {
    pagetide::ReadFlags();
  } catch (const Refused &) {
    accepted = false;
  }
  environ = before;
  return accepted;
}

void check_flags() {
  const pagetide::Flags &flags = pagetide::GetFlags();
  require(flags.period == 0 || flags.period >= pagetide::kMinPeriodNs,
          "periods are 1ms upward");
  require(flags.compression >= 1 && flags.compression <= 19, "compression");
  require(flags.staging_mib >= 1, "staging");
  require(flags.idle_after <= 1000000, "idle_after");
  require(std::strlen(pagetide::FlagsAsText()) < 4096, "the text ends");
}

/// The runtime finds in a list what the tools read there.
void check_targets(const std::string &text) {
  constexpr std::size_t kFirst = sizeof(pagetide::targets_file::kFirstLine) - 1;
  pagetide::TargetEntry entry;
  std::vector<Target> targets;
  try {
    targets = parse_target_list(text);
  } catch (const Failure &) {
    pagetide::FindTarget(text.data(), text.size(), "program", entry);
    return;
  }
  require(targets.empty() || target_list_text(targets) == text,
          "a list is written as it was read");
  std::set<std::string> seen;
  for (const Target &target : targets) {
    if (!seen.insert(target.program).second)
      continue;
    require(pagetide::FindTarget(text.data() + kFirst, text.size() - kFirst,
                                 target.program.c_str(), entry),
            "the runtime finds each target");
    require(target.folder == std::string(entry.folder, entry.folder_bytes) &&
                target.options ==
                    std::string(entry.options, entry.options_bytes),
            "and finds what the tools find");
  }
}

} // namespace

PAGETIDE_FUZZER(fuzz_options) {
  const unsigned kind = input.byte() % 4;
  std::string text = input.rest();
  text.resize(std::strlen(text.c_str())); // the environment has no zeros
  if (kind == 0) {
    if (parses(text))
      check_flags();
  } else if (kind == 1) {
    RuntimeOptions options("");
    try {
      options.add("trace_path", text);
    } catch (const Failure &) {
      return; // both kinds of quotes
    }
    require(parses(options.text()), "the runtime takes what record writes");
    require(text == pagetide::GetFlags().trace_path, "and takes it for that");
  } else if (kind == 3) {
    check_targets(text);
  } else if (const auto ns = parse_duration(text); ns && *ns <= kMaxNs) {
    require(parses("settle=" + duration_option(*ns)), "durations go through");
    require(pagetide::GetFlags().settle == *ns, "unchanged");
  }
}

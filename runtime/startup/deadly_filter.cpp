//===- deadly_filter.cpp - Filters that end recorded processes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/deadly_filter.h"

#include "platform/deadly_calls.h"
#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/program_memory.h"
#include "startup/started_by_recorded.h"

#include "sanitizer_common/sanitizer_libc.h"

using __sanitizer::internal_strstr;

namespace pagetide {

bool FilterAllowsRecording(Wish wish) {
  const char *options = OptionsOfProcess();
  if (!options || !*options)
    return true;
  InitCopies();
  const bool by_engine = wish >= Wish::kEngine;
  const char *deadly = DeadlyCall(options, by_engine);
  if (!deadly)
    return true;
  constexpr char kWhy[] =
      "the system call filter (seccomp) that it was started under ends "
      "processes that call %s, as recording does. Allow that call (in a unit "
      "of systemd: SystemCallFilter=%s), or run the program unrecorded.";
  char text[512];
  __sanitizer::internal_snprintf(text, sizeof(text), kWhy, deadly, deadly);
  const bool may_run_unrecorded = wish != Wish::kMarksAlways;
  const bool child = may_run_unrecorded &&
                     (wish == Wish::kOptionalEngine || IsStartedByRecorded()) &&
                     !internal_strstr(options, "on_failure=stop");
  if (child) {
    RunUnrecorded(text);
    return false;
  }
  if (!may_run_unrecorded || !internal_strstr(options, "on_failure=continue"))
    Fatal("the program was not started: %s\n", text);
  Warning("the program runs unrecorded: %s\n", text);
  NotifyRecord(shadow_file::NoticeKind::kUnrecorded);
  return false;
}

} // namespace pagetide

//===- recording_run.h - Runs a command whose processes record ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "record/child_process.h"
#include "record/control_server.h"
#include "record/published_options.h"

#include <memory>
#include <string>

namespace pagetide::tools {

/// Publishes the options of the run. Tells the user if that is impossible.
std::unique_ptr<PublishedOptions> publish_options(const std::string &options);

/// Of this process: each recorded one needs some descriptors.
void raise_file_limit();

/// Serves the recording processes until the command has ended.
void serve_run(ChildProcess &child, ControlServer &server);

/// Returns what is wrong with the period, or an empty text.
std::string check_period(const std::string &text);

/// Returns why no trace can be written there, or an empty text.
std::string check_output(const std::string &path);

/// Names the processes that said why they are not recorded. Returns whether
/// there are any.
bool say_unrecorded(const ControlServer &server);

struct ElfFile;
/// Tells why nothing was recorded, and what to do. Says nothing if the
/// processes have told why themselves.
void say_nothing_recorded(const ControlServer &server,
                          const std::string &command, const ElfFile &file);

} // namespace pagetide::tools

//===- process_facts.h - What /proc says of a process that is watched -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// A file of /proc, which has no size. Nothing if it cannot be read; errno
/// says why.
std::optional<std::string> read_proc_file(const std::string &path);

/// The mappings in a text of /proc/PID/maps, as a trace lists them: memory
/// behind a file's data has the file's name.
Mappings parse_mappings(std::string_view text);

/// Of a task's address space. Nothing if it has none any more.
std::optional<Mappings> mappings_of(pid_t pid);

/// The file name of its program, or its own name.
std::string program_of(pid_t pid);

/// Its parent's number; 0 if it has none, or is gone.
pid_t parent_of(pid_t pid);

/// Executable and arguments. Engine, options and version are not set.
Process process_of(pid_t pid);

} // namespace pagetide::tools

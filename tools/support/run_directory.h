//===- run_directory.h - Where processes of one user find a run -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <sys/types.h>

#include <string>

namespace pagetide::tools {

/// The user's directory of pagetide/shadow_file.h.
std::string run_directory(uid_t user);

/// Makes the directory if it is absent, and opens it. Sets `problem` if it is
/// no directory that belongs to the user alone. Returns no descriptor and no
/// problem if another process has removed it meanwhile: try again.
UniqueFd open_run_directory(const std::string &path, uid_t user,
                            std::string &problem);

} // namespace pagetide::tools

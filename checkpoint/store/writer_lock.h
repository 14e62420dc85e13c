//===- writer_lock.h - The right to write checkpoints into a folder -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "store/file.h"
#include "store/folder.h"

#include <string>

namespace pagetide::checkpoint {

/// The folder, made if it is not there. Throws kIo.
Folder made_folder(const std::string &path);

/// Held for as long as the file is open. Throws kBusy if another process has
/// it.
File writer_lock(const Folder &folder);

/// Throws kProgram if the folder's newest readable checkpoint is another
/// program's, and what it cannot read but damage.
void require_program(const Folder &folder, const std::string &program);
/// The same of one checkpoint.
void require_program(const Folder &folder, const Manifest &manifest,
                     const std::string &program);

} // namespace pagetide::checkpoint

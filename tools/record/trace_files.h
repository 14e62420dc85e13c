//===- trace_files.h - The files of one recorded run ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_RECORD_TRACE_FILES_H
#define PAGETIDE_TOOLS_RECORD_TRACE_FILES_H

#include <string>
#include <vector>

namespace pagetide::tools {

/// The traces of one `record -o FILE`: FILE, FILE.<pid> and FILE.<pid>.<n>, as
/// far as they exist; FILE first, then by number. Throws Failure where FILE's
/// directory cannot be read.
std::vector<std::string> files_of_run(const std::string &path);

enum class FileKind {
  kTrace,  ///< begins with the trace's magic
  kEmpty,  ///< a regular file without content
  kOther,  ///< anything else
  kAbsent, ///< there is no such file
};
FileKind kind_of_file(const std::string &path);

/// Makes the names of a run free: removes the traces of an earlier run with the
/// same FILE. Throws Failure, having removed nothing, where one of the names is
/// taken by something that is no trace or the directory cannot be written to.
void make_room_for_run(const std::string &path);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_RECORD_TRACE_FILES_H

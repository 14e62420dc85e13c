//===- response_file.h - @FILE arguments, as clang expands them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_WRAPPER_RESPONSE_FILE_H
#define PAGETIDE_WRAPPER_RESPONSE_FILE_H

#include <string>
#include <string_view>
#include <vector>

namespace pagetide::wrapper {

/// Splits the text of a response file into arguments: at white space, except
/// within single or double quotes; a backslash takes the next character as it
/// is, within quotes too.
std::vector<std::string> split_response_text(std::string_view text);

/// Replaces every @FILE whose file can be read by the arguments in it, those of
/// nested files included. What cannot be read stays as it is: clang then says
/// what is wrong with it.
std::vector<std::string>
expand_response_files(const std::vector<std::string> &args);

} // namespace pagetide::wrapper

#endif // PAGETIDE_WRAPPER_RESPONSE_FILE_H

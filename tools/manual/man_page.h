//===- man_page.h - Manual pages from the texts of helps ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "commands/command.h"

#include <string>

namespace pagetide::tools {

/// "pagetide-report-wss" of the command "report wss".
std::string page_name(const Command &command);

/// The pages in the language of man(7).
std::string man_page(const Command &command);
std::string main_man_page();
std::string wrapper_man_page();

} // namespace pagetide::tools

//===- jsonl.h - Rows as JSON lines --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kJsonlFormat;

} // namespace pagetide::tools

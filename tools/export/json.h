//===- json.h - Rows as a JSON document ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kJsonFormat;

} // namespace pagetide::tools

//===- json.h - Rows as a JSON document ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_JSON_H
#define PAGETIDE_TOOLS_EXPORT_JSON_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kJsonFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_JSON_H

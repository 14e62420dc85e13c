//===- page_access_tracer.h - The text of the Page Access Tracer ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_PAGE_ACCESS_TRACER_H
#define PAGETIDE_TOOLS_EXPORT_PAGE_ACCESS_TRACER_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kPageAccessTracerFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_PAGE_ACCESS_TRACER_H

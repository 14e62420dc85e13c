//===- export_formats.cpp - The formats of exports -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/export_formats.h"

#include "export/chrome_trace.h"
#include "export/csv.h"
#include "export/json.h"
#include "export/jsonl.h"
#include "export/page_runs.h"
#include "export/sqlite.h"

namespace pagetide::tools {

namespace {

const ExportFormat *const kFormats[] = {
    &kCsvFormat,    &kJsonlFormat,       &kJsonFormat,
    &kSqliteFormat, &kChromeTraceFormat, &kPageRunsFormat,
};

} // namespace

std::span<const ExportFormat *const> export_formats() { return kFormats; }

const ExportFormat *find_format(std::string_view name) {
  for (const ExportFormat *format : kFormats)
    if (format->name == name)
      return format;
  return nullptr;
}

} // namespace pagetide::tools

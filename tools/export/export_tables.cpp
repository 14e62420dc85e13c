//===- export_tables.cpp - The tables that can be exported ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/export_tables.h"

#include "export/mappings_table.h"
#include "export/pages_table.h"
#include "export/periods_table.h"
#include "export/processes_table.h"
#include "export/sites_table.h"
#include "export/threads_table.h"

namespace pagetide::tools {

namespace {

const Table *const kTables[] = {&kPagesTable,     &kPeriodsTable,
                                &kProcessesTable, &kMappingsTable,
                                &kThreadsTable,   &kSitesTable};

} // namespace

std::span<const Table *const> export_tables() { return kTables; }

const Table *find_table(std::string_view name) {
  for (const Table *table : kTables)
    if (table->name == name)
      return table;
  return nullptr;
}

} // namespace pagetide::tools

//===- table.cpp - Tables of an export, and where their rows go -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "support/edit_distance.h"
#include "support/failure.h"
#include "support/json.h"
#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

const Table *const kTables[] = {&kPagesTable,     &kPeriodsTable,
                                &kProcessesTable, &kMappingsTable,
                                &kThreadsTable,   &kSitesTable};

std::size_t column_number(const Table &table, std::string_view name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == name)
      return i;
    names.emplace_back(table.columns[i].name);
  }
  const std::string_view meant = closest_word(name, names);
  std::string all;
  for (const std::string_view each : names)
    all += (all.empty() ? "" : ", ") + std::string(each);
  throw Failure("--columns: {}: there is no such column in the table of "
                "{}{}\nColumns: {}",
                printable(name), table.name,
                meant.empty() ? std::string()
                              : fmt::format("; did you mean {}?", meant),
                all);
}

} // namespace

std::span<const Table *const> export_tables() { return kTables; }

const Table *find_table(std::string_view name) {
  for (const Table *table : kTables)
    if (table->name == name)
      return table;
  return nullptr;
}

std::vector<std::size_t> standard_columns(const Table &table) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_standard)
      numbers.push_back(i);
  return numbers;
}

std::vector<std::size_t> chosen_columns(const Table &table,
                                        std::string_view list) {
  std::vector<std::size_t> chosen;
  if (list.empty())
    return standard_columns(table);
  if (list == "all") {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      chosen.push_back(i);
    return chosen;
  }
  if (list.front() == '+') {
    chosen = standard_columns(table);
    list.remove_prefix(1);
  }
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const std::size_t number = column_number(table, name);
    if (std::ranges::find(chosen, number) != chosen.end())
      throw Failure("--columns: {} is there twice; name it once", name);
    chosen.push_back(number);
    if (comma == std::string_view::npos)
      return chosen;
    list.remove_prefix(comma + 1);
  }
}

std::string valid_text(std::string_view text) {
  std::string valid(text);
  const bool is_ascii =
      std::ranges::all_of(valid, [](char c) { return c > 0; });
  if (is_ascii)
    return valid;
  // A zero byte is valid, but many programs end a text there.
  std::ranges::replace(valid, '\0', '\xff');
  return valid_utf8(std::move(valid));
}

} // namespace pagetide::tools

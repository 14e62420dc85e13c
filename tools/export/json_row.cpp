//===- json_row.cpp - A row as a JSON object ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/json_row.h"

#include "support/json.h"

#include <fmt/compile.h>

#include <iterator>

namespace pagetide::tools {

namespace {

void append(fmt::memory_buffer &out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_json_cell(fmt::memory_buffer &out, const Cell &cell) {
  switch (cell.kind) {
  case Cell::Kind::kNone:
    append(out, "null");
    break;
  case Cell::Kind::kNumber: {
    const fmt::format_int digits(cell.number);
    append(out, {digits.data(), digits.size()});
    break;
  }
  case Cell::Kind::kAddress:
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("\"{:#x}\""),
                   cell.number);
    break;
  case Cell::Kind::kHash:
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("\"{:#018x}\""),
                   cell.number);
    break;
  case Cell::Kind::kText:
  case Cell::Kind::kName:
    append_json_text(out, cell.text);
    break;
  }
}

} // namespace

void append_json_text(fmt::memory_buffer &out, std::string_view text) {
  if (!is_plain_json(text)) {
    append(out, json_text(text));
    return;
  }
  out.push_back('"');
  append(out, text);
  out.push_back('"');
}

void append_json_row(fmt::memory_buffer &out, const Table &table,
                     std::span<const std::size_t> columns, const Cell *cells) {
  char before = '{';
  for (const std::size_t column : columns) {
    out.push_back(before);
    before = ',';
    out.push_back('"');
    append(out, table.columns[column].name); // a plain word
    append(out, "\":");
    append_json_cell(out, cells[column]);
  }
  out.push_back('}');
}

} // namespace pagetide::tools

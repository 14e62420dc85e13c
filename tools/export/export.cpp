//===- export.cpp - What writes traces for other tools --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

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

void export_trace(SelectedTrace &trace, std::uint64_t number,
                  std::function<TraceReader()> open, Export &to,
                  const std::function<void()> &progress) {
  trace.keep_all_flags();
  trace.keep_off_periods();
  trace.look_ahead(std::move(open));
  trace.watch_frames([&to](const Frame &frame) { to.see(frame); });
  to.begin_trace(trace, number);
  while (const PeriodPart *part = trace.next()) {
    to.add(*part);
    if (progress)
      progress();
  }
  to.end_trace();
}

} // namespace pagetide::tools

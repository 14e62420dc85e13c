//===- run_traces.h - Traces of runs as large as users have ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <string>

namespace pagetide::tools {

/// Writes a run of four threads with periods of 10 ms. Its pages are in a heap,
/// two arenas and the mappings of 20 libraries, far apart. Each period has a
/// part that moves through all pages, a part that stays, scattered pages, and
/// checksums. `scattered` is how many scattered pages each thread accesses in a
/// period; the other parts grow with it.
void write_run_trace(const std::string &path, std::uint64_t periods,
                     std::uint64_t pages, std::uint64_t scattered = 50);

/// Writes the traces of a run of many short processes: PATH, PATH.4243 and so
/// on. They begin one after another, and the first ones have the most pages.
void write_many_traces(const std::string &path, std::uint32_t processes);

/// Writes a short trace in which every name is markup or script that would harm
/// a page that shows it as such.
void write_markup_trace(const std::string &path);

} // namespace pagetide::tools

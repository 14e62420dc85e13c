//===- completeness_json.h - What a trace lacks, for programs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/json.h"
#include "trace/completeness.h"

namespace pagetide::tools {

/// An object of the fields `complete` to `damage` that every JSON document has
/// for a trace, as docs/reference/cli-output.md describes them.
Json completeness_json(const Completeness &completeness);

} // namespace pagetide::tools

//===- marks_engine.h - Page sets from the shadow -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "engines/engine.h"

namespace pagetide {

const Engine &MarksEngine();

/// Within a period: takes the marks of ended threads (or drops them) and frees
/// their slots.
void EmptyRetiredSlots(bool keep_marks);

} // namespace pagetide

//===- start_data.h - Variables that every start touches --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

/// For small variables that are read or written at the start or end of every
/// process, recorded or not. They lie together on pages that the loader has
/// written by then. Each page elsewhere would be a page fault more per process.
#define PAGETIDE_START_DATA __attribute__((section(".data.pagetide_start")))

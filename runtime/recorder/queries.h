//===- queries.h - What has been marked since the last period -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// Each answers `request`. AnswerQuery returns the flags, or a pagetide_status.
int AnswerQuery();
int AnswerCollect();

/// True if anything has been marked since the last period ended.
bool AnyMarks();

} // namespace pagetide

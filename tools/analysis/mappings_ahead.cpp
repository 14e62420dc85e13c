//===- mappings_ahead.cpp - The list of mappings that comes next ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/mappings_ahead.h"

namespace pagetide::tools {

const Mappings *MappingsAhead::list_after(std::uint64_t offset) {
  if (!reader_)
    reader_.emplace(open_());
  while (!ended_ && (!has_frame_ || frame_.offset <= offset)) {
    ended_ = !reader_->next(frame_);
    has_frame_ =
        !ended_ &&
        (frame_.type == trace::FrameType::kMappings ||
         (frame_.type == trace::FrameType::kPeriod && frame_.lost_mappings));
  }
  const bool is_list = !ended_ && frame_.type == trace::FrameType::kMappings &&
                       !frame_.lost_mappings;
  return is_list ? &frame_.mappings : nullptr;
}

} // namespace pagetide::tools

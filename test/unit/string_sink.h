//===- string_sink.h - Collects text that is written ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/text_output.h"

#include <string>
#include <string_view>

namespace pagetide::tools {

class StringSink : public TextSink {
public:
  void write(std::string_view more) override { text += more; }
  std::string text;
};

} // namespace pagetide::tools

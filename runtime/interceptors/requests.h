//===- requests.h - What requests of ioctl read and write -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "sanitizer_common/sanitizer_internal_defs.h"

namespace pagetide {

using namespace __sanitizer;

/// Bytes of the structure that a request leads to; 0: it does not.
struct RequestBytes {
  uptr read, written;
};

/// What a request's number says, if no table knows it.
RequestBytes BytesOfRequest(u32 number);

} // namespace pagetide

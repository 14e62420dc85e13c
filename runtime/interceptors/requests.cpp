//===- requests.cpp - What requests of ioctl read and write ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/requests.h"
#include "interceptors/real_functions.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_platform_limits_posix.h"

// Its marks go through two hooks. We ask for sizes only.
#define COMMON_INTERCEPTOR_READ_RANGE(context, p, bytes) ((void)0)
#define COMMON_INTERCEPTOR_WRITE_RANGE(context, p, bytes) ((void)0)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-variable"
using namespace __sanitizer;
#include "sanitizer_common/sanitizer_common_interceptors_ioctl.inc"
#pragma clang diagnostic pop

namespace pagetide {

/// Those that ask about a network interface. They read its name, and write into
/// the same structure. sanitizer_common's table says of some that they write.
constexpr u32 kAboutInterfaces[] = {0x8910, 0x8913, 0x8915, 0x8917,
                                    0x8919, 0x891b, 0x891d, 0x8921,
                                    0x8927, 0x8933, 0x8942};

/// Requests of which that table knows too little.
static bool KnownBetter(u32 number, RequestBytes &bytes) {
  constexpr u32 kBlockOfFile = 1, kBlockBytes = 2, // FIBMAP, FIGETBSZ
      kInterfaces = 0x8912;                        // SIOCGIFCONF
  constexpr uptr kInterfaceBytes = 40;             // ifreq
  switch (number) {
  case kBlockOfFile:
    bytes = {sizeof(int), sizeof(int)};
    return true;
  case kBlockBytes:
    bytes = {0, sizeof(int)};
    return true;
  case kInterfaces: // what it leads to is marked apart
    bytes = {2 * sizeof(uptr), sizeof(int)};
    return true;
  default:
    for (const u32 about : kAboutInterfaces)
      if (number == about)
        bytes = {kInterfaceBytes, kInterfaceBytes};
    return bytes.read;
  }
}

PAGETIDE_WHEN_RESOLVED(ioctl_init, true)

RequestBytes BytesOfRequest(u32 number) {
  RequestBytes bytes = {};
  if (KnownBetter(number, bytes))
    return bytes;
  const ioctl_desc *known = ioctl_lookup(number);
  ioctl_desc decoded;
  if (!known && ioctl_decode(number, &decoded))
    known = &decoded;
  if (!known)
    return bytes;
  const uptr size = known->size ? known->size : IOC_SIZE(number);
  if (known->type == ioctl_desc::READ || known->type == ioctl_desc::READWRITE)
    bytes.read = size;
  if (known->type == ioctl_desc::WRITE || known->type == ioctl_desc::READWRITE)
    bytes.written = size;
  return bytes;
}

} // namespace pagetide

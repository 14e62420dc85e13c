//===- control_marker.cpp - Shows that pagetide ctl can reach the process -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/control_marker.h"

#include "pagetide/control.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

constexpr uptr kMarkerBytes = 4096;

static u32 marked_signal;
static uptr marker;

void ShowControlMarker(u32 signal) {
  char name[48];
  __sanitizer::internal_snprintf(name, sizeof(name), "%s%u-%u",
                                 control::kMarkerName, control::kVersion,
                                 signal);
  constexpr uptr kCloexec = 1; // MFD_CLOEXEC
  const uptr fd = Syscall(SYS_memfd_create, (uptr)name, kCloexec);
  if (Failed(fd))
    return;
  // The file is empty: only its name counts.
  const uptr mapped =
      Syscall(SYS_mmap, 0, kMarkerBytes, PROT_NONE, MAP_SHARED, fd, 0);
  Syscall(SYS_close, fd);
  if (Failed(mapped))
    return;
  marker = mapped;
  marked_signal = signal;
}

void OnSignalAction(u32 signal) {
  if (!signal || signal != marked_signal)
    return;
  marked_signal = 0;
  Syscall(SYS_munmap, marker, kMarkerBytes);
}

} // namespace pagetide

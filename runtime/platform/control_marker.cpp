//===- control_marker.cpp - Shows that pagetide ctl can reach the process -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/control_marker.h"

#include "pagetide/control.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

static u32 marked_signal;
static const void *control_handler;

static uptr MarkerOf(u32 signal) {
  return control::marker_address(control::kVersion, signal);
}

void ShowControlMarker(u32 signal, const void *handler) {
  control_handler = handler;
  const uptr wanted = MarkerOf(signal);
  const uptr mapped =
      Syscall(SYS_mmap, wanted, control::kMarkerBytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
              (uptr)-1, 0);
  if (mapped == wanted)
    marked_signal = signal;
  else if (!Failed(mapped)) // emulators may take the address for a hint
    Syscall(SYS_munmap, mapped, control::kMarkerBytes);
}

void OnSignalAction(u32 signal) {
  if (!signal || signal != marked_signal)
    return;
  marked_signal = 0;
  Syscall(SYS_munmap, MarkerOf(signal), control::kMarkerBytes);
}

bool HideControlAction(void *&handler) {
  if (!handler || handler != control_handler)
    return false;
  handler = nullptr;
  return true;
}

} // namespace pagetide

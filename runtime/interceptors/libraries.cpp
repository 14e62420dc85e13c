//===- libraries.cpp - Libraries that are closed --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "recorder/looks_before_close.h"
#include "threads/stopped_threads.h"

#include <link.h>

using namespace pagetide;

// dlopen is not wrapped: it searches in the places that the calling file names
// (RUNPATH), and would take this library for the caller.
PAGETIDE_INTERCEPTOR(int, dlclose, void *library) {
  OnInterceptedCall();
  LookBeforeClose();
  return RESOLVED(dlclose)(library);
}

extern "C" __attribute__((weak)) void __lsan_do_leak_check();

// LeakSanitizer, alone or in AddressSanitizer, stops the threads within this
// call.
PAGETIDE_INTERCEPTOR(int, dl_iterate_phdr,
                     int (*visit)(struct dl_phdr_info *, size_t, void *),
                     void *data) {
  if (!__lsan_do_leak_check)
    return RESOLVED(dl_iterate_phdr)(visit, data);
  BeginOtherStop();
  const int result = RESOLVED(dl_iterate_phdr)(visit, data);
  EndOtherStop();
  return result;
}

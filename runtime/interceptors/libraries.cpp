//===- libraries.cpp - Libraries that are closed --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/interceptor.h"
#include "recorder/looks_before_close.h"

using namespace pagetide;

// dlopen is not wrapped: it searches in the places that the calling file names
// (RUNPATH), and would take this library for the caller.
PAGETIDE_INTERCEPTOR(int, dlclose, void *library) {
  OnInterceptedCall();
  LookBeforeClose();
  return RESOLVED(dlclose)(library);
}

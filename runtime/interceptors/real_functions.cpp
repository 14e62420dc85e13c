//===- real_functions.cpp - Finds the functions that interceptors wrap ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/real_functions.h"

#include "interceptors/memory.h"
#include "interceptors/sanitizer_table.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <sys/syscall.h>

using namespace pagetide;

// The linker sets these.
extern const char own_begin[] asm("__ehdr_start");
extern const char own_end[] asm("_end");
extern const RealFunction first_real_function[] asm("__start_pagetide_real");
extern const RealFunction end_of_real_functions[] asm("__stop_pagetide_real");

namespace pagetide {

bool intercepting;

/// Conditions had another layout once, and libc still has the functions for it,
/// by the same names.
static const char *VersionOf(const char *name) {
  constexpr char kPrefix[] = "pthread_cond_", kLater[] = "pthread_cond_clock";
  const bool is_old =
      !__sanitizer::internal_strncmp(name, kPrefix, sizeof(kPrefix) - 1) &&
      __sanitizer::internal_strncmp(name, kLater, sizeof(kLater) - 1) != 0;
  return is_old ? "GLIBC_2.3.2" : nullptr;
}

/// The function that the program would call if this library were not there;
/// null where there is none.
void *ResolveReal(const char *name) {
  if (const char *version = VersionOf(name))
    if (void *next = dlvsym(RTLD_NEXT, name, version))
      return next;
  if (void *next = dlsym(RTLD_NEXT, name))
    return next;
  // Loaded after the library that has it: not in the program's way, then.
  void *any = dlsym(RTLD_DEFAULT, name);
  return any >= own_begin && any < own_end ? nullptr : any;
}

void InitInterceptors() {
  if (Active())
    return;
  for (const RealFunction *f = first_real_function; f < end_of_real_functions;
       ++f)
    *f->address = ResolveReal(f->name);
  // The table must be made once. Its making may call interceptors itself; other
  // threads wait for it.
  static u32 maker;
  u32 other = 0;
  const u32 tid = GetTidRaw();
  if (__atomic_compare_exchange_n(&maker, &other, tid, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    InitTableInterceptors();
    __atomic_store_n(&intercepting, true, __ATOMIC_RELEASE);
    ChooseMoves();
  } else if (other != tid) {
    while (!__atomic_load_n(&intercepting, __ATOMIC_ACQUIRE))
      Syscall(SYS_sched_yield);
  }
}

} // namespace pagetide

//===- real_functions.cpp - Finds the functions that interceptors wrap ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/real_functions.h"

#include "pagetide/abi.h"
#include "platform/dynamic_symbols.h"
#include "platform/exports.h"
#include "platform/start_data.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>

using namespace pagetide;

// The linker sets these. NOLINTBEGIN(readability-identifier-naming)
extern const char own_begin[] asm("__ehdr_start");
extern const char own_end[] asm("_end");
extern const RealFunction first_real_function[] asm("__start_pagetide_real");
extern const RealFunction end_of_real_functions[] asm("__stop_pagetide_real");
extern const ResolvedStep first_step[] asm("__start_pagetide_resolved");
extern const ResolvedStep end_of_steps[] asm("__stop_pagetide_resolved");
// NOLINTEND(readability-identifier-naming)

extern "C" {
PAGETIDE_START_DATA u8 pagetide_entry_mode;
__attribute__((
    visibility("default"))) abi::NamedFunctions __pagetide_named_functions;
}

BeforeResolving pagetide::before_resolving;

RealFunctions pagetide::AllRealFunctions() {
  return {first_real_function, end_of_real_functions};
}

namespace pagetide {
static void *TargetOfCall(const RealFunction &function, void *called);
}

/// This thread waits for dlsym. dlsym frees the text of an error that somebody
/// has left. A sanitizer's free calls functions that are resolved then, and
/// dlsym within dlsym would free the text again.
static constinit thread_local bool asks_loader;

/// What a call goes on in: the real function that `function` wraps, or the
/// interceptor if there is none. `called` has a meaning only at call sites.
extern "C" __attribute__((used)) void *
PagetideResolve(const RealFunction *function, void *called) {
  if (function->AtCallSites())
    return TargetOfCall(*function, called);
  if (BeforeResolving ask = before_resolving)
    if (void *target = ask(*function))
      return target;
  const bool nested = asks_loader;
  void *real = ResolveReal(function->Name());
  if (!real)
    return function->Interceptor();
  if (!nested)
    __atomic_store_n(function->Address(), real, __ATOMIC_RELEASE);
  return real;
}

namespace pagetide {

bool intercepting;

/// Older conditions had another layout. libc keeps functions for that layout
/// under the same names.
static const char *VersionOf(const char *name) {
  constexpr char kPrefix[] = "pthread_cond_", kLater[] = "pthread_cond_clock";
  const bool is_old =
      !__sanitizer::internal_strncmp(name, kPrefix, sizeof(kPrefix) - 1) &&
      __sanitizer::internal_strncmp(name, kLater, sizeof(kLater) - 1) != 0;
  return is_old ? "GLIBC_2.3.2" : nullptr;
}

bool IsOwnCode(const void *code) { return code >= own_begin && code < own_end; }

template <typename Function>
static Function *OfLibc(Function *&known, const char *name) {
  if (!known)
    known = (Function *)FunctionOfLibc(name);
  CHECK(known);
  return known;
}

void *AskDlsym(void *where, const char *name) {
  static constinit decltype(&dlsym) known = nullptr;
  return OfLibc(known, "dlsym")(where, name);
}

static void *AskLoader(const char *name) {
  static constinit decltype(&dlvsym) known = nullptr;
  if (const char *version = VersionOf(name))
    if (void *next = OfLibc(known, "dlvsym")(RTLD_NEXT, name, version))
      return next;
  if (void *next = AskDlsym(RTLD_NEXT, name))
    return next;
  // Perhaps this library was loaded after the one that has the function.
  void *any = AskDlsym(RTLD_DEFAULT, name);
  return IsOwnCode(any) ? nullptr : any;
}

void *ResolveReal(const char *name) {
  if (asks_loader)
    return FunctionOfLibc(name);
  asks_loader = true;
  void *real = AskLoader(name);
  asks_loader = false;
  return real;
}

static void RunSteps(bool resolves) {
  for (const ResolvedStep *step = first_step; step < end_of_steps; ++step)
    if (step->resolves == resolves)
      step->run();
}

/// Where libc is mapped. Empty until FindLibc.
static uptr libc_begin, libc_end;

static int RangeIfLibc(dl_phdr_info *info, uptr, void *inside) {
  uptr begin = ~uptr{0}, end = 0;
  for (u32 i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD)
      continue;
    const uptr from = info->dlpi_addr + segment.p_vaddr;
    begin = from < begin ? from : begin;
    end = from + segment.p_memsz > end ? from + segment.p_memsz : end;
  }
  if ((uptr)inside < begin || (uptr)inside >= end)
    return 0;
  libc_begin = begin;
  libc_end = end;
  return 1;
}
static void FindLibc() {
  // The program's dl_iterate_phdr may be another sanitizer's, and not ready.
  auto *iterate = (decltype(&dl_iterate_phdr))ResolveReal("dl_iterate_phdr");
  void *inside = ResolveReal("gnu_get_libc_version");
  if (iterate && inside)
    iterate(RangeIfLibc, inside);
}

/// True if a call of the program reaches `function` and not libc's function of
/// that name. A program that is not position-independent may have an entry of
/// its procedure linkage table in `function`, which reaches libc's.
static bool IsOfProgram(void *function) {
  if ((uptr)function >= libc_begin && (uptr)function < libc_end)
    return false;
  Dl_info info;
  const ElfW(Sym) *symbol = nullptr;
  return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
         (!symbol || symbol->st_shndx != SHN_UNDEF);
}

UsualAddresses FindUsualAddresses(const char *name) {
  if (!libc_end)
    FindLibc();
  void *by_name = AskDlsym(RTLD_DEFAULT, name);
  void *next = ResolveReal(name); // perhaps of a library behind this one
  return {by_name && (IsOwnCode(by_name) || !IsOfProgram(by_name)) ? by_name
                                                                   : nullptr,
          next && !IsOfProgram(next) ? next : nullptr};
}

/// Where calls of the function go if they are to be marked.
static void *InterceptorOf(const RealFunction &function) {
  return pagetide_entry_mode == kEntryKeepsCaller ? function.WithCaller()
                                                  : function.Interceptor();
}

static void SetTarget(const RealFunction &function, void *target) {
  __atomic_store_n(&function.AtCallSites()->target, target, __ATOMIC_RELEASE);
}

/// Finds out where marked code's calls of a function in call_site_functions.def
/// usually lead. They go on in the interceptor, unless marks are off.
static void ResolveCallSite(const RealFunction &function) {
  if (!*function.Address())
    *function.Address() = ResolveReal(function.Name());
  CallTarget &site = *function.AtCallSites();
  void *const real = *function.Address();
  SetTarget(function, real && IsIdle() ? real : InterceptorOf(function));
  site.addresses = FindUsualAddresses(function.Name());
  void *const usual = site.addresses.by_name   ? site.addresses.by_name
                      : site.addresses.in_libc ? site.addresses.in_libc
                                               : &site; // never called
  __atomic_store_n(&site.usual, usual, __ATOMIC_RELEASE);
}

/// Where a call goes on that marked code makes by the name of `function`, which
/// is `called` in its file. Async-signal-safe but for the first call before the
/// second phase.
static void *TargetOfCall(const RealFunction &function, void *called) {
  const CallTarget *site = function.AtCallSites();
  if (!__atomic_load_n(&site->usual, __ATOMIC_ACQUIRE)) {
    if (IsIdle()) // without asking the loader
      return called;
    ResolveCallSite(function);
  }
  return site->addresses.Have(called)
             ? __atomic_load_n(&site->target, __ATOMIC_ACQUIRE)
             : called;
}

/// An address by which a program may call such a function.
struct NamedFunction {
  void *function;
  void *target; ///< what to call instead
};
static NamedFunction named[128];
static uptr named_count;

static void AddNamed(void *function, void *target) {
  CHECK_LT(named_count, sizeof(named) / sizeof(*named));
  named[named_count++] = {function, target};
}

void SetUpCallSites(bool mark_something) {
  uptr low = ~uptr{0}, high = 0;
  for (const RealFunction *f = first_real_function; f < end_of_real_functions;
       ++f) {
    if (!f->AtCallSites())
      continue;
    ResolveCallSite(*f);
    void *const real = *f->Address();
    SetTarget(*f, mark_something || !real ? InterceptorOf(*f) : real);
    if (!mark_something)
      continue;
    const UsualAddresses &usual = f->AtCallSites()->addresses;
    void *const addresses[] = {usual.in_libc, usual.by_name};
    for (void *address : addresses)
      if (address) {
        AddNamed(address, InterceptorOf(*f));
        low = (uptr)address < low ? (uptr)address : low;
        high = (uptr)address > high ? (uptr)address : high;
      }
  }
  // First `begin`: whoever sees one of the two sees an empty range.
  __atomic_store_n(&__pagetide_named_functions.begin, low, __ATOMIC_RELEASE);
  __atomic_store_n(&__pagetide_named_functions.bytes,
                   named_count ? high - low + 1 : 0, __ATOMIC_RELEASE);
}

void InitInterceptors() {
  if (Active())
    return;
  for (const RealFunction *f = first_real_function; f < end_of_real_functions;
       ++f)
    // dlsym allocates if it finds nothing, perhaps by another sanitizer's
    // malloc before that one is ready. libstdc++ may be missing.
    if (!f->StandsIn())
      *f->Address() = ResolveReal(f->Name());
  // sanitizer_common's table must be made once. Making it may call
  // interceptors. Other threads wait for it.
  static u32 maker;
  u32 other = 0;
  const u32 tid = GetTidRaw();
  if (__atomic_compare_exchange_n(&maker, &other, tid, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    RunSteps(true);
    __atomic_store_n(&intercepting, true, __ATOMIC_RELEASE);
    RunSteps(false);
  } else if (other != tid) {
    while (!__atomic_load_n(&intercepting, __ATOMIC_ACQUIRE))
      Syscall(SYS_sched_yield);
  }
}

} // namespace pagetide

PAGETIDE_EXPORT void *__pagetide_named_function(void *function) {
  for (const NamedFunction *f = named; f < named + named_count; ++f)
    if (f->function == function)
      return f->target;
  return function;
}

//===- real_functions.h - Interceptors, and the functions that they wrap --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

// Some files that include this one define memcpy and the like, so no header may
// rename these.
#ifndef SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#endif

#include "arch/entries.h"
#include "platform/syscalls.h"

#include "interception/interception.h"

namespace pagetide {

/// The addresses by which code reaches libc's function of a name; null if there
/// is none.
struct UsualAddresses {
  /// What the program's name leads to: libc's function, that of this library,
  /// or an entry of the program's procedure linkage table. Null: the program,
  /// or a library before this one, has its own.
  void *by_name;
  void *in_libc;

  bool Have(const void *f) const { return f == by_name || f == in_libc; }
};

/// Where __pagetide_NAME goes on if marked code's name leads to `usual`, one of
/// `addresses`. Null until the first call.
struct CallTarget {
  void *usual;
  void *target;
  UsualAddresses addresses;
};

/// A function that an interceptor wraps, and the variable that holds its
/// address. Made by PAGETIDE_REAL_FUNCTION. It holds distances: the loader
/// would change addresses, and so copy each page of the table at every start.
class RealFunction {
public:
  const char *Name() const { return static_cast<const char *>(At(name_)); }
  void **Address() const { return static_cast<void **>(At(address_)); }
  void *Interceptor() const { return At(interceptor_); }
  /// Keeps the caller (call_sites.h) and goes on in the interceptor.
  void *WithCaller() const { return At(with_caller_); }
  /// What this library exports under the function's name; null for functions of
  /// call_site_functions.def.
  void *Exported() const { return exported_ ? At(exported_) : nullptr; }
  /// For functions of call_site_functions.def; null for functions that this
  /// library exports under their own names.
  CallTarget *AtCallSites() const {
    return at_call_sites_ ? static_cast<CallTarget *>(At(at_call_sites_))
                          : nullptr;
  }
  /// The interceptor never calls the real function, which need not exist: it is
  /// resolved only if a call needs it while marks are off.
  bool StandsIn() const { return stands_in_; }

private:
  static void *At(const s32 &distance) {
    return reinterpret_cast<char *>(reinterpret_cast<uptr>(&distance)) +
           distance;
  }

  s32 name_, address_, interceptor_, with_caller_, exported_, at_call_sites_,
      stands_in_;
};

PAGETIDE_CHECK_ENTRIES(RealFunction, CallTarget);

/// What a call goes on in, asked before the real function is resolved: null if
/// that has to be. Null if nobody is to be asked.
using BeforeResolving = void *(*)(const RealFunction &function);
extern BeforeResolving before_resolving;

struct RealFunctions {
  const RealFunction *begin, *end;
};
RealFunctions AllRealFunctions();

/// What the exported functions do first. Read by their first instruction.
enum EntryMode : u8 {
  kEntryMarks = 0, ///< go on in the interceptor
  /// The process has instrumented code, and its marks are off: jump to the real
  /// function.
  kEntryIdle = 1,
  /// Keep the caller (call_sites.h) first, because marks name sites.
  kEntryKeepsCaller = 2,
};
extern "C" __attribute__((visibility("hidden"))) u8 pagetide_entry_mode;
inline bool IsIdle() {
  return __atomic_load_n(&pagetide_entry_mode, __ATOMIC_ACQUIRE) == kEntryIdle;
}
inline void SetEntryMode(EntryMode mode) {
  __atomic_store_n(&pagetide_entry_mode, mode, __ATOMIC_RELEASE);
}

/// A step of InitInterceptors that another file defines.
struct ResolvedStep {
  void (*run)();
  /// Runs before the real functions count as known, and may resolve more.
  bool resolves;
};

extern bool intercepting; ///< the real functions are known
inline bool Active() { return __builtin_expect(intercepting, 1); }

/// The function that the program would call if this library were not loaded;
/// null if there is none.
void *ResolveReal(const char *name);
UsualAddresses FindUsualAddresses(const char *name);
/// libc's dlsym. The program's name leads to the interceptor.
void *AskDlsym(void *where, const char *name);
/// True for code of this library.
bool IsOwnCode(const void *code);
/// Resolves the functions that interceptors wrap.
void InitInterceptors();

/// Decides where marked code's calls of the functions in
/// call_site_functions.def go: to the interceptors, also through pointers, or
/// to libc's if the interceptors have nothing to mark.
void SetUpCallSites(bool mark_something);

/// For interceptors that need the real function: the first caller resolves all
/// of them. A program that is not instrumented may be linked with this library,
/// and constructors of other libraries run before the second phase.
inline void NeedReal() {
  if (!Active())
    InitInterceptors();
}

} // namespace pagetide

/// Removes the parentheses around a macro's argument.
#define PAGETIDE_UNPACK(...) __VA_ARGS__

/// Begins the definition of an interceptor. Its line in intercepted.txt or
/// tabled.def makes the exported function (arch/entries.h).
/// Types of its parameters are not in an unnamed namespace: entries.S has to
/// find REAL(name).
#define PAGETIDE_INTERCEPTOR(type, name, ...)                                  \
  DEFINE_REAL(type, name, __VA_ARGS__)                                         \
  extern "C" type WRAP(name)(__VA_ARGS__);                                     \
  extern "C" type WRAP(name)(__VA_ARGS__)

/// Makes InitInterceptors call a function of the file that uses this macro.
#define PAGETIDE_WHEN_RESOLVED(function, resolves)                             \
  __attribute__((section("pagetide_resolved"), used,                           \
                 retain)) static const pagetide::ResolvedStep                  \
      resolved_step_##function = {function, resolves};

/// The real function, resolved if necessary.
#define RESOLVED(name) (pagetide::NeedReal(), REAL(name))

/// The real function. Unlike RESOLVED, this resolves no other function.
#define REAL_OF(name)                                                          \
  (__builtin_expect(REAL(name) != nullptr, 1)                                  \
       ? REAL(name)                                                            \
       : (REAL(name) = (decltype(REAL(name)))pagetide::ResolveReal(#name)))

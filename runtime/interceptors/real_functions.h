//===- real_functions.h - Interceptors, and the functions that they wrap --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_REAL_FUNCTIONS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_REAL_FUNCTIONS_H

// Some files that include this one define memcpy and the like, so no header may
// rename these.
#ifndef SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#endif

#include "platform/syscalls.h"

#include "interception/interception.h"

namespace pagetide {

/// A function that an interceptor wraps, and the variable that holds its
/// address.
struct RealFunction {
  const char *name;
  void **address;
};

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
/// Resolves the functions that interceptors wrap.
void InitInterceptors();

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

/// Begins the definition of an interceptor.
#define PAGETIDE_INTERCEPTOR(type, name, ...)                                  \
  DEFINE_REAL(type, name, __VA_ARGS__)                                         \
  __attribute__((                                                              \
      section("pagetide_real"), used,                                          \
      retain)) static const pagetide::RealFunction real_function_of_##name = { \
      #name, (void **)&REAL(name)};                                            \
  DECLARE_WRAPPER(type, name, __VA_ARGS__)                                     \
  extern "C" INTERCEPTOR_ATTRIBUTE type WRAP(name)(__VA_ARGS__)

/// Makes InitInterceptors call a function of the file that uses this macro.
#define PAGETIDE_WHEN_RESOLVED(function, resolves)                             \
  __attribute__((section("pagetide_resolved"), used,                           \
                 retain)) static const pagetide::ResolvedStep                  \
      resolved_step_##function = {function, resolves};

/// The real function, resolved if necessary.
#define RESOLVED(name) (pagetide::NeedReal(), REAL(name))

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_REAL_FUNCTIONS_H

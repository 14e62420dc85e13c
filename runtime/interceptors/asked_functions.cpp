//===- asked_functions.cpp - Functions that the program asks dlsym for ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By libc's own handle, or from a library behind this one, dlsym finds libc's
// function and not the interceptor that stands for it. So these give what the
// function's name leads to: natively the two are the same. The interceptor goes
// on in the very function that was found, so no other function is called.

#include "interceptors/interceptor.h"
#include "platform/dynamic_symbols.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/auxv.h>

using namespace pagetide;

// The interceptor is in another file. NOLINTNEXTLINE
DECLARE_REAL(int, dl_iterate_phdr,
             int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)

namespace {

// RTLD_DEFAULT and RTLD_NEXT: the loader looks from the file that makes the
// call, and tells that file by the return address.
void *const kFromCaller = nullptr;
void *const kBehindCaller = (void *)-1; // NOLINT(performance-no-int-to-ptr)

/// The function of that name if an exported interceptor stands for it.
const RealFunction *FindIntercepted(const char *name, const void *found) {
  const RealFunctions all = AllRealFunctions();
  for (const RealFunction *f = all.begin; f < all.end; ++f) {
    const void *real = __atomic_load_n(f->Address(), __ATOMIC_ACQUIRE);
    if ((found && real && real != found) || !f->Exported() ||
        __sanitizer::internal_strcmp(name, f->Name()) != 0)
      continue;
    if (!real)
      real = ResolveReal(name);
    return real && (!found || real == found) ? f : nullptr;
  }
  return nullptr;
}

/// What the program shall call instead of `found`.
void *Marked(const char *name, void *found) {
  const RealFunction *function =
      found && !IsOwnCode(found) ? FindIntercepted(name, found) : nullptr;
  return function ? function->Exported() : found;
}

struct Definitions {
  const char *name;
  u32 count;
};
int CountDefinition(dl_phdr_info *file, size_t, void *data) {
  link_map map = {};
  map.l_addr = file->dlpi_addr;
  if (map.l_addr == getauxval(AT_SYSINFO_EHDR)) // nobody is linked with it
    return 0;
  for (u32 i = 0; i < file->dlpi_phnum; ++i)
    if (file->dlpi_phdr[i].p_type == PT_DYNAMIC)
      map.l_ld = (ElfW(Dyn) *)(map.l_addr + file->dlpi_phdr[i].p_vaddr);
  if (map.l_ld && !IsOwnCode(map.l_ld)) {
    auto &definitions = *(Definitions *)data;
    definitions.count += DynamicSymbols(map).Find(definitions.name) != nullptr;
  }
  return 0;
}

/// The interceptor's function if no file but one has a function of that name:
/// then this is what follows in the loader's list, or this library's is.
const RealFunction *FindOnlyOne(const char *name, const void *caller) {
  if (!name || IsOwnCode(caller))
    return nullptr;
  const RealFunction *function = FindIntercepted(name, nullptr);
  Definitions definitions = {name, 0};
  if (function)
    REAL_OF(dl_iterate_phdr)(CountDefinition, &definitions);
  return definitions.count == 1 ? function : nullptr;
}

void DidReadName(const char *name, const void *caller) {
  if (name && !IsOwnCode(caller))
    DidReadString(name);
}

} // namespace

PAGETIDE_INTERCEPTOR(void *, dlsym, void *where, const char *name) {
  const void *const caller = __builtin_return_address(0);
  DidReadName(name, caller);
  auto *real = REAL_OF(dlsym);
  if (where == kBehindCaller)
    if (const RealFunction *only = FindOnlyOne(name, caller))
      return only->Exported();
  if (where == kFromCaller || where == kBehindCaller || IsOwnCode(caller))
      [[clang::musttail]]
    return real(where, name);
  return Marked(name, real(where, name));
}

/// memcpy was memmove once, and programs rely on that.
static const char *NameOfVersion(const char *name, const char *version) {
  return !__sanitizer::internal_strcmp(name, "memcpy") &&
                 !__sanitizer::internal_strcmp(version, "GLIBC_2.2.5")
             ? "memmove"
             : name;
}

PAGETIDE_INTERCEPTOR(void *, dlvsym, void *where, const char *name,
                     const char *version) {
  const void *const caller = __builtin_return_address(0);
  DidReadName(name, caller);
  DidReadName(version, caller);
  auto *real = REAL_OF(dlvsym);
  const bool from_caller = where == kFromCaller || where == kBehindCaller;
  if (IsOwnCode(caller) || (from_caller && !FindOnlyOne(name, caller))) {
    [[clang::musttail]] return real(where, name, version);
  }
  // This call looks from this library, which is as good if only one file has
  // the function.
  return Marked(NameOfVersion(name, version), real(where, name, version));
}

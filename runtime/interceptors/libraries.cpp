//===- libraries.cpp - Libraries that come and go -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/stopped_threads.h"
#include "interceptors/interceptor.h"
#include "interceptors/string_marks.h"
#include "platform/key_set.h"
#include "platform/messages.h"
#include "recorder/looks_before_close.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace pagetide;
using namespace __sanitizer;

//===- Libraries whose calls go around this one ---------------------------===//

static bool Holds(const char *text, uptr bytes, const char *word) {
  const uptr length = internal_strlen(word);
  for (uptr at = 0; at + length <= bytes; ++at)
    if (text[at] == *word && !internal_memcmp(text + at, word, length))
      return true;
  return false;
}

/// Whether the file is linked with this library: then it finds this one's
/// functions before libc's. False if it is not known which file it is.
static bool IsLinkedWithRuntime(const char *file) {
  constexpr uptr kMaxBytes = uptr{64} << 20;
  if (!internal_strchr(file, '/')) // the loader will search for it
    return false;
  const uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)file, O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return false;
  struct stat status = {};
  Syscall(SYS_fstat, fd, (uptr)&status);
  const uptr bytes = Min((uptr)status.st_size, kMaxBytes);
  const uptr text = Syscall(SYS_mmap, 0, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  Syscall(SYS_close, fd);
  if (Failed(text))
    return false;
  const bool found = Holds((const char *)text, bytes, "libpagetide.so");
  Syscall(SYS_munmap, text, bytes);
  return found;
}

/// By name, those that were named already.
static KeySet<16> said;

/// Says that nobody sees what the library has libc do, unless it is linked with
/// this library. The loader looks for the symbols of all that it brings in its
/// list of libraries. `remedy` is for one that is not.
static void SayGoesAround(const char *file, const char *how,
                          const char *remedy) {
  if (!file || !ShadowReady() || IsLinkedWithRuntime(file) ||
      !said.Add(XXH3_64bits(file, internal_strlen(file))))
    return;
  Warning("%s is loaded %s. If it is not instrumented, its calls of libc's "
          "functions go around Pagetide, and so do those of the libraries that "
          "it brings: the pages that these touch for them are in no set. To "
          "have them, %s or build it with pagetide-clang.\n",
          file, how, remedy);
  char text[kMaxNoteOfProgram];
  internal_snprintf(text, sizeof(text),
                    "what libc's functions touch for %s and what it brings, "
                    "loaded %s",
                    file, how);
  NoteLostByProgram(text);
}

// The loader searches in the places that the calling file names (RUNPATH), and
// tells that file by the return address. So these end in a jump.

PAGETIDE_INTERCEPTOR(void *, dlopen, const char *file, int mode) {
  constexpr int kDeepBind = 8, kKnownModes = 0x4000110f;
  OnInterceptedCall();
  if (!(mode & ~kKnownModes)) { // libc refuses others without the name
    DidReadString(file);
    if (mode & kDeepBind)
      SayGoesAround(file, "with RTLD_DEEPBIND", "load it without that flag");
  }
  auto *real = REAL_OF(dlopen);
  [[clang::musttail]] return real(file, mode);
}

PAGETIDE_INTERCEPTOR(void *, dlmopen, long space, const char *file, int mode) {
  constexpr long kProgramsSpace = 0; // LM_ID_BASE
  constexpr int kGlobal = 0x100;     // RTLD_GLOBAL
  OnInterceptedCall();
  const bool is_apart = space != kProgramsSpace;
  if (!is_apart || !(mode & kGlobal)) // libc refuses both without the name
    DidReadString(file);
  if (is_apart && !(mode & kGlobal))
    SayGoesAround(file, "into a namespace of its own (dlmopen)",
                  "load it by dlopen");
  auto *real = REAL_OF(dlmopen);
  [[clang::musttail]] return real(space, file, mode);
}

//===- Libraries that are closed ------------------------------------------===//

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

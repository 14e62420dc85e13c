//===- child_environment.cpp - What started programs are told -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/child_environment.h"

#include "interceptors/interceptor.h"
#include "platform/options.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

constexpr char kOptions[] = "PAGETIDE_OPTIONS=", kPreload[] = "LD_PRELOAD=";

// The entries that this process was given; empty: nothing is handed on.
static char options_entry[sizeof(kOptions) + 4096];
static char preload_entry[sizeof(kPreload) + 4096];

/// Joins name and value. The entry stays empty if there is no room.
template <uptr kBytes>
static void MakeEntry(char (&entry)[kBytes], const char *name,
                      const char *value) {
  const uptr name_bytes = internal_strlen(name);
  // An option text that fills its buffer may have been cut.
  if (name_bytes + internal_strlen(value) + 2 >= kBytes)
    return;
  internal_memcpy(entry, name, name_bytes);
  internal_strncpy(entry + name_bytes, value, kBytes - name_bytes - 1);
}

void InitChildEnvironment() {
  const Flags &flags = GetFlags();
  if (!*flags.control || !*FlagsAsText())
    return;
  MakeEntry(options_entry, kOptions, FlagsAsText());
  Dl_info own = {};
  if (!EngineCan().by_marks &&
      dladdr((const void *)InitChildEnvironment, &own) && own.dli_fname)
    MakeEntry(preload_entry, kPreload, own.dli_fname);
}

static bool StartsWith(const char *entry, const char *name) {
  const uptr bytes = internal_strlen(name);
  return ReadableLength(entry, bytes, false) == bytes &&
         !internal_strncmp(entry, name, bytes);
}

/// Whether the program in that file starts in secure mode. File capabilities do
/// not count here.
static bool ChangesRights(int directory, const char *file, int flags) {
  struct stat status;
  if (!file || Failed(Syscall(SYS_newfstatat, (uptr)directory, (uptr)file,
                              (uptr)&status, (uptr)flags)))
    return false;
  return (status.st_mode & S_ISUID) ||
         ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP));
}

ChildEnvironment::ChildEnvironment(Strings environment, int directory,
                                   const char *file, int flags)
    : environment_(environment) {
  if (!*options_entry)
    return;
  bool needs_options = true, needs_preload = *preload_entry != 0;
  uptr count = 0;
  for (; environment; ++count) {
    char *entry;
    // If the address is bad, the kernel will refuse it.
    if (!CopyFromProgram((void *)&entry, (const void *)(environment + count),
                         sizeof(entry)))
      return;
    if (!entry)
      break;
    if (StartsWith(entry, kPreload))
      needs_preload = false;
    if (!StartsWith(entry, kOptions))
      continue;
    if (internal_strncmp(entry, options_entry,
                         ReadableLength(entry, sizeof(options_entry), true)))
      return;
    needs_options = false;
  }
  if ((needs_options || needs_preload) &&
      !ChangesRights(directory, file, flags))
    Extend(count, needs_options, needs_preload);
}

void ChildEnvironment::Extend(uptr count, bool options, bool preload) {
  char **copy = few_;
  if (count + 3 > kFew) {
    const uptr bytes = (count + 3) * sizeof(char *);
    // If a child of vfork execs, this memory stays in the parent.
    const uptr p = Syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, (uptr)-1, 0);
    if (Failed(p))
      return;
    copy = mapped_ = (char **)p;
    mapped_bytes_ = bytes;
  }
  uptr n = 0;
  for (; n < count; ++n)
    copy[n] = environment_[n];
  if (options)
    copy[n++] = options_entry;
  if (preload)
    copy[n++] = preload_entry;
  copy[n] = nullptr;
  environment_ = copy;
  has_more_ = true;
}

ChildEnvironment::~ChildEnvironment() {
  if (mapped_)
    Syscall(SYS_munmap, (uptr)mapped_, mapped_bytes_);
}

//===- What has been read -------------------------------------------------===//

void DidReadOneString(const char *s, bool succeeded) {
  const uptr bytes = s ? ReadableLength(s, kNoBound, false) : 0;
  succeeded ? MarkRead((uptr)s, bytes) : MarkMayRead((uptr)s, bytes);
}
void DidReadStrings(Strings strings, bool succeeded) {
  char *string;
  for (;
       CopyFromProgram((void *)&string, (const void *)strings, sizeof(string));
       ++strings) {
    succeeded ? DidReadAt(strings)
              : MayHaveRead((const volatile void *)strings, sizeof(string));
    if (!string)
      return;
    DidReadOneString(string, succeeded);
  }
}

void MayReadArguments(const char *path, Strings argv, Strings env) {
  MayHaveReadString(path, false);
  if (!ShadowReady())
    return;
  DidReadStrings(argv, false);
  DidReadStrings(env, false);
}

} // namespace pagetide

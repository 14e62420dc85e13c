//===- target_options.cpp - Options of a program in the user's list -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/target_options.h"

#include "platform/small_file.h"
#include "platform/start_data.h"

#include "pagetide/targets_file.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace targets_file;

constexpr uptr kPathBytes = 4096;

static char list[kMaxBytes];
static char target_options[3 * kPathBytes];
/// Null: the list is known, or there is none.
PAGETIDE_START_DATA static const char *unknown_list;

/// Returns false if the user has no such folder.
static bool NameList(const char *config_home, const char *home, char *path) {
  const bool has_config = config_home && config_home[0] == '/';
  if (!has_config && (!home || home[0] != '/'))
    return false;
  return (uptr)internal_snprintf(
             path, kPathBytes, "%s%s", has_config ? config_home : home,
             has_config ? kBelowConfig : kBelowHome) < kPathBytes;
}

/// A list that others may have written is no list of this user's.
static bool IsOwn(uptr fd) {
  struct stat status;
  return !Failed(Syscall(SYS_fstat, fd, (uptr)&status)) &&
         S_ISREG(status.st_mode) && !(status.st_mode & 022) &&
         status.st_uid == (u32)Syscall(SYS_geteuid);
}

/// Reads the list. Returns its size; 0 if there is none that counts.
static uptr ReadList(const char *path) {
  const uptr fd = OpenSmallFile(AT_FDCWD, path);
  if (Failed(fd))
    return 0;
  const uptr bytes = IsOwn(fd) ? ReadSmallFile(fd, list, sizeof(list)) : 0;
  Syscall(SYS_close, fd);
  return bytes == sizeof(list) ? 0 : bytes;
}

/// The last part of the path of the program's file; null if /proc is missing.
static const char *NameOfProgram(char *path) {
  const uptr bytes = Syscall(SYS_readlinkat, (uptr)AT_FDCWD,
                             (uptr) "/proc/self/exe", (uptr)path, kPathBytes);
  if (Failed(bytes) || bytes == kPathBytes)
    return nullptr;
  path[bytes] = 0;
  const char *slash = internal_strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// The next of the texts that a tab separates on a line.
static bool TakeField(const char *&at, const char *end, const char *&field,
                      uptr &bytes) {
  const char *const tab =
      (const char *)internal_memchr(at, '\t', (uptr)(end - at));
  if (!tab)
    return false;
  field = at;
  bytes = (uptr)(tab - at);
  at = tab + 1;
  return true;
}

bool FindTarget(const char *text, uptr bytes, const char *program,
                TargetEntry &entry) {
  const uptr program_bytes = internal_strlen(program);
  for (const char *const end = text + bytes; text < end;) {
    const char *line_end =
        (const char *)internal_memchr(text, '\n', (uptr)(end - text));
    if (!line_end)
      return false; // cut off
    const char *name;
    uptr name_bytes;
    if (TakeField(text, line_end, name, name_bytes) &&
        name_bytes == program_bytes &&
        !internal_memcmp(name, program, name_bytes) &&
        TakeField(text, line_end, entry.folder, entry.folder_bytes)) {
      entry.options = text;
      entry.options_bytes = (uptr)(line_end - text);
      return true;
    }
    text = line_end + 1;
  }
  return false;
}

/// Each process has a trace of its own name, so that no two starts look like
/// one run.
static bool MakeOptions(const TargetEntry &entry, const char *program) {
  const char quote = internal_memchr(entry.folder, '\'', entry.folder_bytes) ||
                             internal_strchr(program, '\'')
                         ? '"'
                         : '\'';
  const int used = internal_snprintf(
      target_options, sizeof(target_options),
      "trace_path=%c%.*s/pagetide.%s.%u.ptrace%c:%.*s", quote,
      (int)entry.folder_bytes, entry.folder, program, GetPidRaw(), quote,
      (int)entry.options_bytes, entry.options);
  return (uptr)used < sizeof(target_options);
}

static bool FindOptions(const char *config_home, const char *home) {
  char path[kPathBytes];
  if (!NameList(config_home, home, path))
    return false;
  const uptr bytes = ReadList(path);
  if (!bytes)
    return false;
  constexpr uptr kFirst = sizeof(kFirstLine) - 1;
  if (bytes < kFirst || internal_memcmp(list, kFirstLine, kFirst)) {
    static char kept[kPathBytes];
    internal_strncpy(kept, path, sizeof(kept) - 1);
    unknown_list = kept;
    return false;
  }
  char program_path[kPathBytes + 1];
  const char *program = NameOfProgram(program_path);
  TargetEntry entry;
  return program && FindTarget(list + kFirst, bytes - kFirst, program, entry) &&
         MakeOptions(entry, program);
}

const char *OptionsOfTarget(const char *config_home, const char *home) {
  PAGETIDE_START_DATA static bool looked, found;
  if (!looked) {
    looked = true;
    found = FindOptions(config_home, home);
  }
  return found ? target_options : nullptr;
}

const char *UnknownTargetList() { return unknown_list; }

} // namespace pagetide

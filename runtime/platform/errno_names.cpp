//===- errno_names.cpp - Errno values as text -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/errno_names.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>

namespace pagetide {

static constexpr struct {
  int error;
  const char *text;
} kTexts[] = {
    {EPERM, "EPERM (Operation not permitted)"},
    {ENOENT, "ENOENT (No such file or directory)"},
    {ESRCH, "ESRCH (No such process or thread)"},
    {EIO, "EIO (Input/output error)"},
    {EBADF, "EBADF (Bad file descriptor)"},
    {EAGAIN, "EAGAIN (Resource temporarily unavailable)"},
    {ENOMEM, "ENOMEM (Cannot allocate memory)"},
    {EACCES, "EACCES (Permission denied)"},
    {EEXIST, "EEXIST (File exists)"},
    {ENOTDIR, "ENOTDIR (Not a directory)"},
    {EISDIR, "EISDIR (Is a directory)"},
    {EINVAL, "EINVAL (Invalid argument)"},
    {ENFILE, "ENFILE (Too many open files in the system)"},
    {EMFILE, "EMFILE (Too many open files)"},
    {EFBIG, "EFBIG (File too large; see ulimit -f)"},
    {ENOSPC, "ENOSPC (No space left on device)"},
    {EROFS, "EROFS (Read-only file system)"},
    {EPIPE, "EPIPE (Broken pipe)"},
    {ENAMETOOLONG, "ENAMETOOLONG (File name too long)"},
    {ENOSYS, "ENOSYS (Function not implemented)"},
    {ELOOP, "ELOOP (Too many symbolic links)"},
    {ECONNREFUSED, "ECONNREFUSED (Connection refused)"},
    {EDQUOT, "EDQUOT (Disk quota exceeded)"},
};

const char *DescribeErrno(int error) {
  for (const auto &known : kTexts)
    if (known.error == error)
      return known.text;
  static char text[32];
  __sanitizer::internal_snprintf(text, sizeof(text), "errno %d", error);
  return text;
}

} // namespace pagetide

//===- errno_names.cpp - Errno values as text -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/errno_names.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>

namespace pagetide {

const char *DescribeErrno(int error) {
  switch (error) {
  case EPERM:
    return "EPERM (Operation not permitted)";
  case ENOENT:
    return "ENOENT (No such file or directory)";
  case ESRCH:
    return "ESRCH (No such process or thread)";
  case EIO:
    return "EIO (Input/output error)";
  case EBADF:
    return "EBADF (Bad file descriptor)";
  case EAGAIN:
    return "EAGAIN (Resource temporarily unavailable)";
  case ENOMEM:
    return "ENOMEM (Cannot allocate memory)";
  case EACCES:
    return "EACCES (Permission denied)";
  case EEXIST:
    return "EEXIST (File exists)";
  case ENOTDIR:
    return "ENOTDIR (Not a directory)";
  case EISDIR:
    return "EISDIR (Is a directory)";
  case EINVAL:
    return "EINVAL (Invalid argument)";
  case ENFILE:
    return "ENFILE (Too many open files in the system)";
  case EMFILE:
    return "EMFILE (Too many open files)";
  case EFBIG:
    return "EFBIG (File too large; see ulimit -f)";
  case ENOSPC:
    return "ENOSPC (No space left on device)";
  case EROFS:
    return "EROFS (Read-only file system)";
  case EPIPE:
    return "EPIPE (Broken pipe)";
  case ENAMETOOLONG:
    return "ENAMETOOLONG (File name too long)";
  case ENOSYS:
    return "ENOSYS (Function not implemented)";
  case ELOOP:
    return "ELOOP (Too many symbolic links)";
  case ECONNREFUSED:
    return "ECONNREFUSED (Connection refused)";
  case EDQUOT:
    return "EDQUOT (Disk quota exceeded)";
  default: {
    static char text[32];
    __sanitizer::internal_snprintf(text, sizeof(text), "errno %d", error);
    return text;
  }
  }
}

} // namespace pagetide

//===- notice.cpp - Tells pagetide record why it hears no more ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/notice.h"

#include "platform/environment.h"
#include "platform/run_options.h"
#include "platform/syscalls.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

using namespace __sanitizer;

namespace pagetide {

bool FindControlSocket(const char *options, sockaddr_un &address) {
  if (!options)
    return false;
  char *path = address.sun_path;
  constexpr uptr kRoom = sizeof(address.sun_path);
  static const char kName[] = "control=";
  const char *value = nullptr;
  for (const char *p = options; (p = internal_strstr(p, kName));) {
    bool begins = p == options || internal_strchr(":, \t\n", p[-1]);
    p += sizeof(kName) - 1;
    if (begins)
      value = p;
  }
  if (!value)
    return false;
  const char *ends = ":, \t\n";
  const char quote[] = {*value, 0};
  if (*value == '\'' || *value == '"') {
    ends = quote;
    ++value;
  }
  uptr used = 0;
  while (value[used] && !internal_strchr(ends, value[used])) {
    if (used + 1 == kRoom)
      return false;
    path[used] = value[used];
    ++used;
  }
  path[used] = 0;
  return used != 0;
}

void NotifyRecord(shadow_file::NoticeKind kind) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (!FindControlSocket(OptionsOfProcess(), address) &&
      !FindControlSocket(OptionsOfRun(), address))
    return;
  shadow_file::Notice notice = {};
  notice.magic = shadow_file::kNoticeMagic;
  notice.version = shadow_file::kVersion;
  notice.pid = GetPidRaw();
  notice.kind = kind;
  if (const auto *name = (const char *)getauxval(AT_EXECFN)) {
    internal_strncpy(notice.name, name, sizeof(notice.name) - 1);
    notice.name_bytes = (u32)internal_strlen(notice.name);
  }
  uptr fd = Syscall(SYS_socket, AF_UNIX,
                    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (Failed(fd))
    return;
  if (!Failed(Syscall(SYS_connect, fd, (uptr)&address, sizeof(address))))
    Syscall(SYS_sendto, fd, (uptr)&notice, sizeof(notice), MSG_NOSIGNAL, 0, 0);
  Syscall(SYS_close, fd);
}

} // namespace pagetide

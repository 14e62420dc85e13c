//===- outer_record.cpp - A recording inside another one ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/outer_record.h"

#include "record/runtime_options.h"
#include "support/option_text.h"
#include "support/unique_fd.h"

#include "pagetide/shadow_file.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace pagetide::tools {

void notify_outer_record() {
  const std::string socket_path = option_in(inherited_options(), "control");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() >= sizeof(address.sun_path))
    return;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  shadow_file::Notice notice = {};
  notice.magic = shadow_file::kNoticeMagic;
  notice.version = shadow_file::kVersion;
  notice.pid = static_cast<std::uint32_t>(::getpid());
  notice.kind = shadow_file::NoticeKind::kOtherRecord;
  constexpr char kName[] = "pagetide";
  std::memcpy(notice.name, kName, sizeof(kName));
  notice.name_bytes = sizeof(kName) - 1;
  const UniqueFd connection(
      ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // If the outer record has ended, nobody needs the notice.
  if (connection &&
      ::connect(connection.get(), reinterpret_cast<const sockaddr *>(&address),
                sizeof(address)) == 0) [[maybe_unused]]
    const ssize_t sent =
        ::send(connection.get(), &notice, sizeof(notice), MSG_NOSIGNAL);
}

} // namespace pagetide::tools

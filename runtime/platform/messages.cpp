//===- messages.cpp - What the runtime tells the user ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/messages.h"

#include "platform/locks.h"
#include "platform/notice.h"
#include "platform/raw_thread_ids.h"
#include "platform/start_data.h"
#include "platform/syscalls.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

namespace __sanitizer {
// Defined in sanitizer_printf.cpp; no header declares it.
int VSNPrintf(char *buffer, int bytes, const char *format, va_list args);
} // namespace __sanitizer

namespace pagetide {

static MessageOptions message_options = {false, false, ""};
/// Standard error was closed when the program started. Descriptor 2 is then
/// some file of the program, which messages would damage.
PAGETIDE_START_DATA static bool no_stderr;

void FormatText(char *text, uptr bytes, const char *format, va_list args) {
  __sanitizer::VSNPrintf(text, (int)bytes, format, args);
}

void InitMessages() { no_stderr = Failed(Syscall(SYS_fcntl, 2, F_GETFD)); }

void SetMessageOptions(const MessageOptions &options) {
  message_options = options;
}

/// Opens a file that option log_path names. If other users may write to its
/// directory, one of them may have put a link there, a FIFO that nobody reads,
/// or a file of their own. Returns -1 for these.
static int OpenLog(const char *path) {
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path,
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
                        O_NONBLOCK,
                    0600);
  if (Failed(fd))
    return -1;
  struct stat status;
  if (!Failed(Syscall(SYS_fstat, fd, (uptr)&status)) &&
      S_ISREG(status.st_mode) && status.st_nlink == 1 &&
      status.st_uid == (u32)Syscall(SYS_geteuid))
    return (int)fd;
  Syscall(SYS_close, fd);
  return -1;
}

/// A descriptor to write a message to, and whether it must be closed; -1 if
/// there is none.
static int OpenMessageStream(bool &close) {
  close = true;
  if (*message_options.log_path) {
    char path[4096];
    __sanitizer::internal_snprintf(path, sizeof(path), "%s.%u",
                                   message_options.log_path, GetPidRaw());
    int fd = OpenLog(path);
    if (fd >= 0)
      return fd;
  }
  if (no_stderr)
    return -1;
  if (OnRawThread()) {
    uptr pidfd = Syscall(SYS_pidfd_open, GetPidRaw(), 0);
    uptr fd = Failed(pidfd) ? pidfd : Syscall(SYS_pidfd_getfd, pidfd, 2, 0);
    if (!Failed(pidfd))
      Syscall(SYS_close, pidfd);
    // A filter may forbid these. Then open the first thread's descriptor 2
    // again, which fails for a socket.
    if (Failed(fd))
      fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr) "/proc/self/fd/2",
                   O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    return Failed(fd) ? -1 : (int)fd;
  }
  close = false;
  return 2;
}

static u64 PendingWriteSignals() {
  u64 pending = 0;
  Syscall(SYS_rt_sigpending, (uptr)&pending, 8);
  return pending & (u64{1} << (SIGPIPE - 1) | u64{1} << (SIGXFSZ - 1));
}

static void Write(const char *prefix, const char *format, va_list args) {
  char text[4096];
  int used = __sanitizer::internal_snprintf(text, sizeof(text), "%s", prefix);
  FormatText(text + used, sizeof(text) - (uptr)used, format, args);
  bool close;
  int fd = OpenMessageStream(close);
  if (fd < 0)
    return;
  // Writing to a pipe that nobody reads, or beyond a limit on file sizes,
  // raises a signal. It must not end the program.
  ScopedBlockSignals block_signals;
  u64 before = PendingWriteSignals();
  uptr bytes = __sanitizer::internal_strlen(text);
  for (uptr done = 0; done < bytes;) {
    uptr n = Syscall(SYS_write, (uptr)fd, (uptr)text + done, bytes - done);
    if (Failed(n))
      break;
    done += n;
  }
  if (u64 raised = PendingWriteSignals() & ~before) {
    const timespec now = {};
    Syscall(SYS_rt_sigtimedwait, (uptr)&raised, 0, (uptr)&now, 8);
  }
  if (close)
    Syscall(SYS_close, (uptr)fd);
}

void Fatal(const char *format, ...) {
  va_list args;
  va_start(args, format);
  Write("ERROR: Pagetide: ", format, args);
  va_end(args);
  NotifyRecord(shadow_file::NoticeKind::kRefused);
  Syscall(SYS_exit_group, kExitRefused);
  __builtin_unreachable();
}

void Warning(const char *format, ...) {
  va_list args;
  va_start(args, format);
  Write("WARNING: Pagetide: ", format, args);
  va_end(args);
}

void WarnOrStop(const char *format, ...) {
  const bool stop = message_options.stop_on_failure;
  va_list args;
  va_start(args, format);
  Write(stop ? "ERROR: Pagetide: " : "WARNING: Pagetide: ", format, args);
  va_end(args);
  if (!stop)
    return;
  Say("The program is stopped because of it (on_failure=stop).\n");
  Syscall(SYS_exit_group, kExitRefused);
}

void Info(const char *format, ...) {
  if (!message_options.verbose)
    return;
  va_list args;
  va_start(args, format);
  Write("Pagetide: ", format, args);
  va_end(args);
}

void Say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  Write("", format, args);
  va_end(args);
}

} // namespace pagetide

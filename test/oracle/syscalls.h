//===- syscalls.h - Which memory a system call reads and writes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As far as the programs of the oracle need it. Written from the kernel's
// interface, not from the runtime's interceptors.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TEST_ORACLE_SYSCALLS_H
#define PAGETIDE_TEST_ORACLE_SYSCALLS_H

#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace oracle {

/// How long a range is that a call's argument points to.
enum class Length : std::uint8_t {
  kBytes,    ///< `number` bytes
  kResult,   ///< `number` bytes times the result
  kArgument, ///< as many as argument `number` says
  kEights,   ///< eight times as many: poll's array
  kWord,     ///< as many as the word says that argument `number` points to
  kString,   ///< up to its zero
  kPieces,   ///< an array of iovec, of argument `number` entries
  kMessage,  ///< a msghdr
};

struct Argument {
  std::int64_t call;
  unsigned index; ///< of the argument, from 0
  bool write;
  Length length;
  std::uint64_t number;
};

inline constexpr bool kRead = false, kWrite = true;

inline constexpr Argument kArguments[] = {
    {SYS_read, 1, kWrite, Length::kResult, 1},
    {SYS_pread64, 1, kWrite, Length::kResult, 1},
    {SYS_write, 1, kRead, Length::kResult, 1},
    {SYS_pwrite64, 1, kRead, Length::kResult, 1},
    {SYS_readv, 1, kWrite, Length::kPieces, 2},
    {SYS_preadv, 1, kWrite, Length::kPieces, 2},
    {SYS_preadv2, 1, kWrite, Length::kPieces, 2},
    {SYS_writev, 1, kRead, Length::kPieces, 2},
    {SYS_pwritev, 1, kRead, Length::kPieces, 2},
    {SYS_pwritev2, 1, kRead, Length::kPieces, 2},
    {SYS_getdents64, 1, kWrite, Length::kResult, 1},
    {SYS_getrandom, 0, kWrite, Length::kResult, 1},

    {SYS_open, 0, kRead, Length::kString, 0},
    {SYS_openat, 1, kRead, Length::kString, 0},
    {SYS_access, 0, kRead, Length::kString, 0},
    {SYS_faccessat, 1, kRead, Length::kString, 0},
    {SYS_stat, 0, kRead, Length::kString, 0},
    {SYS_stat, 1, kWrite, Length::kBytes, 144},
    {SYS_lstat, 0, kRead, Length::kString, 0},
    {SYS_lstat, 1, kWrite, Length::kBytes, 144},
    {SYS_fstat, 1, kWrite, Length::kBytes, 144},
    {SYS_newfstatat, 1, kRead, Length::kString, 0},
    {SYS_newfstatat, 2, kWrite, Length::kBytes, 144},
    {SYS_statx, 1, kRead, Length::kString, 0},
    {SYS_statx, 4, kWrite, Length::kBytes, 256},
    {SYS_statfs, 0, kRead, Length::kString, 0},
    {SYS_statfs, 1, kWrite, Length::kBytes, 120},
    {SYS_fstatfs, 1, kWrite, Length::kBytes, 120},
    {SYS_getcwd, 0, kWrite, Length::kResult, 1},
    {SYS_chdir, 0, kRead, Length::kString, 0},
    {SYS_readlink, 0, kRead, Length::kString, 0},
    {SYS_readlink, 1, kWrite, Length::kResult, 1},
    {SYS_readlinkat, 1, kRead, Length::kString, 0},
    {SYS_readlinkat, 2, kWrite, Length::kResult, 1},
    {SYS_rename, 0, kRead, Length::kString, 0},
    {SYS_rename, 1, kRead, Length::kString, 0},
    {SYS_unlink, 0, kRead, Length::kString, 0},
    {SYS_unlinkat, 1, kRead, Length::kString, 0},
    {SYS_mkdir, 0, kRead, Length::kString, 0},
    {SYS_rmdir, 0, kRead, Length::kString, 0},
    {SYS_chmod, 0, kRead, Length::kString, 0},
    {SYS_truncate, 0, kRead, Length::kString, 0},
    {SYS_memfd_create, 0, kRead, Length::kString, 0},
    {SYS_utimensat, 1, kRead, Length::kString, 0},
    {SYS_utimensat, 2, kRead, Length::kBytes, 32},

    {SYS_poll, 0, kRead, Length::kEights, 1},
    {SYS_poll, 0, kWrite, Length::kEights, 1},
    {SYS_epoll_wait, 1, kWrite, Length::kResult, 12},
    {SYS_epoll_pwait, 1, kWrite, Length::kResult, 12},
    {SYS_epoll_ctl, 3, kRead, Length::kBytes, 12},
    {SYS_pipe, 0, kWrite, Length::kBytes, 8},
    {SYS_pipe2, 0, kWrite, Length::kBytes, 8},

    {SYS_rt_sigaction, 1, kRead, Length::kBytes, 32},
    {SYS_rt_sigaction, 2, kWrite, Length::kBytes, 32},
    {SYS_rt_sigprocmask, 1, kRead, Length::kArgument, 3},
    {SYS_rt_sigprocmask, 2, kWrite, Length::kArgument, 3},
    {SYS_sigaltstack, 0, kRead, Length::kBytes, 24},
    {SYS_sigaltstack, 1, kWrite, Length::kBytes, 24},

    {SYS_nanosleep, 0, kRead, Length::kBytes, 16},
    {SYS_nanosleep, 1, kWrite, Length::kBytes, 16},
    {SYS_clock_nanosleep, 2, kRead, Length::kBytes, 16},
    {SYS_clock_nanosleep, 3, kWrite, Length::kBytes, 16},
    {SYS_clock_gettime, 1, kWrite, Length::kBytes, 16},
    {SYS_clock_getres, 1, kWrite, Length::kBytes, 16},
    {SYS_gettimeofday, 0, kWrite, Length::kBytes, 16},
    {SYS_gettimeofday, 1, kWrite, Length::kBytes, 8},
    {SYS_time, 0, kWrite, Length::kBytes, 8},
    {SYS_times, 0, kWrite, Length::kBytes, 32},
    {SYS_getitimer, 1, kWrite, Length::kBytes, 32},
    {SYS_setitimer, 1, kRead, Length::kBytes, 32},
    {SYS_setitimer, 2, kWrite, Length::kBytes, 32},

    {SYS_uname, 0, kWrite, Length::kBytes, 390},
    {SYS_getrlimit, 1, kWrite, Length::kBytes, 16},
    {SYS_setrlimit, 1, kRead, Length::kBytes, 16},
    {SYS_prlimit64, 2, kRead, Length::kBytes, 16},
    {SYS_prlimit64, 3, kWrite, Length::kBytes, 16},
    {SYS_getrusage, 1, kWrite, Length::kBytes, 144},
    {SYS_sysinfo, 0, kWrite, Length::kBytes, 112},
    {SYS_sched_getaffinity, 2, kWrite, Length::kResult, 1},
    {SYS_wait4, 1, kWrite, Length::kBytes, 4},
    {SYS_wait4, 3, kWrite, Length::kBytes, 144},
    {SYS_futex, 0, kRead, Length::kBytes, 4},
    {SYS_futex, 3, kRead, Length::kBytes, 16},

    {SYS_connect, 1, kRead, Length::kArgument, 2},
    {SYS_bind, 1, kRead, Length::kArgument, 2},
    {SYS_accept, 1, kWrite, Length::kWord, 2},
    {SYS_accept4, 1, kWrite, Length::kWord, 2},
    {SYS_getsockname, 1, kWrite, Length::kWord, 2},
    {SYS_getpeername, 1, kWrite, Length::kWord, 2},
    {SYS_recvfrom, 1, kWrite, Length::kResult, 1},
    {SYS_recvfrom, 4, kWrite, Length::kWord, 5},
    {SYS_sendto, 1, kRead, Length::kResult, 1},
    {SYS_sendto, 4, kRead, Length::kArgument, 5},
    {SYS_recvmsg, 1, kWrite, Length::kMessage, 0},
    {SYS_sendmsg, 1, kRead, Length::kMessage, 0},
    {SYS_socketpair, 3, kWrite, Length::kBytes, 8},
    {SYS_setsockopt, 3, kRead, Length::kArgument, 4},
    {SYS_getsockopt, 3, kWrite, Length::kWord, 4},
};

/// Gives note(address, bytes, write) what a call has touched that did not fail.
/// The guest's memory is ours to read.
template <typename Note>
void decode_call(std::int64_t number, const std::uint64_t (&call)[6],
                 std::int64_t result, Note note) {
  using std::uint64_t;
  auto pieces = [&](const iovec *piece, uint64_t count, bool write) {
    note(reinterpret_cast<uint64_t>(piece), count * sizeof(iovec), kRead);
    auto left = static_cast<uint64_t>(result);
    for (; count && left; --count, ++piece) {
      uint64_t bytes = piece->iov_len < left ? piece->iov_len : left;
      note(reinterpret_cast<uint64_t>(piece->iov_base), bytes, write);
      left -= bytes;
    }
  };
  for (const Argument &argument : kArguments) {
    const uint64_t address = call[argument.index];
    if (argument.call != number || !address)
      continue;
    const uint64_t n = argument.number;
    switch (argument.length) {
    case Length::kBytes:
      note(address, n, argument.write);
      break;
    case Length::kResult:
      note(address, n * static_cast<uint64_t>(result), argument.write);
      break;
    case Length::kArgument:
      note(address, call[n], argument.write);
      break;
    case Length::kEights:
      note(address, call[n] * 8, argument.write);
      break;
    case Length::kWord:
      if (call[n]) {
        const auto *word = reinterpret_cast<const std::uint32_t *>(call[n]);
        note(address, *word, argument.write);
        note(call[n], 4, kRead);
        note(call[n], 4, kWrite);
      }
      break;
    case Length::kString:
      note(address, std::strlen(reinterpret_cast<const char *>(address)) + 1,
           argument.write);
      break;
    case Length::kPieces:
      pieces(reinterpret_cast<const iovec *>(address), call[n], argument.write);
      break;
    case Length::kMessage: {
      const auto &message = *reinterpret_cast<const msghdr *>(address);
      note(address, sizeof(message), kRead);
      if (argument.write)
        note(address, sizeof(message), kWrite);
      note(reinterpret_cast<uint64_t>(message.msg_name), message.msg_namelen,
           argument.write);
      note(reinterpret_cast<uint64_t>(message.msg_control),
           message.msg_controllen, argument.write);
      pieces(message.msg_iov, message.msg_iovlen, argument.write);
      break;
    }
    }
  }
  // Calls with an argument that is a pointer for some requests only.
  if (number == SYS_fcntl && (call[1] == F_GETLK || call[1] == F_SETLK ||
                              call[1] == F_SETLKW)) {
    note(call[2], sizeof(struct flock), kRead);
    if (call[1] == F_GETLK)
      note(call[2], sizeof(struct flock), kWrite);
  }
  constexpr uint64_t kTcgets = 0x5401, kTiocgwinsz = 0x5413, kFionread = 0x541b;
  if (number == SYS_ioctl &&
      (call[1] == kTcgets || call[1] == kTiocgwinsz || call[1] == kFionread))
    note(call[2], call[1] == kTcgets ? 36 : call[1] == kTiocgwinsz ? 8 : 4,
         kWrite);
}

} // namespace oracle

#endif // PAGETIDE_TEST_ORACLE_SYSCALLS_H

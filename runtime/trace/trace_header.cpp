//===- trace_header.cpp - The beginning of a trace ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_header.h"

#include "platform/fork_reset.h"
#include "platform/options.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"
#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/syscall.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

/// Value of a hexadecimal digit, or 16.
static u8 HexDigit(char c) {
  if (c >= '0' && c <= '9')
    return (u8)(c - '0');
  return c >= 'a' && c <= 'f' ? (u8)(c - 'a' + 10) : 16;
}

void EncodeRunId(PageVec<u8> &frames) {
  const char *text = GetFlags().run_id;
  u8 id[kRunIdBytes];
  for (u8 &byte : id) {
    const u8 high = HexDigit(text[0]);
    const u8 low = high < 16 ? HexDigit(text[1]) : 16;
    if (low == 16)
      return;
    byte = (u8)(high << 4 | low);
    text += 2;
  }
  uptr frame = BeginPendingFrame(frames, FrameType::kRunId);
  Encoder encoder(frames);
  encoder.run_id(id);
  EndPendingFrame(frames, frame);
}

static uptr ReadLink(const char *path, char *text, uptr room) {
  const uptr n =
      Syscall(SYS_readlinkat, (uptr)AT_FDCWD, (uptr)path, (uptr)text, room);
  return Failed(n) ? 0 : n;
}

static void ReadArgumentsFrom(const char *path, PageVec<char> &arguments) {
  const uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return;
  constexpr uptr kMaxBytes = 1 << 20; // must fit in a frame
  char text[4096];
  uptr n;
  while (arguments.size() < kMaxBytes &&
         !Failed(n = Syscall(SYS_read, fd, (uptr)text, sizeof(text))) && n)
    for (uptr i = 0; i < n; ++i)
      arguments.push_back(text[i]);
  Syscall(SYS_close, fd);
  // A title may fill all the room that the kernel knows of.
  if (!arguments.empty() && arguments.data()[arguments.size() - 1])
    arguments.push_back(0);
}

/// The command line as it is now: each argument ends with a zero. A program may
/// have put a title in its place.
static void ReadArguments(PageVec<char> &arguments) {
  ReadArgumentsFrom("/proc/self/cmdline", arguments);
  // The process has none any more once its first thread has ended.
  if (arguments.empty())
    ReadArgumentsFrom("/proc/thread-self/cmdline", arguments);
}

static u64 HashOf(const PageVec<char> &text) {
  return XXH3_64bits(text.data(), text.size());
}

namespace {
struct KnownCommandLine {
  PageVec<char> now;
  u64 hash;
  u64 time; ///< of the last look
};
} // namespace

PAGETIDE_RECORDER_STATE static KnownCommandLine known_command_line;

void EncodeChangedProcess(PageVec<u8> &frames, const char *engine, u64 now,
                          bool at_once) {
  constexpr u64 kInterval = 1000 * kNsPerMs;
  if (!at_once && now - known_command_line.time < kInterval)
    return;
  known_command_line.time = now;
  PageVec<char> &arguments = known_command_line.now;
  arguments.clear();
  ReadArguments(arguments);
  if (arguments.empty() || HashOf(arguments) == known_command_line.hash)
    return;
  // Half a frame must not stay if memory runs out (bailout.h).
  constexpr uptr kRest = 32 << 10;
  frames.reserve(frames.size() + 2 * arguments.size() + kRest);
  EncodeProcess(frames, engine);
}

void EncodeProcess(PageVec<u8> &frames, const char *engine) {
  uptr frame = BeginPendingFrame(frames, FrameType::kProcess);
  Encoder encoder(frames);
  // The process has none any more once its first thread has ended.
  char executable[4096];
  uptr executable_bytes =
      ReadLink("/proc/self/exe", executable, sizeof(executable));
  if (!executable_bytes)
    executable_bytes =
        ReadLink("/proc/thread-self/exe", executable, sizeof(executable));
  PageVec<char> arguments;
  ReadArguments(arguments);
  known_command_line.hash = HashOf(arguments);
  u64 count = 0;
  for (char c : arguments)
    count += c == 0;
  encoder.process({executable, executable_bytes}, count);
  const char *argument = arguments.data();
  for (u64 i = 0; i < count; ++i) {
    const Text text_of = TextOf(argument);
    encoder.string(text_of);
    argument += text_of.bytes + 1;
  }
  arguments.Free();
  encoder.process_end(TextOf(FlagsAsText()), TextOf(engine),
                      TextOf(PAGETIDE_VERSION));
  EndPendingFrame(frames, frame);
}

FileHeader MakeHeader(u64 now) {
  FileHeader header = {};
  internal_memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version_major = kVersionMajor;
  header.version_minor = kVersionMinor;
  header.header_bytes = sizeof(header);
  header.layout = (u32)shadow.layout;
  // To readers the unit is the granule. With smaller cells it is near.
  const bool near = shadow.cells_per_granule_shift != 0;
  header.cell_shift = (u8)(near ? shadow.cell_shift : shadow.unit_shift);
  header.granule_shift = (u8)shadow.unit_shift;
  header.flags = shadow.module.flags & abi::kModuleSkipsConstants
                     ? kHeaderSkipsConstants
                     : 0;
  if (shadow.with_sites)
    header.flags |= kHeaderSites;
  if (shadow.marks_late)
    header.flags |= kHeaderMarksLate;
  header.pid = ServedProcess();
  header.parent_pid = (u32)Syscall(SYS_getppid);
  header.page_bytes = 4096;
  header.monotonic_ns = now;
  header.realtime_ns = RealtimeNs();
  return header;
}

} // namespace pagetide

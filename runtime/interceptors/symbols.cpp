//===- symbols.cpp - Frames, and the names of addresses -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A crash handler prints what it prints without Pagetide: no frame of an
// interceptor, and names of functions though their marked copies run.

#include "interceptors/interceptor.h"
#include "interceptors/marked_copies.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <sys/mman.h>
#include <sys/syscall.h>

using namespace pagetide;

extern "C" void *malloc(SIZE_T bytes);

/// Memory for one call, also of a signal handler.
static void *MapScratch(uptr bytes) {
  const uptr result = Syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, (uptr)-1);
  return Failed(result) ? nullptr : (void *)result;
}
static void UnmapScratch(void *block, uptr bytes) {
  Syscall(SYS_munmap, (uptr)block, bytes);
}

static void WriteAll(int fd, const char *text, uptr bytes) {
  while (bytes) {
    const uptr written = Syscall(SYS_write, (uptr)fd, (uptr)text, bytes);
    if (Failed(written))
      return;
    text += written;
    bytes -= written;
  }
}

//===- Frames -------------------------------------------------------------===//

/// Removes from `frames` those in front that are of this library. Returns how
/// many are left.
static int DropOwnFrames(void **frames, int count) {
  int own = 0;
  while (own < count && IsOwnCode(frames[own]))
    ++own;
  __sanitizer::internal_memmove((void *)frames, (const void *)(frames + own),
                                (uptr)(count - own) * sizeof(void *));
  return count - own;
}

PAGETIDE_INTERCEPTOR(int, backtrace, void **frames, int size) {
  const int count = RESOLVED(backtrace)(frames, size);
  if (count <= 0)
    return count;
  int kept = DropOwnFrames(frames, count);
  const int own = count - kept;
  if (count == size && own > 0) {
    // Perhaps there are as many more, for which this has no room.
    const uptr bytes = (uptr)(size + own) * sizeof(void *);
    void *block = MapScratch(bytes);
    if (block) {
      auto **more = (void **)block;
      kept = DropOwnFrames(more, RESOLVED(backtrace)(more, size + own));
      kept = Min(kept, size);
      __sanitizer::internal_memcpy((void *)frames, (const void *)more,
                                   (uptr)kept * sizeof(void *));
      UnmapScratch(block, bytes);
    }
  }
  DidWrite((void *)frames, (uptr)count * sizeof(void *));
  return kept;
}

//===- Names --------------------------------------------------------------===//

namespace pagetide {
struct SymbolOfAddress { ///< Dl_info
  const char *file;
  void *base;
  const char *name;
  void *symbol;
};
} // namespace pagetide

namespace {

constexpr int kWantsSymbol = 1, kWantsFile = 2; ///< RTLD_DL_SYMENT, _LINKMAP

struct NamedAddress {
  const char *file = "";
  const char *name = "";
  uptr begin = 0; ///< of what has the name, or where the file is loaded
};

} // namespace

/// What natively has the address of an interceptor.
static const void *Natively(const void *address) {
  if (!IsOwnCode(address))
    return address;
  const RealFunctions all = AllRealFunctions();
  for (const RealFunction *f = all.begin; f < all.end; ++f)
    if (f->Exported() == address) {
      const void *real = ResolveReal(f->Name());
      return real ? real : address;
    }
  return address;
}

/// Makes what libc says of `native` an answer for `address`. True if that is in
/// a marked copy: then the answer names the copied function.
static bool NameAsked(const void *address, const void *native,
                      SymbolOfAddress &info, CopiedFunction &found) {
  if (info.symbol == native)
    info.symbol = (void *)address;
  if (info.name || !FindCopiedFunction((uptr)address, found))
    return false;
  info.name = found.name;
  info.symbol = (void *)found.function;
  return true;
}

PAGETIDE_INTERCEPTOR(int, dladdr, const void *address, SymbolOfAddress *info) {
  const void *const native = Natively(address);
  const int result = RESOLVED(dladdr)(native, info);
  CopiedFunction found;
  if (result)
    NameAsked(address, native, *info, found);
  if (result)
    DidWriteAt(info);
  return result;
}

PAGETIDE_INTERCEPTOR(int, dladdr1, const void *address, SymbolOfAddress *info,
                     const void **more, int wanted) {
  const void *const native = Natively(address);
  const int result = RESOLVED(dladdr1)(native, info, more, wanted);
  CopiedFunction found;
  if (result && NameAsked(address, native, *info, found) &&
      wanted == kWantsSymbol)
    *more = found.symbol;
  if (result)
    DidWriteAt(info);
  if (result && (wanted == kWantsSymbol || wanted == kWantsFile))
    DidWriteAt(more);
  return result;
}

/// What libc prints of an address. A copy's offset is that from its beginning.
static NamedAddress NameOf(const void *address) {
  NamedAddress result;
  SymbolOfAddress info;
  const void *file = nullptr;
  if (!RESOLVED(dladdr1)(address, &info, &file, kWantsFile) || !info.file)
    return result;
  result.file = info.file;
  result.begin = info.name ? (uptr)info.symbol : *(const uptr *)file; // l_addr
  CopiedFunction found;
  if (info.name) {
    result.name = info.name;
  } else if (FindCopiedFunction((uptr)address, found)) {
    result.name = found.name;
    result.begin = found.copy;
  }
  return result;
}

/// Bytes that a line needs at most, besides its names.
constexpr uptr kLineBytes = 64;

/// As libc: FILE(NAME+OFFSET), then `between`, then [ADDRESS].
static uptr PrintLine(char *line, uptr room, const void *address,
                      const char *between) {
  const NamedAddress named = NameOf(address);
  if (!*named.file)
    return (uptr)__sanitizer::internal_snprintf(line, room, "[0x%zx]",
                                                (uptr)address);
  char offset[kLineBytes / 2] = "";
  const uptr distance = (uptr)address - named.begin;
  if (*named.name || named.begin)
    __sanitizer::internal_snprintf(offset, sizeof(offset),
                                   (sptr)distance < 0 ? "-0x%zx" : "+0x%zx",
                                   (sptr)distance < 0 ? -distance : distance);
  return (uptr)__sanitizer::internal_snprintf(line, room, "%s(%s%s)%s[0x%zx]",
                                              named.file, named.name, offset,
                                              between, (uptr)address);
}

static uptr RoomForLine(const void *address) {
  const NamedAddress named = NameOf(address);
  return Length(named.file) + Length(named.name) + kLineBytes;
}

static bool HasCopies(void *const *addresses, int count) {
  CopiedFunction found;
  for (int i = 0; i < count; ++i)
    if (FindCopiedFunction((uptr)addresses[i], found))
      return true;
  return false;
}

PAGETIDE_INTERCEPTOR(char **, backtrace_symbols, void *const *addresses,
                     int count) {
  DidRead((const void *)addresses,
          count > 0 ? (uptr)count * sizeof(void *) : 0);
  if (!HasCopies(addresses, count)) {
    char **lines = RESOLVED(backtrace_symbols)(addresses, count);
    for (int i = 0; lines && i < count; ++i) {
      DidWriteAt(&lines[i]);
      DidWriteString(lines[i]);
    }
    return lines;
  }
  uptr bytes = (uptr)count * sizeof(char *);
  for (int i = 0; i < count; ++i)
    bytes += RoomForLine(addresses[i]);
  auto **lines = (char **)malloc(bytes); // the program frees it
  if (!lines)
    return nullptr;
  char *line = (char *)(lines + count);
  for (int i = 0; i < count; ++i) {
    lines[i] = line;
    line += PrintLine(line, RoomForLine(addresses[i]), addresses[i], " ") + 1;
  }
  DidWrite((void *)lines, (uptr)(line - (char *)lines));
  return lines;
}

PAGETIDE_INTERCEPTOR(void, backtrace_symbols_fd, void *const *addresses,
                     int count, int fd) {
  DidRead((const void *)addresses,
          count > 0 ? (uptr)count * sizeof(void *) : 0);
  for (int i = 0; i < count; ++i) {
    CopiedFunction found;
    if (!FindCopiedFunction((uptr)addresses[i], found)) {
      RESOLVED(backtrace_symbols_fd)(addresses + i, 1, fd);
      continue;
    }
    const uptr room = RoomForLine(addresses[i]) + 1;
    void *block = MapScratch(room);
    if (!block)
      continue;
    char *line = (char *)block;
    uptr bytes = PrintLine(line, room, addresses[i], "");
    line[bytes++] = '\n';
    WriteAll(fd, line, bytes);
    UnmapScratch(block, room);
  }
}

//===- relative_hash.cpp - Hashes that do not depend on where memory lies -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/relative_hash.h"

#include "platform/fork_reset.h"
#include "platform/program_memory.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <sys/auxv.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

using namespace __sanitizer;

namespace pagetide {

constexpr uptr kBlockBytes = 4096;
constexpr uptr kBlockWords = kBlockBytes / sizeof(u64);

/// Addresses from `start` to `end`, and one past them: a pointer behind the
/// last element is one. They are replaced by their distance from `origin`, in a
/// form that names the mapping.
struct Pointed {
  u64 start, end, origin, name;
};

/// What takes the place of a value that is random in each run.
constexpr u64 kCanaryWord = 0x50676361'6e617279;
constexpr u64 kRandomWords[2] = {0x50677261'6e646f30, 0x50677261'6e646f31};
/// Null, hidden as addresses are.
constexpr u64 kLinkedNull = 0x50676c69'6e6b6564;
constexpr u64 kGuardedNull = 0x50676775'61726465;

struct RelativeState {
  bool wanted;
  PageVec<Pointed> pointed; ///< sorted, without overlap
  u64 canary;               ///< 0: not known
  u64 random[2];            ///< the kernel's random bytes (AT_RANDOM)
};
PAGETIDE_RECORDER_STATE static RelativeState relative;

bool HasRelativeMappings() { return relative.wanted; }

/// The last part of a mapping's path: its folders may differ between the runs.
static u64 HashOfName(const char *name) {
  const char *slash = internal_strrchr(name, '/');
  const char *last = slash ? slash + 1 : name;
  return XXH3_64bits(last, internal_strlen(last));
}

/// The kernel moves the stack by less than a page below AT_RANDOM's bytes. The
/// texts of arguments and environment are above, at fixed distances from the
/// mapping's end.
static void AddStack(const Mapping &m, u64 random_at, u64 name) {
  constexpr u64 kRandomBytes = 16, kPlatformBytes = 8; // "x86_64" is behind
  const u64 end = m.start + m.bytes;
  const u64 texts = random_at + kRandomBytes + kPlatformBytes;
  if (random_at <= m.start || texts >= end) {
    relative.pointed.push_back({m.start, end, end, name});
    return;
  }
  relative.pointed.push_back({m.start, texts, random_at, name});
  relative.pointed.push_back({texts, end, end, name});
}

/// glibc makes the canary of AT_RANDOM's first word, without its lowest byte:
/// that is 0, so that no text reveals it.
static void LearnRandomWords(u64 random_at) {
  relative.canary = 0;
  if (!random_at || !ReadIfMapped(relative.random, random_at, 16)) {
    relative.random[0] = relative.random[1] = 0;
    return;
  }
  relative.canary = relative.random[0] & ~u64{0xff};
}

void SetRelativeMappings(const MappingList &mappings) {
  relative.wanted = true;
  relative.pointed.clear();
  const u64 random_at = getauxval(AT_RANDOM);
  LearnRandomWords(random_at);
  for (const Mapping &m : mappings.entries) {
    const char *name = mappings.NameOf(m);
    const u64 named = HashOfName(name);
    if (internal_strcmp(name, "[stack]") == 0)
      AddStack(m, random_at, named);
    else
      relative.pointed.push_back({m.start, m.start + m.bytes, m.start, named});
  }
}

/// The mapping that an address lies in, or right behind. Null if there is none.
static const Pointed *FindPointed(u64 address) {
  const PageVec<Pointed> &list = relative.pointed;
  if (list.empty() || address < list[0].start || address > list.end()[-1].end)
    return nullptr;
  const uptr next = InternalLowerBound(
      list, address, [](const Pointed &p, u64 at) { return p.start <= at; });
  const Pointed &found = list[next - 1];
  return address <= found.end ? &found : nullptr;
}

/// An odd factor spreads the distance over all bits, so that no number of the
/// program is likely to be the same.
static u64 WordOf(const Pointed &pointed, u64 address, u64 kind) {
  return ((address - pointed.origin) * 0x9E3779B97F4A7C15) ^
         (pointed.name + kind);
}

static u64 Unrotated(u64 word) { return word >> 17 | word << 47; }

/// `at` is where the word lies.
static u64 RelativeWord(u64 word, u64 at) {
  if (word == relative.canary || word == relative.random[0])
    return word == relative.canary ? kCanaryWord : kRandomWords[0];
  if (word == relative.random[1])
    return kRandomWords[1];
  if (const Pointed *pointed = FindPointed(word))
    return WordOf(*pointed, word, 0);
  // glibc's malloc hides addresses in free blocks by where they lie.
  const u64 linked = word ^ (at >> 12);
  if (linked == 0)
    return kLinkedNull;
  if (const Pointed *pointed = FindPointed(linked))
    return WordOf(*pointed, linked, 1);
  // setjmp and atexit hide them by AT_RANDOM's second word, rotated.
  const u64 guarded = Unrotated(word) ^ relative.random[1];
  if (guarded == 0)
    return kGuardedNull;
  if (const Pointed *pointed = FindPointed(guarded))
    return WordOf(*pointed, guarded, 2);
  return word;
}

u64 RelativeHash(u64 hash, u64 address, const u8 *bytes, uptr count) {
  PAGETIDE_RECORDER_STATE static u64 block[kBlockWords];
  for (uptr done = 0; done < count; done += kBlockBytes) {
    const uptr here = count - done < kBlockBytes ? count - done : kBlockBytes;
    internal_memcpy(block, bytes + done, here);
    for (uptr i = 0; i < here / sizeof(u64); ++i)
      if (block[i] != 0)
        block[i] = RelativeWord(block[i], address + done + i * sizeof(u64));
    hash = XXH3_64bits_withSeed(block, here, hash);
  }
  return hash;
}

} // namespace pagetide

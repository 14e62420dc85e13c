//===- containers.cpp - Containers of C++ that outlive the program --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   containers FOLDER [+]STEPS
//
// An index of texts, in containers whose allocator takes memory of the arena.
// The allocator has no state, so the containers hold pointers into the arena
// only. None leads to code or to other memory: the executable may be at another
// address in each run.
//
//===----------------------------------------------------------------------===//

#include "arena.h"

#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

template <typename T> struct ArenaAllocator {
  using value_type = T;
  ArenaAllocator() = default;
  template <typename U> ArenaAllocator(const ArenaAllocator<U> &) {}
  T *allocate(std::size_t count) {
    if (void *block = arena_allocate(count * sizeof(T)))
      return static_cast<T *>(block);
    throw std::bad_alloc();
  }
  void deallocate(T *block, std::size_t count) {
    arena_free(static_cast<void *>(block), count * sizeof(T));
  }
  bool operator==(const ArenaAllocator &) const { return true; }
  bool operator!=(const ArenaAllocator &) const { return false; }
};

using String =
    std::basic_string<char, std::char_traits<char>, ArenaAllocator<char>>;
template <typename T> using Vector = std::vector<T, ArenaAllocator<T>>;
template <typename Key, typename T>
using Map =
    std::map<Key, T, std::less<Key>, ArenaAllocator<std::pair<const Key, T>>>;
struct StringHash {
  std::size_t operator()(const String &text) const {
    return std::hash<std::string_view>()(text);
  }
};
template <typename T>
using HashMap = std::unordered_map<String, T, StringHash, std::equal_to<String>,
                                   ArenaAllocator<std::pair<const String, T>>>;

constexpr std::uint64_t kTexts = 5000, kStepsPerSave = 10;

struct Index {
  std::uint64_t step = 0;
  Map<std::uint64_t, String> texts;
  /// Within a page: libstdc++ writes a member of it without a mark.
  alignas(64) HashMap<Vector<std::uint64_t>> texts_with;
};

String word(std::uint64_t number) {
  String text = "a word that is longer than others ";
  text.resize(number % 30 + 4);
  for (; number > 0; number /= 26)
    text += static_cast<char>('a' + number % 26);
  return text;
}

/// Adds a text of some words. Removes another, when there are many.
void advance(Index &index) {
  std::uint64_t seed = ++index.step * 2654435761u;
  String text;
  for (int i = 0; i < 6; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const String added = word((seed >> 33) % 20000);
    index.texts_with[added].push_back(index.step);
    text += added;
    text += ' ';
  }
  index.texts.emplace(seed, text);
  if (index.texts.size() > kTexts) {
    const auto gone = index.texts.lower_bound(seed / 2);
    if (gone != index.texts.end())
      index.texts.erase(gone);
    index.texts_with.erase(word((seed >> 20) % 20000));
  }
}

/// Of all content, in the order in which the containers have it.
std::uint64_t digest_of(const Index &index) {
  std::uint64_t sum = index.step;
  for (const auto &[key, text] : index.texts)
    sum = digest(sum ^ key, text.data(), text.size());
  for (const auto &[text, places] : index.texts_with) {
    sum = digest(sum, text.data(), text.size());
    sum = digest(sum, places.data(), places.size() * sizeof(places[0]));
  }
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: containers FOLDER [+]STEPS\n");
    return 2;
  }
  arena_map(std::size_t(1) << 30);
  pagetide_checkpoint *checkpoint = open_folder(argv[1]);
  if (arena_restore(checkpoint)) {
    const Index &restored = *static_cast<Index *>(arena->root);
    say("going on from", restored.step, digest_of(restored));
  } else {
    // The arena's first block is aligned to 64 bytes.
    Index *index = new (arena_allocate(sizeof(Index))) Index;
    while (index->step < kTexts)
      advance(*index);
    arena->root = index;
  }
  Index &index = *static_cast<Index *>(arena->root);
  for (const std::uint64_t last = last_step(argv[2], index.step);
       index.step < last;) {
    advance(index);
    if (index.step % kStepsPerSave == 0) {
      say("saving", index.step, digest_of(index));
      arena_protect(checkpoint);
      must(pagetide_checkpoint_save(checkpoint, nullptr));
    }
  }
  say("ended at", index.step, digest_of(index));
}

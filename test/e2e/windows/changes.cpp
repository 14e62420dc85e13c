//===- changes.cpp - Code changes its copy and computes what it should ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread switches marks off and on some ten thousand times while another one
// throws, jumps, sorts and walks. It computes what it does natively.
// RUN: %clang -O2 -c %S/Inputs/marks_on.c -o %t.o
// RUN: %clangxx -std=c++20 -O2 -DNATIVE %s -o %t.native && %t.native > %t.out
// RUN: %pagetide_clangxx -std=c++20 -O2 -fpagetide-mode=windows %s %t.o \
// RUN:   -o %t.O2
// RUN: %pagetide record -o %t.O2.ptrace -- %t.O2 | diff %t.out -
// RUN: %pagetide_clangxx -std=c++20 -O0 -fpagetide-mode=windows %s %t.o \
// RUN:   -o %t.O0
// RUN: %pagetide record -o %t.O0.ptrace -- %t.O0 | diff %t.out -

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" void change_marks(void);

static std::atomic<bool> done;
static unsigned changes;

#ifndef NATIVE
static void change_often() {
  while (!done) {
    const timespec pause = {0, 20000};
    nanosleep(&pause, nullptr);
    change_marks();
    ++changes;
  }
}
#endif

static long live;
struct Guard {
  Guard() { ++live; }
  ~Guard() { --live; }
};

__attribute__((noinline)) static unsigned risky(unsigned i, std::string &out) {
  Guard guard;
  const std::string local = "x" + std::to_string(i);
  if (i % 7 == 3)
    throw std::runtime_error(local);
  if (i % 11 == 5)
    throw i;
  out += local;
  return local.size();
}

__attribute__((noinline)) static unsigned
middle(unsigned i, std::map<unsigned, std::string> &texts) {
  Guard guard;
  std::string text;
  try {
    const unsigned result = risky(i, text);
    texts[i % 100] += text;
    if (texts[i % 100].size() > 200)
      texts[i % 100].clear();
    return result;
  } catch (unsigned value) {
    Guard inner;
    return value;
  }
}

static std::jmp_buf place;
__attribute__((noinline)) static void jump_from(unsigned depth) {
  volatile unsigned frame[64];
  for (unsigned i = 0; i < 64; ++i)
    frame[i] = depth + i;
  if (depth == 0)
    std::longjmp(place, 5);
  jump_from(depth - 1);
  frame[3] = 0;
}

__attribute__((noinline)) static uint64_t walk(std::vector<uint32_t> &cells) {
  uint64_t sum = 0;
  for (uint32_t &cell : cells)
    if (cell & 1)
      sum += cell;
    else
      cell += static_cast<uint32_t>(sum);
  return sum;
}

int main() {
  std::thread changer;
#ifndef NATIVE
  changer = std::thread(change_often);
#endif
  std::map<unsigned, std::string> texts;
  std::vector<uint32_t> cells(5000);
  std::vector<unsigned> numbers;
  uint64_t sum = 0;
  for (unsigned i = 0; i < 60000; ++i) {
    try {
      sum += middle(i, texts);
    } catch (const std::exception &e) {
      sum += std::string(e.what()).size() * 3;
    }
    if (i % 1000 == 0) {
      if (int jumped = setjmp(place))
        sum += static_cast<unsigned>(jumped);
      else
        jump_from(20);
    }
    numbers.push_back(i * 7919U % 1013);
    if (i % 4096 == 0) {
      std::sort(numbers.begin(), numbers.end(),
                [](unsigned a, unsigned b) { return a > b; });
      for (unsigned number : numbers)
        sum = sum * 31 + number;
      numbers.clear();
    }
    if (i % 100 == 0) {
      cells[i % 5000] = i;
      sum += walk(cells);
    }
  }
  for (const auto &[key, text] : texts)
    sum = sum * 31 + key + text.size();
  done = true;
  if (changer.joinable())
    changer.join();
  std::printf("%llu %ld\n", static_cast<unsigned long long>(sum), live);
#ifndef NATIVE
  if (changes < 100)
    std::printf("only %u changes\n", changes);
#endif
}

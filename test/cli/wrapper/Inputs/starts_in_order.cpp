//===- starts_in_order.cpp - Says in which order initialisers run ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdio>

namespace {

char order[16];
int count;

void note(char letter) { order[count++] = letter; }

struct Noted {
  explicit Noted(char letter) { note(letter); }
};

void by_pointer() { note('p'); }
[[gnu::section(".init_array"), gnu::used]] void (*pointer)() = by_pointer;

[[gnu::constructor(101)]] void early() { note('e'); }
[[gnu::constructor]] void constructor() { note('c'); }

Noted ordinary('o');

} // namespace

inline Noted of_all_files('i');

template <class T> struct Of {
  static Noted member;
};
template <class T> Noted Of<T>::member('t');
template struct Of<int>;

int main() { std::puts(order); }

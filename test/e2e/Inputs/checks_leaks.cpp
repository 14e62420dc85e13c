//===- checks_leaks.cpp - Looks for leaks while threads write -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstdio>
#include <sanitizer/lsan_interface.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> stop{false};
static long area[4][8192];

int main() {
  constexpr int kChecks = 40;
  std::vector<std::thread> threads;
  for (auto &part : area)
    threads.emplace_back([&part] {
      // Only a register of this thread knows the block.
      volatile char *block = new char[64];
      for (unsigned long i = 0; !stop; ++i)
        part[i % 8192] += block[i % 64] = 1;
      delete[] block;
    });
  int found = 0;
  for (int i = 0; i < kChecks; ++i) {
    found += __lsan_do_recoverable_leak_check();
    usleep(2000);
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%d checks found leaks\n", found);
  return found;
}

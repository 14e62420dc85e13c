//===- threads_test.cpp - Tests of work on several threads ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/threads.h"

#include "checkpoint/sample_folder.h"
#include "format/error.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pagetide::checkpoint {

namespace {

TEST(CheckpointThreads, GiveEachNumberOnce) {
  for (const std::size_t count : {0, 1, 7, 8, 100, 10000}) {
    std::vector<std::atomic<int>> given(count);
    in_parallel(count, [&](const NextIndex &next) {
      for (std::size_t i = 0; next(i);)
        ++given.at(i);
    });
    for (const std::atomic<int> &times : given)
      EXPECT_EQ(times, 1);
  }
}

TEST(CheckpointThreads, AreSeveralWithoutSignals) {
  cpu_set_t processors;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(processors), &processors), 0);
  if (CPU_COUNT(&processors) < 2)
    GTEST_SKIP() << "there is one processor";
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> threads = 0;
  std::atomic<int> with_signals = 0;
  in_parallel(1000, [&](const NextIndex &next) {
    ++threads;
    while (threads < 2 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (std::this_thread::get_id() != caller)
      with_signals += ::sigismember(&blocked, SIGUSR1) != 1;
    for (std::size_t i = 0; next(i);)
      continue;
  });
  EXPECT_GE(threads, 2);
  EXPECT_EQ(with_signals, 0);
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGUSR1), 0);
}

TEST(CheckpointThreads, EndWithAnException) {
  std::atomic<std::size_t> done = 0;
  try {
    in_parallel(100000, [&](const NextIndex &next) {
      for (std::size_t i = 0; next(i); ++done)
        if (i == 50)
          throw std::runtime_error("number 50");
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "number 50");
  }
  EXPECT_GE(done, 50u); // all that were given before
}

/// A base and increments of many blocks each.
void make_large_chain(SampleFolder &sample) {
  constexpr std::size_t kBytes = 40 * kBlockBytes + 5;
  sample.memory[3] = sample_bytes(kBytes, 1);
  sample.save(0);
  for (std::uint64_t parent = 1; parent <= 3; ++parent) {
    std::vector<SampleFolder::Range> changed;
    for (std::size_t at = 7 * parent; at + 3000 < kBytes; at += 90000) {
      sample.change(3, at, at + 3000);
      changed.push_back({3, at, at + 3000});
    }
    sample.save(parent, changed);
  }
}

TEST(CheckpointThreads, RestoreManyBlocks) {
  SampleFolder sample;
  make_large_chain(sample);
  for (const auto &[number, memory] : sample.saved)
    EXPECT_TRUE(sample.restored(number) == memory) << number;
}

TEST(CheckpointThreads, NameAFileThatIsDamaged) {
  SampleFolder sample;
  make_large_chain(sample);
  const Chain chain = Chain::load(sample.folder(), 4);
  chain.verify_in_parallel();
  const NeededBlock &last = chain.needed().back();
  const std::string path = chain.data(last.member).path();
  const File file(path, O_WRONLY);
  const std::uint8_t byte = 0x55;
  for (std::uint64_t i = 0; i < chain.block(last).stored_bytes; i += 3)
    ASSERT_EQ(::pwrite(file.fd(), &byte, 1,
                       static_cast<off_t>(chain.block(last).file_offset + i)),
              1);
  // Between the two passes, and before the first.
  for (const bool verifies : {false, true}) {
    try {
      if (verifies)
        chain.verify_in_parallel();
      else
        SampleFolder::content_of(chain);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error &error) {
      EXPECT_EQ(error.problem(), Problem::kDamaged);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    }
  }
}

} // namespace

} // namespace pagetide::checkpoint

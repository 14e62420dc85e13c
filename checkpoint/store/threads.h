//===- threads.h - Threads of our own, within a program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace pagetide::checkpoint {

/// The program's handlers do not run on the new thread. Throws std::bad_alloc.
std::thread thread_without_signals(const std::function<void()> &run);

/// Calls work(next) on the calling thread, and on further ones if there are
/// processors for them. next(i) gives each of the numbers from 0 to count-1
/// once, and false when there is none left. If calls throw, the others end with
/// their number, and the exception of the lowest number is thrown.
using NextIndex = std::function<bool(std::size_t &index)>;
void in_parallel(std::size_t count,
                 const std::function<void(const NextIndex &next)> &work);

} // namespace pagetide::checkpoint

// Coroutines are split by the time they are marked: the parts are functions with
// a frame in ordinary memory. The verifier is content at every level.

// RUN: %clangxx_pagetide -std=c++20 -O0 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clangxx_pagetide -std=c++20 -O2 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clangxx_pagetide -std=c++20 -O0 -c -emit-llvm -o - %s | %opt -passes=verify -disable-output
// RUN: %clangxx_pagetide -std=c++20 -O2 -c -emit-llvm -o - %s | %opt -passes=verify -disable-output
// RUN: %clangxx_pagetide -std=c++20 -O2 -Werror -c -o /dev/null %s

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<> handle;
};

// The pointer is kept in the frame: one mark for its reading there, one for the
// store through it.
// CHECK-LABEL: define internal {{.*}} @_Z5writePi.resume(
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK:         [[P:%.+]] = load ptr, ptr
// CHECK:         ptrtoint ptr [[P]] to i64
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    store i32 1, ptr [[P]]
Task write(int *p) {
  *p = 1;
  co_return;
}

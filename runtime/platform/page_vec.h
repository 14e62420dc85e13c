//===- page_vec.h - An array in pages of its own --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/bailout.h"
#include "platform/own_memory.h"

namespace pagetide {

/// A part of an array.
template <typename T> struct Span {
  const T *first;
  uptr count;
  uptr size() const { return count; }
  const T &operator[](uptr i) const { return first[i]; }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
};

/// A growing array in pages of its own. It needs neither an allocator nor
/// locks, so that it works on raw threads and survives fork. Elements must be
/// trivially copyable. It keeps its memory when cleared.
template <typename T> class PageVec {
public:
  uptr size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T &operator[](uptr i) { return data_[i]; }
  const T &operator[](uptr i) const { return data_[i]; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &back() { return data_[size_ - 1]; }
  void clear() { size_ = 0; }
  void push_back(const T &value) {
    if (size_ == capacity_)
      Grow(size_ + 1);
    data_[size_++] = value;
  }
  void resize(uptr size) {
    if (size > capacity_)
      Grow(size);
    size_ = size;
  }
  void assign(const PageVec &other) {
    clear();
    reserve(other.size());
    for (const T &value : other)
      data_[size_++] = value;
  }
  void reserve(uptr size) {
    if (size > capacity_)
      Grow(size);
  }
  /// False if memory ran out. Otherwise growing to `size` cannot fail.
  bool TryReserve(uptr size) { return size <= capacity_ || TryGrow(size); }
  void swap(PageVec &other) noexcept {
    PageVec t = *this;
    *this = other;
    other = t;
  }
  /// Gives the memory back.
  void Free() {
    if (data_)
      Unmap(data_, bytes_);
    *this = PageVec();
  }

private:
  void Grow(uptr at_least);
  bool TryGrow(uptr at_least);
  T *data_ = nullptr;
  uptr size_ = 0;
  uptr capacity_ = 0;
  uptr bytes_ = 0;
};

template <typename T> bool PageVec<T>::TryGrow(uptr at_least) {
  uptr want = capacity_ * 2 > at_least ? capacity_ * 2 : at_least;
  void *grown = GrowPages(data_, bytes_, want * sizeof(T), &bytes_);
  if (!grown)
    return false;
  data_ = (T *)grown;
  capacity_ = bytes_ / sizeof(T);
  return true;
}

/// Calls BailOut because memory ran out.
[[noreturn]] inline void BailOutWithoutMemory(uptr bytes) {
  BailOut("out of memory: %zu KiB wanted for page sets (raise the limit on "
          "memory, ulimit -d or -v, or shorten the period)",
          (bytes >> 10) + 1);
}

template <typename T> void PageVec<T>::Grow(uptr at_least) {
  if (!TryGrow(at_least))
    BailOutWithoutMemory(at_least * sizeof(T));
}

} // namespace pagetide

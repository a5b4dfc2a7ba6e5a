#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "lab/check.hpp"

/// @file
/// Page-locked host memory that frees itself.

namespace lab {

/// Host memory that stays where it is, for `size` elements of `T`: the device copies to and from it while the
/// host goes on. Its contents are not set.
///
/// Leave a buffer alone, and alive, until the copies that use it are done.
template <class T>
class pinned_buffer {
 public:
  /// Allocates page-locked memory; no elements take none.
  /// @throws cuda_error also where there is not enough memory
  explicit pinned_buffer(std::size_t size) : size_(size) {
    void* allocated = nullptr;
    if (size != 0) CUDA_CHECK(cudaMallocHost(&allocated, size_bytes()));
    data_.reset(static_cast<T*>(allocated));
  }

  /// The first element; null where there is none.
  T* data() noexcept { return data_.get(); }
  /// The first element; null where there is none.
  const T* data() const noexcept { return data_.get(); }
  /// How many elements.
  std::size_t size() const noexcept { return size_; }
  /// How many bytes.
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

  /// @pre `index` is less than size()
  T& operator[](std::size_t index) noexcept { return data_.get()[index]; }
  /// @pre `index` is less than size()
  const T& operator[](std::size_t index) const noexcept { return data_.get()[index]; }
  /// The first element, for a range-based for.
  T* begin() noexcept { return data(); }
  /// Behind the last element.
  T* end() noexcept { return data() + size_; }
  /// The first element, for a range-based for.
  const T* begin() const noexcept { return data(); }
  /// Behind the last element.
  const T* end() const noexcept { return data() + size_; }

 private:
  struct release {
    void operator()(T* data) const noexcept { CUDA_WARN(cudaFreeHost(data)); }
  };
  std::unique_ptr<T, release> data_;
  std::size_t size_;
};

}  // namespace lab

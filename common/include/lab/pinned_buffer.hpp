#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "lab/check.hpp"

namespace lab {

/// Host memory that stays where it is, for `size` elements of `T`: the device copies to and from it while the
/// host goes on. Its contents are not set.
///
/// Leave a buffer alone, and alive, until the copies that use it are done.
template <class T>
class pinned_buffer {
 public:
  /// @throws cuda_error
  explicit pinned_buffer(std::size_t size) : size_(size) {
    void* allocated = nullptr;
    if (size != 0) CUDA_CHECK(cudaMallocHost(&allocated, size_bytes()));
    data_.reset(static_cast<T*>(allocated));
  }

  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

  T& operator[](std::size_t index) noexcept { return data_.get()[index]; }
  const T& operator[](std::size_t index) const noexcept { return data_.get()[index]; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }

 private:
  struct release {
    void operator()(T* data) const noexcept { CUDA_WARN(cudaFreeHost(data)); }
  };
  std::unique_ptr<T, release> data_;
  std::size_t size_;
};

}  // namespace lab

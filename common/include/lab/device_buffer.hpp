#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "lab/check.hpp"

/// @file
/// Memory of the device that frees itself.

namespace lab {

/// Memory of the device for `size` elements of `T`, whose contents nobody has set yet.
///
/// Destruction frees it, which blocks the calling thread until the whole device is idle.
template <class T>
class device_buffer {
 public:
  /// Allocates; no elements take no memory. Does not wait for work of the device.
  /// @throws cuda_error also where there is not enough memory
  explicit device_buffer(std::size_t size) : size_(size) {
    void* allocated = nullptr;
    if (size != 0) CUDA_CHECK(cudaMalloc(&allocated, size_bytes()));
    data_.reset(static_cast<T*>(allocated));
  }

  /// The first element, an address of the device; null where there is none.
  T* data() noexcept { return data_.get(); }
  /// The first element, an address of the device; null where there is none.
  const T* data() const noexcept { return data_.get(); }
  /// How many elements.
  std::size_t size() const noexcept { return size_; }
  /// How many bytes.
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

 private:
  struct release {
    void operator()(T* data) const noexcept { CUDA_WARN(cudaFree(data)); }
  };
  std::unique_ptr<T, release> data_;
  std::size_t size_;
};

}  // namespace lab

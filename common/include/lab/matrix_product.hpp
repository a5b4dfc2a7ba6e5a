#pragma once

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/stream.hpp"

/// @file
/// A piece of work whose cost is well known.

namespace lab {

/// The product of two half-precision matrices of n x n elements, accumulated in single precision by cuBLAS: a
/// piece of work so large, and so well understood, that a wrong measurement of it shows.
class matrix_product {
 public:
  /// Allocates the three matrices (6 n^2 bytes) and fills the factors; blocks until that is done.
  /// @throws cuda_error, std::runtime_error where cuBLAS refuses
  explicit matrix_product(int n) : n_(n), a_(elements()), b_(elements()), product_(elements()) {
    cublasHandle_t created = nullptr;
    check(cublasCreate(&created), "cublasCreate");
    handle_.reset(created);
    fill(a_);
    fill(b_);
  }

  /// Queues one product; returns at once.
  /// @throws std::runtime_error where cuBLAS refuses
  void launch(stream_ref stream) {
    const float one = 1;
    const float zero = 0;
    check(cublasSetStream(handle_.get(), stream.get()), "cublasSetStream");
    check(cublasGemmEx(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, a_.data(), CUDA_R_16F, n_,
                       b_.data(), CUDA_R_16F, n_, &zero, product_.data(), CUDA_R_16F, n_, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  /// Floating-point operations of one product: n^2 results, each of n multiplications and n additions.
  double flop() const noexcept { return 2.0 * n_ * n_ * n_; }

 private:
  std::size_t elements() const { return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_); }

  /// Random values: on equal ones fewer bits flip, the chip draws less power and may run faster than it
  /// would.
  static void fill(device_buffer<__half>& matrix) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> distribution(-1, 1);
    std::vector<__half> block(std::min<std::size_t>(matrix.size(), 1 << 16));
    for (auto& value : block) value = __float2half(distribution(random));
    CUDA_CHECK(
        cudaMemcpy(matrix.data(), block.data(), block.size() * sizeof(__half), cudaMemcpyHostToDevice));
    for (std::size_t filled = block.size(); filled < matrix.size(); filled *= 2) {
      const std::size_t next = std::min(filled, matrix.size() - filled);
      CUDA_CHECK(
          cudaMemcpy(matrix.data() + filled, matrix.data(), next * sizeof(__half), cudaMemcpyDeviceToDevice));
    }
    CUDA_CHECK(
        cudaStreamSynchronize(cudaStreamLegacy));  // copies within the device return before they are done
  }

  static void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + ": cuBLAS status " + std::to_string(status));
  }

  struct destroy {
    void operator()(cublasHandle_t handle) const noexcept { static_cast<void>(cublasDestroy(handle)); }
  };

  int n_;
  device_buffer<__half> a_;
  device_buffer<__half> b_;
  device_buffer<__half> product_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, destroy> handle_;
};

}  // namespace lab

#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>

/// @file
/// What becomes of a failed CUDA call: an exception, or, where none may leave (destructors), a line on
/// stderr.
///
///     CUDA_CHECK(cudaMalloc(&data, bytes));
///     scale<<<blocks, threads, 0, stream>>>(data, n);
///     CUDA_CHECK(cudaGetLastError());

/// Evaluates a call that gives a cudaError_t, once, and throws lab::cuda_error unless it is cudaSuccess.
#define CUDA_CHECK(...) ::lab::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
/// The same, where nothing may be thrown: writes a line to stderr and goes on.
#define CUDA_WARN(...) ::lab::warn((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

/// The helper layer: what a lab is not about. Types own what they make and give it back; streams are always
/// named; failures are exceptions.
namespace lab {

/// A CUDA call failed. `what()` names the place, the call and the error.
class cuda_error : public std::runtime_error {
 public:
  /// @param status what the call gave; not cudaSuccess
  /// @param message what `what()` gives
  cuda_error(cudaError_t status, const std::string& message) : std::runtime_error(message), status_(status) {}

  /// What the call gave.
  cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

/// "file.cu:12: cudaMalloc(&data, bytes): cudaErrorMemoryAllocation (out of memory)"
inline std::string error_message(cudaError_t status, const char* call, const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + call + ": " + cudaGetErrorName(status) +
         " (" + cudaGetErrorString(status) + ")";
}

/// Throws unless `status` is success. Takes the error back from the thread's last error, so that no later
/// launch is blamed for it; what is sticky stays.
/// @throws cuda_error
inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw cuda_error(status, error_message(status, call, file, line));
}

/// Reports on stderr unless `status` is success; goes on in any case.
inline void warn(cudaError_t status, const char* call, const char* file, int line) noexcept {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorName(status),
               cudaGetErrorString(status));
}

}  // namespace lab

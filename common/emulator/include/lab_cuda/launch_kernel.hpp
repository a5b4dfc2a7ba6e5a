#pragma once

#include <utility>

#include "cuda_runtime_api.h"
#include "lab_emulator/launch.hpp"

// Kernels that are launched by functions, whose parameters are known. The declarations in C know addresses
// only.

template <class... Parameters>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*func)(Parameters...), void** args) {
  return lab::emulator::submit_launch(*config, reinterpret_cast<const void*>(func),
                                      lab::emulator::unpack(func, args));
}

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*func)(Parameters...), dim3 gridDim, dim3 blockDim, void** args,
                             std::size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  const cudaLaunchConfig_t config = {gridDim, blockDim, sharedMem, stream, nullptr, 0};
  return cudaLaunchKernelExC(&config, func, args);
}

/// Launches `kernel` with these arguments, converted to its parameters. Returns at once.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... args) {
  const auto launch = [&](Parameters... converted) {
    void* pointers[] = {&converted..., nullptr};
    return cudaLaunchKernelExC(config, kernel, pointers);
  };
  return launch(std::forward<Arguments>(args)...);
}

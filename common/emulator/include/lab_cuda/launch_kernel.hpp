#pragma once

#include <utility>

#include "cuda_runtime_api.h"
#include "lab_emulator/launch.hpp"

namespace lab::cuda {

template <class... Parameters, std::size_t... Index>
cudaError_t launch_unpacked(const emulator::launch_configuration& configuration,
                            void (*kernel)(Parameters...), void** arguments, std::index_sequence<Index...>) {
  return emulator::submit_launch(configuration, nullptr, reinterpret_cast<const void*>(kernel),
                                 new emulator::detail::bound<void (*)(Parameters...), Parameters...>(
                                     kernel, *static_cast<Parameters*>(arguments[Index])...));
}

}  // namespace lab::cuda

/// Launches `func` with the arguments that `args` points to, one pointer a parameter. Returns at once.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*func)(Parameters...), dim3 gridDim, dim3 blockDim, void** args,
                             std::size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  return lab::cuda::launch_unpacked({gridDim, blockDim, sharedMem, stream}, func, args,
                                    std::index_sequence_for<Parameters...>{});
}

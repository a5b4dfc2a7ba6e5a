#pragma once

#include <cuda.h>
#include <cupti.h>

#include "kernels.hpp"

namespace lab::cupti {

/// The driver's launch, below the runtime's: it has the arguments in a form that no CUDA version changes.
struct driver_launch {
  CUfunction kernel;
  CUstream stream;
  void** arguments;
  /// The kernel need not wait for all that is before it in its stream, or records events (programmatic
  /// attributes).
  bool has_order_of_its_own;
};

/// The functions of the driver that launch a kernel.
inline constexpr CUpti_driver_api_trace_cbid driver_launches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

/// @param id, arguments one of these, and what CUPTI hands over
driver_launch read_driver_launch(CUpti_CallbackId id, const void* arguments);

/// A kernel by its mangled name, taken apart once: launches are many, kernels few. One thread at a time may
/// ask.
/// @param kernel where it is being launched: the driver tells the sizes of its parameters
const kernel_signature& signature_of(const char* mangled, CUfunction kernel = nullptr);

}  // namespace lab::cupti

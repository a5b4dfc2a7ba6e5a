#pragma once

#include "cuda_runtime_api.h"

/// The driver API is not emulated. This header serves programs that ask for the CUDA version or name the
/// driver's types, which are those of the runtime; the functions fail by name.

#define CUDA_VERSION 13000
#define __CUDA_API_VERSION 13000
#define CUDA_CB

typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUfunc_st* CUfunction;

#define LAB_WHY_driver "the driver API is not part of the emulated GPU; use the runtime API (cuda_runtime.h)"
#define LAB_NO_DRIVER(name)               \
  template <class... Anything>            \
  LAB_NOT_EMULATED_FUNCTION(name, driver) \
  CUresult name(Anything...);

LAB_NO_DRIVER(cuInit)
LAB_NO_DRIVER(cuDriverGetVersion)
LAB_NO_DRIVER(cuDeviceGet)
LAB_NO_DRIVER(cuDeviceGetCount)
LAB_NO_DRIVER(cuDeviceGetAttribute)
LAB_NO_DRIVER(cuDeviceGetName)
LAB_NO_DRIVER(cuDevicePrimaryCtxRetain)
LAB_NO_DRIVER(cuCtxCreate)
LAB_NO_DRIVER(cuCtxSynchronize)
LAB_NO_DRIVER(cuMemAlloc)
LAB_NO_DRIVER(cuMemFree)
LAB_NO_DRIVER(cuMemcpyHtoD)
LAB_NO_DRIVER(cuMemcpyDtoH)
LAB_NO_DRIVER(cuModuleLoad)
LAB_NO_DRIVER(cuModuleGetFunction)
LAB_NO_DRIVER(cuLaunchKernel)
LAB_NO_DRIVER(cuEventRecord)
LAB_NO_DRIVER(cuStreamCreate)
LAB_NO_DRIVER(cuStreamSynchronize)
LAB_NO_DRIVER(cuStreamWaitValue32)
LAB_NO_DRIVER(cuStreamWriteValue32)
#undef LAB_NO_DRIVER

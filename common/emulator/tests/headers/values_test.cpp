#include <doctest/doctest.h>

#include <cstddef>

#include "cublas_v2.h"
#include "cuda_runtime_api.h"

// Numbers that programs store, print or pass on: those of CUDA 13.0.

TEST_CASE("the runtime says it is CUDA 13.0") {
  CHECK(CUDART_VERSION == 13000);
}

TEST_CASE("flags and kinds have CUDA's values") {
  CHECK(cudaMemcpyHostToHost == 0);
  CHECK(cudaMemcpyHostToDevice == 1);
  CHECK(cudaMemcpyDeviceToHost == 2);
  CHECK(cudaMemcpyDeviceToDevice == 3);
  CHECK(cudaMemcpyDefault == 4);
  CHECK(cudaStreamNonBlocking == 1);
  CHECK(cudaEventBlockingSync == 1);
  CHECK(cudaEventDisableTiming == 2);
  CHECK(cudaEventInterprocess == 4);
  CHECK(cudaHostAllocPortable == 1);
  CHECK(cudaHostAllocMapped == 2);
  CHECK(cudaHostAllocWriteCombined == 4);
  CHECK(cudaHostRegisterReadOnly == 8);
  CHECK(cudaDeviceScheduleBlockingSync == 4);
  CHECK(cudaDeviceMapHost == 8);
  CHECK(cudaMemoryTypeUnregistered == 0);
  CHECK(cudaMemoryTypeDevice == 2);
  CHECK(cudaFuncAttributeMaxDynamicSharedMemorySize == 8);
  CHECK(cudaLimitMallocHeapSize == 2);
}

TEST_CASE("attributes have CUDA's values, around the gaps in its list too") {
  CHECK(cudaDevAttrMaxThreadsPerBlock == 1);
  CHECK(cudaDevAttrClockRate == 13);
  CHECK(cudaDevAttrMultiProcessorCount == 16);
  CHECK(cudaDevAttrAsyncEngineCount == 40);
  CHECK(cudaDevAttrMaxTexture1DLayeredLayers == 43);
  CHECK(cudaDevAttrMaxTexture2DGatherWidth == 45);
  CHECK(cudaDevAttrComputeCapabilityMajor == 75);
  CHECK(cudaDevAttrCanUseHostPointerForRegisteredMem == 91);
  CHECK(cudaDevAttrCooperativeLaunch == 95);
  CHECK(cudaDevAttrMaxBlocksPerMultiprocessor == 106);
  CHECK(cudaDevAttrMemoryPoolsSupported == 115);
  CHECK(cudaDevAttrIpcEventSupport == 125);
  CHECK(cudaDevAttrHostMemoryPoolsSupported == 144);
  CHECK(cudaDevAttrOnlyPartialHostNativeAtomicSupported == 147);
}

TEST_CASE("the structs of the interface are laid out as in CUDA 13") {
  CHECK(sizeof(cudaPointerAttributes) == 88);
  CHECK(offsetof(cudaPointerAttributes, devicePointer) == 8);
  CHECK(offsetof(cudaFuncAttributes, maxThreadsPerBlock) == 24);
  CHECK(offsetof(cudaFuncAttributes, maxDynamicSharedSizeBytes) == 44);
  CHECK(offsetof(cudaDeviceProp, totalGlobalMem) == 288);
  CHECK(offsetof(cudaDeviceProp, warpSize) == 308);
  CHECK(sizeof(cudaPitchedPtr) == 32);
}

TEST_CASE("cuBLAS names have cuBLAS's values") {
  CHECK(CUBLAS_STATUS_SUCCESS == 0);
  CHECK(CUBLAS_STATUS_NOT_INITIALIZED == 1);
  CHECK(CUBLAS_STATUS_INVALID_VALUE == 7);
  CHECK(CUBLAS_STATUS_EXECUTION_FAILED == 13);
  CHECK(CUBLAS_STATUS_NOT_SUPPORTED == 15);
  CHECK(CUBLAS_OP_T == 1);
  CHECK(CUBLAS_COMPUTE_32F == 68);
  CHECK(CUDA_R_16F == 2);
  CHECK(CUDA_R_32F == 0);
}

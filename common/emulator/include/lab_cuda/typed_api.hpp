#pragma once

#include "cuda_runtime_api.h"

/// What C++ adds to the runtime API: typed pointers, kernels and symbols instead of `void*`.
/// Casts are C-style, as in CUDA's own headers: `volatile int*` and `const float*` variables are taken too.

template <class T>
cudaError_t cudaMalloc(T** devPtr, std::size_t size) {
  return cudaMalloc((void**)(void*)(devPtr), size);
}

template <class T>
cudaError_t cudaMallocPitch(T** devPtr, std::size_t* pitch, std::size_t width, std::size_t height) {
  return cudaMallocPitch((void**)(void*)(devPtr), pitch, width, height);
}

inline cudaError_t cudaMallocHost(void** ptr, std::size_t size, unsigned int flags) {
  return cudaHostAlloc(ptr, size, flags);
}

template <class T>
cudaError_t cudaMallocHost(T** ptr, std::size_t size, unsigned int flags = cudaHostAllocDefault) {
  auto** untyped = (void**)(void*)(ptr);
  return flags == cudaHostAllocDefault ? cudaMallocHost(untyped, size) : cudaHostAlloc(untyped, size, flags);
}

template <class T>
cudaError_t cudaHostAlloc(T** pHost, std::size_t size, unsigned int flags) {
  return cudaHostAlloc((void**)(void*)(pHost), size, flags);
}

template <class T>
cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return cudaHostGetDevicePointer((void**)(void*)(pDevice), pHost, flags);
}

template <class T>
cudaError_t cudaMallocAsync(T** ptr, std::size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void**)(void*)(ptr), size, stream);
}

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** ptr, std::size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)(void*)(ptr), size, memPool, stream);
}

template <class T>
cudaError_t cudaMallocAsync(T** ptr, std::size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)(void*)(ptr), size, memPool, stream);
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// Symbols: variables declared __device__ or __constant__, by name.

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, std::size_t count, std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void*)(&symbol), src, count, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, std::size_t count,
                                    std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync((const void*)(&symbol), src, count, offset, kind, stream);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, std::size_t count, std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(dst, (const void*)(&symbol), count, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, std::size_t count, std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(dst, (const void*)(&symbol), count, offset, kind, stream);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return cudaGetSymbolAddress(devPtr, (const void*)(&symbol));
}

template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}

// Kernels, by name.

template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, T* func) {
  return cudaFuncGetAttributes(attr, (const void*)(func));
}

template <class T>
cudaError_t cudaFuncSetAttribute(T* func, cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute((const void*)(func), attr, value);
}

template <class T>
cudaError_t cudaFuncSetCacheConfig(T* func, cudaFuncCache cacheConfig) {
  return cudaFuncSetCacheConfig((const void*)(func), cacheConfig);
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T* func, int blockSize,
                                                          std::size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void*)(func), blockSize,
                                                       dynamicSMemSize);
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T* func, int blockSize,
                                                                   std::size_t dynamicSMemSize,
                                                                   unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)(func), blockSize,
                                                                dynamicSMemSize, flags);
}

template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* dynamicSmemSize, T* func, int numBlocks,
                                                      int blockSize) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void*)(func), numBlocks,
                                                   blockSize);
}

/// The block size that keeps most threads on a multiprocessor, the largest of equals, and the grid that fills
/// the device with it. `blockSizeToDynamicSMemSize(block size)` is the dynamic shared memory of a block.
template <class Function, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                           Function blockSizeToDynamicSMemSize,
                                                           int blockSizeLimit = 0) {
  *minGridSize = *blockSize = 0;
  int device = 0, multiprocessors = 0, warp = 0;
  cudaFuncAttributes attributes;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, func);
  if (status != cudaSuccess) return status;

  int limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int best_threads = 0;
  for (int size = (limit + warp - 1) / warp * warp; size > 0; size -= warp) {
    const int candidate = size < limit ? size : limit;
    int blocks = 0;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, candidate,
                                                           blockSizeToDynamicSMemSize(candidate));
    if (status != cudaSuccess) return status;
    if (blocks * candidate > best_threads) {
      best_threads = blocks * candidate;
      *blockSize = candidate;
      *minGridSize = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}

template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                               std::size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit);
}

// Not emulated yet; declared here again so that the compiler names the program's own line.

template <class T>
LAB_NOT_EMULATED_FUNCTION(cudaMallocManaged, managed)
cudaError_t cudaMallocManaged(T** devPtr, std::size_t size, unsigned int flags = cudaMemAttachGlobal);

template <class T>
LAB_NOT_EMULATED_FUNCTION(cudaLaunchCooperativeKernel, launch)
cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                        std::size_t sharedMem = 0, cudaStream_t stream = nullptr);

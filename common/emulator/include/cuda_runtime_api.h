#pragma once

#include "driver_types.h"

/// The functions of the CUDA runtime that the emulated GPU has, as C declares them. Semantics are the
/// manual's; where it leaves something open, those of a real GPU. What is declared in
/// lab_cuda/not_emulated.def fails by name.
///
/// Unless a comment says otherwise a function returns at once, cudaSuccess or what is wrong with its
/// arguments, and possibly the error of earlier asynchronous work.

#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#endif

#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

extern "C" {

// Device
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* prop);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device);
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
/// Blocks until all work of the device is done; reports what failed since the last wait.
cudaError_t cudaDeviceSynchronize();
/// Blocks likewise, then forgets all allocations, streams and events.
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceGetLimit(std::size_t* value, enum cudaLimit limit);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
/// Both 0: the emulated GPU has no priorities yet, as cudaDevAttrStreamPrioritiesSupported says.
cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

// Versions and errors
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
/// The last error of the calling host thread; forgets it, unless it is sticky.
cudaError_t cudaGetLastError();
/// The last error of the calling host thread; keeps it.
cudaError_t cudaPeekAtLastError();
/// "cudaErrorInvalidValue" and the like; "unrecognized error code" for a number that is none. Never null.
const char* cudaGetErrorName(cudaError_t error);
/// One line for people; "unrecognized error code" for a number that is none. Never null.
const char* cudaGetErrorString(cudaError_t error);

// Streams
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
/// Priorities clamp to the range, which is 0 to 0.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
/// Returns at once; pending work still completes.
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* streamId);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
/// cudaSuccess when everything in `stream` is done, else cudaErrorNotReady. Never blocks.
cudaError_t cudaStreamQuery(cudaStream_t stream);
/// Blocks until everything in `stream` is done.
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/// Later work in `stream` waits for the newest record of `event` at the time of this call. The host does not
/// wait.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);
/// Launches the kernel at `func` with the arguments that `args` points to, one pointer a parameter. C++
/// programs can pass the kernel itself (lab_cuda/launch_kernel.hpp); by its address a template's instance is
/// not known.
cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             std::size_t sharedMem = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args);

// Events
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
/// Returns at once, also when the event is pending.
cudaError_t cudaEventDestroy(cudaEvent_t event);
/// Captures what `stream` contains at the call.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned int flags = 0);
/// cudaSuccess when the newest record is done, or there is none, else cudaErrorNotReady. Never blocks.
cudaError_t cudaEventQuery(cudaEvent_t event);
/// Blocks until the newest record is done.
cudaError_t cudaEventSynchronize(cudaEvent_t event);
/// Milliseconds between two records, in steps of about half a microsecond. Never blocks: cudaErrorNotReady
/// while one is pending.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

// Memory
cudaError_t cudaMalloc(void** devPtr, std::size_t size);
cudaError_t cudaMallocPitch(void** devPtr, std::size_t* pitch, std::size_t width, std::size_t height);
/// Blocks until all work of the device is done; for memory from a pool it does not.
cudaError_t cudaFree(void* devPtr);
cudaError_t cudaMallocHost(void** ptr, std::size_t size);
cudaError_t cudaHostAlloc(void** pHost, std::size_t size, unsigned int flags);
cudaError_t cudaFreeHost(void* ptr);
cudaError_t cudaHostRegister(void* ptr, std::size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void* ptr);
cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr);

// Stream-ordered allocation, from the device's default memory pool
/// Work may use the memory that comes after this point of the stream: in other streams, by an event or a
/// wait.
cudaError_t cudaMallocAsync(void** devPtr, std::size_t size, cudaStream_t hStream);
cudaError_t cudaMallocFromPoolAsync(void** ptr, std::size_t size, cudaMemPool_t memPool, cudaStream_t stream);
/// What uses the memory has to come before this point of the stream.
cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device);
/// The release threshold; a 0 takes a highest mark back to what is current. `value` is 64 bits wide.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
/// Gives back to the device what the pool holds and nobody uses, beyond `minBytesToKeep`.
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, std::size_t minBytesToKeep);

// Copies. Whether one blocks depends on its direction and on the host memory: "API synchronization behavior"
// in the manual. The Async ones return at once where the host memory is pinned.
cudaError_t cudaMemcpy(void* dst, const void* src, std::size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                         std::size_t width, std::size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                              std::size_t width, std::size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream = 0);
cudaError_t cudaMemset(void* devPtr, int value, std::size_t count);
cudaError_t cudaMemsetAsync(void* devPtr, int value, std::size_t count, cudaStream_t stream = 0);
cudaError_t cudaMemset2D(void* devPtr, std::size_t pitch, int value, std::size_t width, std::size_t height);
cudaError_t cudaMemset2DAsync(void* devPtr, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = 0);
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, std::size_t count, std::size_t offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, std::size_t count,
                                    std::size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, std::size_t count, std::size_t offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol);

// Kernels
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, const void* func);
cudaError_t cudaFuncSetAttribute(const void* func, enum cudaFuncAttribute attr, int value);
cudaError_t cudaFuncSetCacheConfig(const void* func, enum cudaFuncCache cacheConfig);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          std::size_t dynamicSMemSize);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize, std::size_t dynamicSMemSize,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize);

cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

#include "lab_cuda/not_emulated.h"

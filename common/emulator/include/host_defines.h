#pragma once

/// The words CUDA adds to C++, for a host compiler.
///
/// The emulated GPU compiles a .cu file once, with the host compiler: there is no device pass, so
/// `__CUDA_ARCH__` is never defined. `__CUDACC__` is not defined here either: nvcc predefines it for .cu
/// files and not for .cpp files, so the flags that compile a translated .cu file do (-D__CUDACC__).
/// `__shared__`, `threadIdx` and the like stand in lab_emulator/.

#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#endif

#if !defined(__GNUC__) || !defined(__cplusplus) || __cplusplus < 201703L
#error "The emulated CUDA headers need g++ 11 or clang 14, or newer, and -std=c++17."
#endif

#ifndef __LAB_EMULATOR__
#define __LAB_EMULATOR__ 1
#endif

#ifdef __CUDACC__  // nvcc 13.0's own version; libraries choose features by it
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#define __host__
#define __device__
#define __global__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __inline_hint__
#define __nv_pure__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__

// Not `__attribute__((noinline))`: system headers write `__attribute__((__noinline__))`, which that would
// break. Nothing is lost but a hint.
#define __noinline__

// Fail by name where they are used.
#define __managed__ _Pragma("GCC error \"__managed__ is not emulated yet: use cudaMalloc and cudaMemcpy.\"")
#define __cluster_dims__(...) _Pragma("GCC error \"__cluster_dims__ is not emulated: a T4 has no clusters.\"")

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "CUDA_API_PER_THREAD_DEFAULT_STREAM is not emulated yet: name the stream, cudaStreamPerThread."
#endif

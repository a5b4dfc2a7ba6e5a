#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lab_emulator/launch.hpp"
#include "vector_types.h"

/// What device code finds built in: coordinates, barriers, shared memory, clocks, atomics.
namespace lab::emulator {

/// Read-only to the compiler, so reading a coordinate is never instrumented; the runtime sets it per thread.
struct alignas(16) coordinates {
  unsigned int x, y, z;
  operator dim3() const { return dim3(x, y, z); }
  operator uint3() const { return uint3{x, y, z}; }
};

/// One `__shared__` declaration; names the variable within its block.
struct shared_site {
  char unused;
};

/// The block's own copy of the variable declared at `site`, poisoned when the block starts.
void* shared_variable(shared_site& site, std::size_t bytes, std::size_t alignment);

/// The block's dynamic shared memory.
void* dynamic_shared();

/// `extern __shared__ T s[];` at namespace scope.
template <class Array>
struct dynamic_shared_array {
  using element = std::remove_extent_t<Array>;
  operator element*() const { return static_cast<element*>(dynamic_shared()); }
};

/// Checks and counts an atomic access of device code; the read-modify-write follows uninterrupted.
void atomic_access(volatile void* address, std::size_t bytes);

// What inline PTX reads from special registers and CUDA C++ has no name for.

/// Nanoseconds of the device's own time.
unsigned long long globaltimer();
/// The thread's place in its warp; threads are numbered x first, then y, then z.
unsigned laneid();
/// The warp's place in its block.
unsigned warpid();
/// The multiprocessor that runs the block. Modelled: blocks are dealt out in turn, the first to 0.
unsigned smid();

}  // namespace lab::emulator

extern const lab::emulator::coordinates threadIdx;
extern const lab::emulator::coordinates blockIdx;
extern const lab::emulator::coordinates blockDim;
extern const lab::emulator::coordinates gridDim;
inline constexpr int warpSize = 32;

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
[[noreturn]] void __trap();
long long clock64();
void __nanosleep(unsigned int nanoseconds);

// Atomics. One thread of the device runs at a time, so plain code between two yield points is atomic.
#define LAB_ATOMIC(name, T, expression)                                             \
  LAB_UNINSTRUMENTED __attribute__((noinline)) inline T name(T* address, T value) { \
    ::lab::emulator::atomic_access(address, sizeof(T));                             \
    T old = *address;                                                               \
    *address = (expression);                                                        \
    return old;                                                                     \
  }                                                                                 \
  inline T name##_block(T* address, T value) {                                      \
    return name(address, value);                                                    \
  }                                                                                 \
  inline T name##_system(T* address, T value) {                                     \
    return name(address, value);                                                    \
  }

#define LAB_ATOMIC_INTEGERS(name, expression) \
  LAB_ATOMIC(name, int, expression)           \
  LAB_ATOMIC(name, unsigned int, expression)  \
  LAB_ATOMIC(name, unsigned long long, expression)

LAB_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
LAB_ATOMIC(atomicAdd, unsigned int, old + value)
LAB_ATOMIC(atomicAdd, unsigned long long, old + value)
LAB_ATOMIC(atomicAdd, float, old + value)
LAB_ATOMIC(atomicAdd, double, old + value)
LAB_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
LAB_ATOMIC(atomicSub, unsigned int, old - value)
LAB_ATOMIC_INTEGERS(atomicExch, value)
LAB_ATOMIC(atomicExch, float, value)
LAB_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
LAB_ATOMIC(atomicMin, long long, value < old ? value : old)
LAB_ATOMIC_INTEGERS(atomicMax, value > old ? value : old)
LAB_ATOMIC(atomicMax, long long, value > old ? value : old)
LAB_ATOMIC_INTEGERS(atomicAnd, old& value)
LAB_ATOMIC_INTEGERS(atomicOr, old | value)
LAB_ATOMIC_INTEGERS(atomicXor, old ^ value)
LAB_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
LAB_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#undef LAB_ATOMIC_INTEGERS
#undef LAB_ATOMIC

#define LAB_ATOMIC_CAS(T)                                                                           \
  LAB_UNINSTRUMENTED __attribute__((noinline)) inline T atomicCAS(T* address, T compare, T value) { \
    ::lab::emulator::atomic_access(address, sizeof(T));                                             \
    T old = *address;                                                                               \
    if (old == compare) *address = value;                                                           \
    return old;                                                                                     \
  }
LAB_ATOMIC_CAS(int)
LAB_ATOMIC_CAS(unsigned int)
LAB_ATOMIC_CAS(unsigned long long)
LAB_ATOMIC_CAS(unsigned short)
#undef LAB_ATOMIC_CAS

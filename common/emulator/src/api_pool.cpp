#include <cstring>

#include "api.hpp"
#include "cuda_runtime_api.h"
#include "host_memory.hpp"
#include "pool.hpp"
#include "profile.hpp"

namespace trace = lab::trace;
using namespace lab::emulator;

/// What cudaMemPool_t points to. There is one pool: the device's default one.
struct CUmemPoolHandle_st {};

namespace {

CUmemPoolHandle_st default_pool;

/// A pool's numbers are 64 bits wide, but for its switches.
bool is_switch(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

/// The number of that attribute; nullptr where there is none.
std::uint64_t* number_of(cudaMemPoolAttr attribute) {
  auto& accounts = pool::current();
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &accounts.release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
      return &accounts.reserved;
    case cudaMemPoolAttrReservedMemHigh:
      return &accounts.reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
      return &accounts.used;
    case cudaMemPoolAttrUsedMemHigh:
      return &accounts.used_high;
    default:
      return nullptr;
  }
}

/// An allocation or a free in a stream: to the order of things a write of all the memory.
void submit(api_call& call, stream_state& stream, const operation_ref& work, const allocation& memory,
            const std::vector<operation_ref>& behind) {
  call.record().allocation = memory.id;
  call.submit(stream, work, behind);
  host_memory::access_by(*work, memory.begin, memory.bytes, true);
}

/// The stream has come to the allocation: what has been written to it before is lost.
void begin_life(allocation& memory) {
  const bool freed = memory::starting_at(memory.begin) != &memory;
  if (!freed && (!memory.written.empty() || device::kernel_is_running())) memory::poison(memory);
}

cudaError_t allocate(const char* name, void** pointer, std::size_t bytes, cudaMemPool_t from,
                     cudaStream_t stream, const void* caller) {
  return api(name, gpu().malloc_async_ns, caller, [&](api_call& call) {
    if (pointer == nullptr || from != &default_pool) return cudaErrorInvalidValue;
    auto* state = call.stream(stream);
    if (state == nullptr) return call.error();
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    std::vector<operation_ref> behind;
    auto* memory = pool::allocate(bytes, behind);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    memory->id = recorder::add_allocation(
        {bytes, static_cast<std::uint32_t>(memory->kind), recorder::current_call(), 0, 1, {}, {}});
    auto work = device::make(trace::operation_kind::allocate, name);
    work->modelled = std::make_unique<modelled_work>(
        modelled_work{0, [fresh = memory->shared_from_this()] { begin_life(*fresh); }});
    submit(call, *state, work, *memory, behind);
    *pointer = reinterpret_cast<void*>(memory->begin);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate("cudaMallocAsync", pointer, bytes, &default_pool, stream, LAB_CALLER);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t from,
                                    cudaStream_t stream) {
  return allocate("cudaMallocFromPoolAsync", pointer, bytes, from, stream, LAB_CALLER);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api("cudaFreeAsync", gpu().free_async_ns, LAB_CALLER, [&](api_call& call) {
    auto* state = call.stream(stream);
    if (state == nullptr) return call.error();
    if (pointer == nullptr) return cudaSuccess;
    auto* memory = memory::known_at(reinterpret_cast<std::uintptr_t>(pointer));
    if (memory == nullptr || memory->kind != trace::memory_kind::device) return cudaErrorInvalidValue;
    recorder::allocation(memory->id).freed_by = recorder::current_call();
    auto work = device::make(trace::operation_kind::free, "cudaFreeAsync");
    pool::free_behind(*memory, work);
    submit(call, *state, work, *memory, {});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* found, int device) {
  return api("cudaDeviceGetDefaultMemPool", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (found == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *found = &default_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolGetAttribute", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (of != &default_pool || value == nullptr) return cudaErrorInvalidValue;
    if (is_switch(attribute)) {
      *static_cast<int*>(value) = 1;
      return cudaSuccess;
    }
    const auto* number = number_of(attribute);
    if (number == nullptr) return cudaErrorInvalidValue;
    std::memcpy(value, number, sizeof *number);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolSetAttribute", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (of != &default_pool || value == nullptr) return cudaErrorInvalidValue;
    auto& accounts = pool::current();
    std::uint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      accounts.release_threshold = number;
      return cudaSuccess;
    }
    // The highest marks can be taken back to what is current, by a 0.
    if (number != 0) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReservedMemHigh)
      accounts.reserved_high = accounts.reserved;
    else if (attribute == cudaMemPoolAttrUsedMemHigh)
      accounts.used_high = accounts.used;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t of, std::size_t keep) {
  return api("cudaMemPoolTrimTo", gpu().query_call_ns, LAB_CALLER, [&](api_call&) {
    if (of != &default_pool) return cudaErrorInvalidValue;
    pool::trim(keep);
    return cudaSuccess;
  });
}

}  // extern "C"

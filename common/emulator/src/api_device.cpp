#include <cstdio>
#include <cstring>

#include "api.hpp"
#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "memory.hpp"
#include "profile.hpp"
#include "properties.hpp"

using namespace lab::emulator;

namespace {

constexpr auto nothing = api_call::needs::nothing;
constexpr int version = CUDART_VERSION;

unsigned device_flags = 0;

template <class Body>
cudaError_t query(const char* name, const void* caller, Body body) {
  return api(
      name, gpu().query_call_ns, caller, [&](api_call&) { return body(); }, nothing);
}

/// There is one device, number 0.
template <class T>
cudaError_t store(T* where, T value) {
  if (where == nullptr) return cudaErrorInvalidValue;
  *where = value;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return query("cudaGetDeviceCount", LAB_CALLER, [&] { return store(count, 1); });
}

cudaError_t cudaGetDevice(int* device) {
  return query("cudaGetDevice", LAB_CALLER, [&] { return store(device, 0); });
}

cudaError_t cudaSetDevice(int device) {
  return api("cudaSetDevice", gpu().query_call_ns, LAB_CALLER,
             [&](api_call&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api("cudaInitDevice", gpu().query_call_ns, LAB_CALLER,
             [&](api_call&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return query("cudaChooseDevice", LAB_CALLER, [&] { return store(device, 0); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return api(
      "cudaGetDeviceProperties", gpu().properties_ns, LAB_CALLER,
      [&](api_call&) { return device != 0 ? cudaErrorInvalidDevice : store(prop, properties(gpu())); },
      nothing);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return query("cudaDeviceGetAttribute", LAB_CALLER, [&] {
    if (device != 0) return cudaErrorInvalidDevice;
    const auto known = attribute(gpu(), which);
    return known ? store(value, *known) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  return query("cudaDeviceGetPCIBusId", LAB_CALLER, [&] {
    if (id == nullptr || bytes < 13) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(bytes), "0000:00:04.0");
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return query("cudaDeviceGetByPCIBusId", LAB_CALLER, [&] {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    return std::strcmp(id, "0000:00:04.0") == 0 ? store(device, 0) : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return query("cudaSetDeviceFlags", LAB_CALLER, [&] {
    if ((flags & ~unsigned{cudaDeviceMask}) != 0) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return query("cudaGetDeviceFlags", LAB_CALLER,
               [&] { return store(flags, device_flags | cudaDeviceMapHost); });
}

cudaError_t cudaDeviceReset() {
  return api(
      "cudaDeviceReset", gpu().free_ns, LAB_CALLER,
      [](api_call& call) {
        call.wait_for(device::everything_pending());
        if (sticky_error() != cudaSuccess) lose_device();
        event_handles().for_each_alive([](CUevent_st& event) { destroy(event, "cudaDeviceReset"); });
        stream_handles().for_each_alive([](CUstream_st& stream) { destroy(stream, "cudaDeviceReset"); });
        for (auto* memory : memory::living()) {
          recorder::allocation(memory->id).freed_by = recorder::current_call();
          memory::release(memory);
        }
        return cudaSuccess;
      },
      nothing);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return query("cudaDeviceGetLimit", LAB_CALLER, [&] {
    switch (limit) {
      case cudaLimitStackSize:
        return store(value, std::size_t{128} << 10);
      case cudaLimitPrintfFifoSize:
        return store(value, std::size_t{1} << 20);
      case cudaLimitMallocHeapSize:
        return store(value, std::size_t{0});
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t) {
  return query("cudaDeviceSetLimit", LAB_CALLER, [&] {
    const bool known = limit == cudaLimitStackSize || limit == cudaLimitPrintfFifoSize;
    return known ? cudaSuccess : cudaErrorUnsupportedLimit;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return query("cudaDeviceGetCacheConfig", LAB_CALLER,
               [&] { return store(config, cudaFuncCachePreferNone); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return query("cudaDeviceSetCacheConfig", LAB_CALLER, [] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return query("cudaDeviceGetStreamPriorityRange", LAB_CALLER, [&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* number) {
  return query("cudaDriverGetVersion", LAB_CALLER, [&] { return store(number, version); });
}

cudaError_t cudaRuntimeGetVersion(int* number) {
  return query("cudaRuntimeGetVersion", LAB_CALLER, [&] { return store(number, version); });
}

cudaError_t cudaProfilerStart() {
  return query("cudaProfilerStart", LAB_CALLER, [] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return query("cudaProfilerStop", LAB_CALLER, [] { return cudaSuccess; });
}

// The last error of a thread: set by each call that fails, kept through calls that succeed, until it is read.

cudaError_t cudaGetLastError() {
  const auto error = static_cast<cudaError_t>(current_thread()->last_error);
  query("cudaGetLastError", LAB_CALLER, [&] { return error; });
  current_thread()->last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const auto error = static_cast<cudaError_t>(current_thread()->last_error);
  return query("cudaPeekAtLastError", LAB_CALLER, [&] { return error; });
}

}  // extern "C"

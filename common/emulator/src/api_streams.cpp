#include "api.hpp"
#include "cuda_runtime_api.h"
#include "host_functions.hpp"
#include "profile.hpp"

using namespace lab::emulator;

namespace {

cudaError_t create_stream(const char* name, cudaStream_t* stream, unsigned flags, const void* caller) {
  return api(name, gpu().stream_create_ns, caller, [&](api_call& call) {
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return cudaErrorInvalidValue;
    const bool non_blocking = flags == cudaStreamNonBlocking;
    auto& state = device::make_stream(non_blocking);
    state.id = recorder::add_stream({non_blocking, recorder::current_call(), 0, 0});
    call.record().stream = state.id;
    *stream = stream_handles().make({state.id, &state, flags});
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream("cudaStreamCreate", stream, cudaStreamDefault, LAB_CALLER);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream("cudaStreamCreateWithFlags", stream, flags, LAB_CALLER);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags, LAB_CALLER);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return destroying_api("cudaStreamDestroy", gpu().stream_destroy_ns, LAB_CALLER, [&](api_call& call) {
    if (names_default_stream(handle)) return cudaErrorInvalidResourceHandle;
    if (call.stream(handle) == nullptr) return call.error();
    destroy(*handle, "cudaStreamDestroy");
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api("cudaStreamQuery", cost_of_asking(gpu().query_ns), LAB_CALLER, [&](api_call& call) {
    auto* state = call.stream(handle);
    if (state == nullptr) return call.error();
    return device::covered_by(*state).empty() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api("cudaStreamSynchronize", 0, LAB_CALLER, [&](api_call& call) {
    auto* state = call.stream(handle);
    return state == nullptr ? call.error() : call.wait_for(device::covered_by(*state));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return api("cudaStreamWaitEvent", gpu().stream_wait_ns, LAB_CALLER, [&](api_call& call) {
    auto* waiting = call.stream(stream);
    auto* recorded = call.event(event);
    if (waiting == nullptr || recorded == nullptr) return call.error();
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    auto work = device::make(lab::trace::operation_kind::event_wait, "event wait");
    auto& record = recorder::operation(work->id);
    record.event = recorded->id;
    record.waits_for = recorded->record == nullptr ? 0 : recorded->record->id;
    call.submit(*waiting, work, {recorded->record});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return api("cudaStreamGetFlags", gpu().query_call_ns, LAB_CALLER, [&](api_call& call) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    if (call.stream(handle) == nullptr) return call.error();
    *flags = names_default_stream(handle) ? cudaStreamDefault : handle->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return api("cudaStreamGetPriority", gpu().query_call_ns, LAB_CALLER, [&](api_call& call) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    if (call.stream(handle) == nullptr) return call.error();
    *priority = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return api("cudaStreamGetId", gpu().query_call_ns, LAB_CALLER, [&](api_call& call) {
    if (id == nullptr) return cudaErrorInvalidValue;
    const auto* state = call.stream(handle);
    if (state == nullptr) return call.error();
    *id = state->id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return api("cudaStreamGetDevice", gpu().query_call_ns, LAB_CALLER, [&](api_call& call) {
    if (device == nullptr) return cudaErrorInvalidValue;
    if (call.stream(handle) == nullptr) return call.error();
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  prepare_host_functions();
  return api("cudaLaunchHostFunc", gpu().host_function_submit_ns, LAB_CALLER, [&](api_call& call) {
    if (function == nullptr) return cudaErrorInvalidValue;
    auto* state = call.stream(handle);
    if (state == nullptr) return call.error();
    auto work = device::make(lab::trace::operation_kind::host_function, "host function");
    work->host_function = std::make_unique<host_function_work>(host_function_work{function, argument});
    call.submit(*state, work);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api("cudaDeviceSynchronize", 0, LAB_CALLER,
             [](api_call& call) { return call.wait_for(device::everything_pending()); });
}

}  // extern "C"

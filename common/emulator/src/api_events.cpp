#include <cmath>

#include "api.hpp"
#include "cuda_runtime_api.h"
#include "profile.hpp"

using namespace lab::emulator;

namespace {

cudaError_t create_event(const char* name, cudaEvent_t* event, unsigned flags, const void* caller) {
  return api(name, gpu().event_create_ns, caller, [&](api_call& call) {
    constexpr unsigned all_flags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~all_flags) != 0) return cudaErrorInvalidValue;
    const bool timing = (flags & cudaEventDisableTiming) == 0;
    if ((flags & cudaEventInterprocess) != 0 && timing) return cudaErrorInvalidValue;
    const bool blocking_sync = (flags & cudaEventBlockingSync) != 0;
    const auto id = recorder::add_event({timing, blocking_sync, recorder::current_call(), 0});
    call.record().event = id;
    *event = event_handles().make({id, timing, blocking_sync, nullptr, nullptr});
    return cudaSuccess;
  });
}

cudaError_t record_event(const char* name, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                         const void* caller) {
  return api(name, gpu().event_record_ns, caller, [&](api_call& call) {
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    auto* state = call.stream(stream);
    auto* recorded = call.event(event);
    if (state == nullptr || recorded == nullptr) return call.error();
    auto work = device::make(lab::trace::operation_kind::event_record, "event record");
    recorder::operation(work->id).event = recorded->id;
    call.submit(*state, work);
    recorded->record = work;
    return cudaSuccess;
  });
}

/// Between the stamps of two records, as the runtime rounds it.
float elapsed_ms(const operation& start, const operation& stop) {
  const auto steps =
      std::lround(static_cast<double>(stop.end - start.end) / static_cast<double>(gpu().event_resolution_ns));
  return static_cast<float>(static_cast<double>(steps * gpu().event_resolution_ns) / 1e6);
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return create_event("cudaEventCreate", event, cudaEventDefault, LAB_CALLER);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event("cudaEventCreateWithFlags", event, flags, LAB_CALLER);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record_event("cudaEventRecord", event, stream, cudaEventRecordDefault, LAB_CALLER);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record_event("cudaEventRecordWithFlags", event, stream, flags, LAB_CALLER);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api("cudaEventQuery", cost_of_asking(gpu().query_ns), LAB_CALLER, [&](api_call& call) {
    auto* event = call.event(handle);
    if (event == nullptr) return call.error();
    if (event->record == nullptr) return cudaSuccess;
    call.record().operation = event->record->id;
    return event->record->done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api("cudaEventSynchronize", 0, LAB_CALLER, [&](api_call& call) {
    auto* event = call.event(handle);
    if (event == nullptr) return call.error();
    if (event->record == nullptr) return cudaSuccess;
    call.record().operation = event->record->id;
    return call.wait_for({event->record}, event->blocking_sync && !event->record->done);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t stop_handle) {
  return api("cudaEventElapsedTime", cost_of_asking(gpu().elapsed_ns), LAB_CALLER, [&](api_call& call) {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    auto* start = call.event(start_handle);
    auto* stop = call.event(stop_handle);
    if (start == nullptr || stop == nullptr) return call.error();
    auto& record = call.record();
    record.event = start->id;
    record.stop_event = stop->id;
    if (!start->timing || !stop->timing || start->record == nullptr || stop->record == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    record.start_record = start->record->id;
    record.stop_record = stop->record->id;
    if (!start->record->done || !stop->record->done) return cudaErrorNotReady;
    *milliseconds = elapsed_ms(*start->record, *stop->record);
    record.milliseconds = static_cast<double>(*milliseconds);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return destroying_api("cudaEventDestroy", gpu().event_destroy_ns, LAB_CALLER, [&](api_call& call) {
    auto* event = call.event(handle);
    if (event == nullptr) return call.error();
    destroy(*event, "cudaEventDestroy");
    return cudaSuccess;
  });
}

}  // extern "C"

#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <optional>

/// @file
/// What your file must define: two predictions and five timers.
///
/// All timers keep to these rules:
/// - They return **milliseconds**, or nothing (`std::nullopt`) when the work or any CUDA call failed: failed
/// work
///   has no time.
/// - They time one piece of work on `stream`, whatever else is going on: `stream` may be of any kind, work of
///   somebody else may be queued in it before the call, and other streams may be busy.
/// - They destroy every event they create, also when the work failed.

/// Somebody's work: called with a stream, it queues kernels there and returns **at once**, long before they
/// are done. The status tells whether they could be queued; how they end, only a wait will tell.
using work = std::function<cudaError_t(cudaStream_t stream)>;

/// Prediction 1: what `host_ms`, as it stands in the starter, gives for a kernel that runs for 80 ms. In ms;
/// right is whatever lies within a factor of 5.
extern const double predicted_host_ms;

/// What the second prediction chooses from: a call right behind the kernel, in the kernel's own stream.
enum class last_call {
  not_predicted,    ///< no answer yet
  event_record,     ///< `cudaEventRecord(event, stream)`
  memset_async,     ///< `cudaMemsetAsync(device, 0, bytes, stream)`
  copy_back_async,  ///< `cudaMemcpyAsync` to pinned host memory, in `stream`
  copy_back,        ///< `cudaMemcpy` to host memory
};

/// Prediction 2: the work launches a kernel of 80 ms in an ordinary stream (`cudaStreamCreate`), makes one
/// call more and returns. After which call does `host_ms`, as it stands in the starter, happen to give about
/// 80 ms?
extern const last_call predicted_lucky_call;

/// Timer 1. Host clock: from the submission of the work until it is done. Runs it once; blocks until it is
/// done.
std::optional<double> host_ms(const work& submit, cudaStream_t stream);

/// Timer 2. Host clock: the same, of work that comes right after `submit_previous`, which it submits itself
/// and whose time is not part of the answer. Runs both once; blocks until both are done.
std::optional<double> host_ms_after(const work& submit_previous, const work& submit, cudaStream_t stream);

/// Timer 3. Device clock, by a pair of events: from the moment the device gets to the work until it is done.
/// Runs it once; blocks until it is done, and waits for nothing behind it and nothing on other streams.
std::optional<double> event_ms(const work& submit, cudaStream_t stream);

/// Timer 4. Device clock: the same, of work with more work behind it in the same stream. `submit_next` is
/// submitted before anything is waited for, so the device goes straight on with it; the answer is there as
/// soon as the first is done, while the next still runs.
std::optional<double> event_ms_before(const work& submit, const work& submit_next, cudaStream_t stream);

/// Timer 5. Host clock: the work as it runs from the second time on. The first run may do things that are
/// done only once (load code, allocate, tune): neither their cost nor that run is part of the answer. Runs
/// the work at least twice; blocks until all runs are done.
std::optional<double> warm_ms(const work& submit, cudaStream_t stream);

#pragma once

#include <cuda_runtime.h>

#include "lab/kernel_uses.hpp"

/// @file
/// What your file must define: two predictions and one function.

/// `data[i] *= factor` for each of `count` elements.
static __global__ void scale(float* data, int count, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}
KERNEL_USES(scale, (float* data, int count, float factor), reads_and_writes(data, count));

/// Prediction 1: a kernel of 80 ms runs in one stream, an event is recorded behind it, and another stream is
/// told to wait for it. How long, in ms, does `cudaStreamWaitEvent(other, event)` take on the CPU? Right is
/// whatever lies within a factor of 10.
extern const double predicted_wait_ms;

/// What the second prediction chooses from.
enum class waiting_call {
  not_predicted,      ///< no answer yet
  event_record,       ///< `cudaEventRecord(event, stream)`
  stream_wait_event,  ///< `cudaStreamWaitEvent(stream, event)`
  event_query,        ///< `cudaEventQuery(event)`
  event_synchronize,  ///< `cudaEventSynchronize(event)`
};

/// Prediction 2: which of these calls makes the **CPU** wait for what the GPU still has to do?
extern const waiting_call predicted_waiting_call;

/// One piece of work over two streams. All memory and both streams are the caller's.
struct scale_job {
  const float* input;    ///< pinned host memory, `count` floats
  float* output;         ///< pinned host memory, `count` floats; not the input's
  float* device;         ///< device memory, `count` floats, used by nobody else meanwhile
  int count;             ///< 0 or more
  float factor;          ///< what each element is multiplied by
  cudaStream_t copies;   ///< for the upload and the download; work of others may be queued there
  cudaStream_t compute;  ///< for the kernel; work of others may be queued there
};

/// Uploads the input in the stream `copies`, runs `scale` on it in the stream `compute`, downloads the result
/// in the stream `copies`.
///
/// - Streams wait for each other by events. The CPU submits everything without waiting, asking or sleeping,
///   and waits once, at the end: when the function returns, the output is there, and nothing of the job is
///   still under way. All that holds for each call.
/// - It waits for nobody else's work: other streams may be busy for long. That holds too when a call failed,
///   and when there are no elements.
/// - It writes to `output` and `device` alone.
/// - Its events keep no time (`cudaEventDisableTiming`) and are destroyed, also when something failed.
/// - Returns the first error that a call gave, else `cudaSuccess`. `scale<<<...>>>` gives none:
///   `cudaGetLastError` behind it does.
cudaError_t scale_on_two_streams(const scale_job& job);

// Lab 01: what does a clock around a launch measure?
//
// A launch puts a kernel into a queue and returns. The GPU gets to it when it gets to it, and the CPU has
// gone on long before. Here are five timers that forgot that, each in a way of its own; exercise.hpp says
// what each one should give.

#include <chrono>

#include "exercise.hpp"

// Predict first, then repair. Both questions are about host_ms as it stands below, before you change it; a
// prediction is compared with what that timer really does.

/// In ms, for a kernel that runs for 80 ms.
const double predicted_host_ms = 0.005;  // what a launch costs the CPU, whatever the kernel

/// The call behind the kernel that makes the timer look right: to hand over a result, it waits for it.
const last_call predicted_lucky_call = last_call::copy_back;

namespace {

using host_clock = std::chrono::steady_clock;

double milliseconds(host_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::optional<double> host_ms(const work& submit, cudaStream_t stream) {
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto begin = host_clock::now();
  if (submit(stream) != cudaSuccess) return std::nullopt;
  // The launch is back, the kernel is not: only a wait makes the next clock read mean "done".
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto end = host_clock::now();
  return milliseconds(end - begin);
}

std::optional<double> host_ms_after(const work& submit_previous, const work& submit, cudaStream_t stream) {
  if (submit_previous(stream) != cudaSuccess) return std::nullopt;
  // What is still queued here would be waited for, and so paid for, inside the interval.
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto begin = host_clock::now();
  if (submit(stream) != cudaSuccess) return std::nullopt;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto end = host_clock::now();
  return milliseconds(end - begin);
}

std::optional<double> event_ms(const work& submit, cudaStream_t stream) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  float elapsed_ms = 0;
  cudaError_t status = cudaEventCreate(&start);
  if (status == cudaSuccess) status = cudaEventCreate(&stop);
  // An event marks a place in one stream: only around the work in the work's own stream do two of them
  // enclose it.
  if (status == cudaSuccess) status = cudaEventRecord(start, stream);
  if (status == cudaSuccess) status = submit(stream);
  if (status == cudaSuccess) status = cudaEventRecord(stop, stream);
  if (status == cudaSuccess) status = cudaEventSynchronize(stop);
  if (status == cudaSuccess) status = cudaEventElapsedTime(&elapsed_ms, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  if (status != cudaSuccess) return std::nullopt;
  return elapsed_ms;
}

std::optional<double> event_ms_before(const work& submit, const work& submit_next, cudaStream_t stream) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  float elapsed_ms = 0;
  cudaError_t status = cudaEventCreate(&start);
  if (status == cudaSuccess) status = cudaEventCreate(&stop);
  if (status == cudaSuccess) status = cudaEventRecord(start, stream);
  if (status == cudaSuccess) status = submit(stream);
  if (status == cudaSuccess) status = cudaEventRecord(stop, stream);
  if (status == cudaSuccess) status = submit_next(stream);
  // There is no stamp to read until the device has got to `stop`; waiting for the stream would wait for the
  // next work too.
  if (status == cudaSuccess) status = cudaEventSynchronize(stop);
  if (status == cudaSuccess) status = cudaEventElapsedTime(&elapsed_ms, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  if (status != cudaSuccess) return std::nullopt;
  return elapsed_ms;
}

std::optional<double> warm_ms(const work& submit, cudaStream_t stream) {
  // The first run pays what is paid once; the wait keeps its tail, and everybody else's, out of the interval.
  if (submit(stream) != cudaSuccess) return std::nullopt;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto begin = host_clock::now();
  if (submit(stream) != cudaSuccess) return std::nullopt;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return std::nullopt;
  const auto end = host_clock::now();
  return milliseconds(end - begin);
}

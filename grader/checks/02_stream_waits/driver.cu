#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "exercise.hpp"
#include "exercise/scenario.hpp"
#include "exercise/situation.hpp"
#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/event.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

// Runs the function of lab 02 in the situations that the checks choose. Kernels that are not the student's
// are named after their part.

static __global__ void earlier_work(long long cycles) {
  lab::spin_for(cycles);
}
static __global__ void unrelated_work(long long cycles) {
  lab::spin_for(cycles);
}

namespace {

using lab::exercise::callers_stream;
using lab::exercise::cycles;
using lab::exercise::inputs;
using lab::exercise::outputs;

constexpr float untouched = -7;  // what the output holds before: no input, and no scaled one

void load_kernels() {
  earlier_work<<<1, 1>>>(0);
  unrelated_work<<<1, 1>>>(0);
  scale<<<1, 1>>>(nullptr, 0, 0);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace

/// One call of the function.
SCENARIO(scale) {
  const auto count = static_cast<int>(in.integer("count"));
  const auto size = static_cast<std::size_t>(std::max(count, 1));
  lab::pinned_buffer<float> input(size), output(size);
  lab::device_buffer<float> device(size);
  for (int i = 0; i < count; ++i) input[static_cast<std::size_t>(i)] = static_cast<float>(i % 1000 + 1);
  std::fill(output.begin(), output.end(), untouched);
  load_kernels();

  // The checks know the streams by the order in which they are made.
  const callers_stream copies(in.text("streams")), compute(in.text("streams")), other(in.text("streams"));
  const auto keep_busy = [](const callers_stream& stream, double ms) {
    if (ms > 0) earlier_work<<<1, 1, 0, stream.get()>>>(cycles(ms));
  };
  keep_busy(copies, in.number("copies_busy_ms"));
  keep_busy(compute, in.number("compute_busy_ms"));
  if (in.number("unrelated_ms") > 0) {
    unrelated_work<<<1, 1, 0, other.get()>>>(cycles(in.number("unrelated_ms")));
  }
  CUDA_CHECK(cudaGetLastError());

  const bool no_memory = in.text("failure") == "no_device_memory";
  const scale_job job{input.data(),
                      output.data(),
                      no_memory ? nullptr : device.data(),
                      count,
                      static_cast<float>(in.number("factor")),
                      copies.get(),
                      compute.get()};
  const cudaError_t status = scale_on_two_streams(job);
  // A caller uses the output at once.
  const std::vector<float> result(output.begin(), output.begin() + count);

  out.integer("other_stream_is_busy", other.is_busy());
  out.text("status", cudaGetErrorName(status));
  out.buffer("output", result.data(), result.size());
  static_cast<void>(cudaDeviceSynchronize());
}

/// What the predictions ask.
SCENARIO(predictions) {
  out.number("predicted_wait_ms", predicted_wait_ms);
  const char* const names[] = {"?", "event_record", "stream_wait_event", "event_query", "event_synchronize"};
  out.text("predicted_waiting_call", names[static_cast<int>(predicted_waiting_call)]);

  load_kernels();
  const callers_stream stream("non_blocking"), other("non_blocking");
  const lab::event event;
  const auto timed = [&](auto call) {
    earlier_work<<<1, 1, 0, stream.get()>>>(cycles(in.number("kernel_ms")));
    CUDA_CHECK(cudaEventRecord(event.get(), stream.get()));
    const auto begin = std::chrono::steady_clock::now();
    static_cast<void>(call());
    const auto end = std::chrono::steady_clock::now();
    CUDA_CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::milli>(end - begin).count();
  };
  out.number("event_record_ms", timed([&] { return cudaEventRecord(event.get(), stream.get()); }));
  out.number("stream_wait_event_ms", timed([&] { return cudaStreamWaitEvent(other.get(), event.get()); }));
  out.number("event_query_ms", timed([&] { return cudaEventQuery(event.get()); }));
  out.number("event_synchronize_ms", timed([&] { return cudaEventSynchronize(event.get()); }));
}

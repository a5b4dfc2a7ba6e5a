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
#include "lab/kernel_uses.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

// Runs the function of lab 02 in the situations that the checks choose. Kernels that are not the student's
// are named after their part.

static __global__ void earlier_work(long long cycles) {
  lab::spin_for(cycles);
}
static __global__ void next_work(float* data, int count) {
  if (count > 0) data[0] = data[count - 1] = 0;
}
KERNEL_USES(next_work, (float* data, int count), writes(data, count > 0),
            writes(data + count - 1, count > 0));
static __global__ void faulty_work(long long cycles, int* nowhere) {
  lab::spin_for(cycles);
  if (nowhere != nullptr) *nowhere = 1;
}
KERNEL_USES(faulty_work, (long long cycles, int* nowhere), writes(nowhere, 1));

namespace {

using lab::exercise::callers_stream;
using lab::exercise::cycles;
using lab::exercise::inputs;
using lab::exercise::outputs;

constexpr float untouched = -7;  // what the output holds before: no input, and no scaled one

int* nowhere() {
  return reinterpret_cast<int*>(64);
}

void load_kernels() {
  earlier_work<<<1, 1>>>(0);
  unrelated_work<<<1, 1>>>(0, nullptr);
  next_work<<<1, 1>>>(nullptr, 0);
  faulty_work<<<1, 1>>>(0, nullptr);
  scale<<<1, 1>>>(nullptr, 0, 0);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// What is wrong with the job, as the checks name it, and the job.
scale_job spoilt(scale_job job, const std::string& failure) {
  if (failure == "no_input") job.input = nullptr;
  if (failure == "no_output") job.output = nullptr;
  if (failure == "no_device_memory") job.device = nullptr;
  if (failure == "no_copies_stream") CUDA_CHECK(cudaStreamDestroy(job.copies));
  if (failure == "no_compute_stream") CUDA_CHECK(cudaStreamDestroy(job.compute));
  return job;
}

}  // namespace

/// Calls of the function, the same job each time, but that the second call gets streams of its own.
SCENARIO(scale) {
  const auto count = static_cast<int>(in.integer("count"));
  const auto size = static_cast<std::size_t>(std::max(count, 1));
  const std::string failure = in.text("failure");
  lab::pinned_buffer<float> input(size), output(size);
  lab::device_buffer<float> device(size);
  for (int i = 0; i < count; ++i) input[static_cast<std::size_t>(i)] = static_cast<float>(i % 1000 + 1);
  const std::vector<float> given(input.begin(), input.begin() + count);
  load_kernels();

  // The checks know the streams by the order in which they are made.
  const callers_stream copies(in.text("streams")), compute(in.text("streams")), other(in.text("streams"));
  const callers_stream next("non_blocking");
  const callers_stream copies_again(in.text("streams")), compute_again(in.text("streams"));
  const auto keep_busy = [](cudaStream_t stream, double ms) {
    if (ms > 0) earlier_work<<<1, 1, 0, stream>>>(cycles(ms));
  };
  lab::exercise::somebody_elses_work unrelated;
  if (in.number("unrelated_ms") > 0) unrelated.launch(in.number("unrelated_ms"), other.get());
  scale_job job = spoilt({input.data(), output.data(), device.data(), count,
                          static_cast<float>(in.number("factor")), copies.get(), compute.get()},
                         failure);
  cudaError_t status = cudaSuccess;
  std::vector<float> result;
  bool other_stream_is_busy = false, input_is_kept = true;
  const auto call = [&] {
    std::fill(output.begin(), output.end(), untouched);
    if (failure == "faulty_work") faulty_work<<<1, 1, 0, copies.get()>>>(cycles(5), nowhere());
    keep_busy(job.copies, in.number("copies_busy_ms"));
    keep_busy(job.compute, in.number("compute_busy_ms"));
    CUDA_CHECK(cudaGetLastError());
    status = scale_on_two_streams(job);
    static_cast<void>(cudaGetLastError());  // what it may have left there is judged by its calls
    other_stream_is_busy = failure != "none" && other.is_busy();
    if (failure != "none" || status != cudaSuccess) return;
    // A caller goes on at once, with the output and with the memory that was lent.
    result.assign(output.begin(), output.begin() + count);
    other_stream_is_busy = other.is_busy();
    input_is_kept = input_is_kept && std::equal(given.begin(), given.end(), input.begin());
    std::copy(given.begin(), given.end(), input.begin());
    next_work<<<1, 1, 0, next.get()>>>(device.data(), count);
    CUDA_CHECK(cudaStreamSynchronize(next.get()));
  };
  call();
  if (in.integer("calls") == 2) {
    job.copies = copies_again.get();
    job.compute = compute_again.get();
    call();
  }
  out.text("status", cudaGetErrorName(status));
  out.buffer("output", result.data(), result.size());
  out.integer("other_stream_is_busy", other_stream_is_busy);
  out.integer("input_is_kept", input_is_kept);
  unrelated.end();
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
